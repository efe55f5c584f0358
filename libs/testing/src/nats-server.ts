import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { temporaryDirectory } from './temporary-directory';

export interface NatsServerOptions {
  /** Text of a configuration file; loopback and the port are set on the command line whatever it says. */
  readonly config?: string;
  /** 0 or absent: any free port. */
  readonly port?: number;
}

export interface NatsServer {
  /** `nats://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Asks it to end and waits until it has. Idempotent. */
  stop(): Promise<void>;
  /** SIGKILL: what a power cut looks like to its clients. */
  kill(): Promise<void>;
}

const START_TIMEOUT_MS = 10_000;
const LOOK_AGAIN_MS = 3;

/** A real nats-server on loopback, ready for connections when it resolves. */
export const startNatsServer = async (options: NatsServerOptions = {}): Promise<NatsServer> => {
  const directory = temporaryDirectory();
  const args = ['-a', '127.0.0.1', '-p', String(options.port || -1), '--ports_file_dir', directory.path];
  if (options.config !== undefined) {
    const file = join(directory.path, 'server.conf');
    writeFileSync(file, options.config, { mode: 0o600 });
    args.push('-c', file);
  }

  const child = spawn('nats-server', args, {
    stdio: ['ignore', 'ignore', 'pipe'],
    env: { ...process.env, PATH: `${process.env.PATH ?? ''}:/usr/sbin:/usr/local/sbin` },
  });
  let log = '';
  child.stderr.on('data', (chunk: Buffer) => {
    log = (log + chunk.toString()).slice(-4096);
  });
  const failed = new Promise<never>((_, reject) => {
    child.once('error', (error) => {
      reject(new Error(`nats-server does not start (${error.message}); install the nats-server package.`));
    });
    child.once('exit', (code) => reject(new Error(`nats-server ended with ${code} before it was ready:\n${log}`)));
  });
  failed.catch(() => undefined);
  // A test run that dies must not leave a server behind.
  const killWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', killWithUs);

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    process.removeListener('exit', killWithUs);
    await ended(child, signal);
    directory.remove();
  };
  try {
    const url = await Promise.race([readUrl(directory.path, child), failed]);
    return {
      url,
      port: Number(new URL(url).port),
      pid: child.pid ?? 0,
      stop: () => end('SIGTERM'),
      kill: () => end('SIGKILL'),
    };
  } catch (error) {
    await end('SIGKILL');
    throw error;
  }
};

const readUrl = async (directory: string, child: ChildProcess): Promise<string> => {
  const file = join(directory, `nats-server_${child.pid}.ports`);
  for (const giveUpAt = Date.now() + START_TIMEOUT_MS; Date.now() < giveUpAt;) {
    const text = existsSync(file) ? readFileSync(file, 'utf8') : '';
    // The server writes the file in place: half of it may be there.
    if (text.trimEnd().endsWith('}')) return (JSON.parse(text) as { nats: string[] }).nats[0] ?? '';
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  throw new Error(`nats-server wrote no ports file within ${START_TIMEOUT_MS} ms.`);
};

const ended = (child: ChildProcess, signal: NodeJS.Signals): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return resolve();
    child.once('exit', () => resolve());
    child.kill(signal);
  });
