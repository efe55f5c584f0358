import { type ChildProcess, spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '@muster/service-muster';

const MUSTER_MAIN = join(__dirname, '..', '..', '..', '..', 'services', 'muster', 'dist', 'main.js');
/** As `npm start` does. */
const NODE_OPTIONS = ['--max-semi-space-size=64'];
const HOST = '127.0.0.1';
const LOOK_AGAIN_MS = 5;
const LOG_CHARACTERS = 8_192;
/** A store of a million events is read before a process is ready. */
const START_TIMEOUT_MS = 600_000;

/** The embedded profile as a process of its own, with what a benchmark wants to know of it. */
export interface EmbeddedProcess {
  readonly restUrl: string;
  readonly imageUrl: string;
  readonly natsUrl: string;
  readonly dataDirectory: string;
  readonly pid: number;
  readonly natsPid: number;
  /** From the start of the process to the first `GET /ready` that said yes. */
  readonly readyMs: number;
  stop(): Promise<void>;
}

export async function startEmbeddedProcess(dataDirectory: string): Promise<EmbeddedProcess> {
  const [restPort, imagePort, natsPort] = [await freePort(HOST), await freePort(HOST), await freePort(HOST)];
  const restUrl = `http://${HOST}:${restPort}`;
  const imageUrl = `http://${HOST}:${imagePort}`;
  const startedMs = performance.now();
  const child = spawn(process.execPath, [...NODE_OPTIONS, MUSTER_MAIN], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      MUSTER_DATA_DIRECTORY: dataDirectory,
      // Some benchmarks start on a store that was made for them.
      MUSTER_ACCEPT_STORE: 'true',
      REST_HOST: HOST,
      REST_PORT: String(restPort),
      IMAGE_HOST: HOST,
      IMAGE_PORT: String(imagePort),
      NATS_PORT: String(natsPort),
      SERVICE_BASE_URL: restUrl,
      IMAGE_SERVICE_BASE_URL: imageUrl,
    },
  });
  const killWithUs = (): void => void child.kill('SIGKILL');
  process.once('exit', killWithUs);
  let isWanted = true;
  const log = keepLog(child);
  child.once('exit', (code, signal) => {
    if (isWanted) console.error(`Muster ended by itself (${signal ?? code}). It said last:\n${log()}`);
  });
  await untilReady(child, restUrl);
  return {
    restUrl,
    imageUrl,
    natsUrl: `nats://${HOST}:${natsPort}`,
    dataDirectory,
    pid: child.pid ?? 0,
    natsPid: Number(readFileSync(join(dataDirectory, 'nats', 'nats-server.pid'), 'utf8')),
    readyMs: performance.now() - startedMs,
    stop: async () => {
      isWanted = false;
      process.removeListener('exit', killWithUs);
      await end(child);
    },
  };
}

function keepLog(child: ChildProcess): () => string {
  let log = '';
  const keep = (chunk: Buffer): void => void (log = (log + chunk.toString()).slice(-LOG_CHARACTERS));
  child.stdout?.on('data', keep);
  child.stderr?.on('data', keep);
  return () => log;
}

async function untilReady(child: ChildProcess, restUrl: string): Promise<void> {
  for (const giveUpAt = Date.now() + START_TIMEOUT_MS; Date.now() < giveUpAt;) {
    if (child.exitCode !== null || child.signalCode !== null)
      throw new Error('Muster ended before it was ready; what it said is above.');
    const ready = await fetch(`${restUrl}/ready`).catch(() => undefined);
    if (ready?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  throw new Error(`Muster was not ready after ${START_TIMEOUT_MS / 1_000} s.`);
}

function end(child: ChildProcess): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill('SIGTERM');
  });
}
