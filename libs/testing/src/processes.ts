import { type ChildProcess, spawn } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { listAt, parseJson } from '@muster/schema';

export interface TemporaryDirectory {
  readonly path: string;
  /** Deletes the directory with its content. Idempotent. */
  remove(): void;
}

/** The directory is created when its path is read: a skipped suite, which runs no hook that would delete it, creates none. */
export const temporaryDirectory = (): TemporaryDirectory => {
  let path: string | undefined;
  return {
    get path() {
      return (path ??= mkdtempSync(join(tmpdir(), 'muster-test-')));
    },
    remove: () => {
      if (path !== undefined) rmSync(path, { recursive: true, force: true });
    },
  };
};

export interface RunningProgram {
  readonly pid: number;
  /** Complete lines of its standard output so far. */
  readonly lines: readonly string[];
  /** Sends SIGKILL and waits until its output is read. Idempotent. */
  kill(): Promise<void>;
  /** Waits until the process exits. Returns its exit code and standard error. */
  ended(): Promise<{ readonly code: number | null; readonly errors: string }>;
}

const FROM_SOURCE = ['-C', 'muster-source', '-r', join(__dirname, 'typescript-hook.cjs')];

/** Options that run a TypeScript file from source in a worker thread. */
export const threadFromSource = (entry: string): { readonly entry: string; readonly execArgv: readonly string[] } => ({
  entry,
  execArgv: FROM_SOURCE,
});

/** Runs a TypeScript file from source in a separate process, with the variables of this one and `environment`. */
export const runProgram = (
  file: string,
  args: readonly string[] = [],
  environment: { readonly [name: string]: string } = {},
): RunningProgram => {
  const child: ChildProcess = spawn(process.execPath, [...FROM_SOURCE, file, ...args], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: { ...process.env, ...environment },
  });
  const lines: string[] = [];
  let partial = '';
  let errors = '';
  child.stdout?.setEncoding('utf8').on('data', (chunk: string) => {
    const parts = (partial + chunk).split('\n');
    partial = parts.pop() ?? '';
    lines.push(...parts);
  });
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => {
    errors = (errors + chunk).slice(-8192);
  });
  const closed = new Promise<number | null>((resolve) => child.once('close', (code) => resolve(code)));
  const killAtExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killAtExit);
  void closed.then(() => process.removeListener('exit', killAtExit));
  return {
    pid: child.pid ?? 0,
    lines,
    kill: async () => {
      child.kill('SIGKILL');
      await closed;
    },
    ended: async () => ({ code: await closed, errors }),
  };
};

/**
 * Defines a suite that needs a server. It runs when the environment contains the server's address. Otherwise it is
 * skipped, and its name contains the variable to set.
 */
export const needsServer = (variable: string, example: string, subject: string, suite: (url: string) => void): void => {
  const url = process.env[variable];
  const name = url ? subject : `${subject} (skipped: set ${variable}, such as ${example})`;
  (url ? describe : describe.skip)(name, () => {
    if (url) suite(url);
    else it('meets the contract of its port', () => expect(url).toBeDefined());
  });
};

export interface NatsServerOptions {
  /** Text of a configuration file. Loopback and the port are set on the command line and take precedence. */
  readonly config?: string;
  /** 0 or absent: any free port. */
  readonly port?: number;
}

export interface NatsServer {
  /** `nats://127.0.0.1:<port>` */
  readonly url: string;
  readonly port: number;
  readonly pid: number;
  /** Ends the server and waits until it has exited. Idempotent. */
  stop(): Promise<void>;
  /** Sends SIGKILL, which simulates a power failure for its clients. */
  kill(): Promise<void>;
}

const START_TIMEOUT_MS = 20_000;
const POLL_INTERVAL_MS = 3;

/** Starts a real nats-server on loopback. Resolves when it accepts connections. */
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
  // A test run that fails must not leave a server.
  const killAtExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killAtExit);

  const end = async (signal: NodeJS.Signals): Promise<void> => {
    process.removeListener('exit', killAtExit);
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
    // The server writes the file in place, so a reader may see a part of it.
    if (text.trimEnd().endsWith('}')) return String(listAt(parseJson(text), 'nats')[0] ?? '');
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
  throw new Error(`nats-server wrote no ports file within ${START_TIMEOUT_MS} ms.`);
};

const ended = (child: ChildProcess, signal: NodeJS.Signals): Promise<void> =>
  new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null || child.pid === undefined) return resolve();
    child.once('exit', () => resolve());
    child.kill(signal);
  });

/**
 * The user that runs installers, with three numbers for each worker process of the tests, because the toolchain ends all processes of its
 * users.
 */
export const INSTALLER_UID = 64_400 + 3 * Number(process.env['JEST_WORKER_ID'] ?? 0);

/**
 * Returns the settings of the embedded profile in a test: a directory of its own, free ports that only this machine reaches, and no
 * downloads of live images.
 */
export const embeddedSettings = (dataDirectory: string) => ({
  MUSTER_DATA_DIRECTORY: dataDirectory,
  MUSTER_SIMULATED_IMAGE: 'false',
  OS_IMAGES_FETCH: 'stream',
  REST_HOST: '127.0.0.1',
  REST_PORT: '0',
  IMAGE_HOST: '127.0.0.1',
  IMAGE_PORT: '0',
});
