import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteEventStore } from '@muster/adapter-sqlite';
import { freePort } from '@muster/service-muster';
import { NO_SETTINGS, nodeOptionsOf } from '@muster/tool-demo';

/** Clock ticks per second in /proc; fixed at 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** Returns the CPU time of a process so far, user and system, in ms. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field, the command, may contain spaces, so the fields after its closing bracket are read.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1_000;
}

/** Returns the CPU time of a process and of its descendants so far, including ended children, in ms. */
export function treeCpuMs(root: number): number {
  const processes = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statOf(Number(name)) ?? []) : []));
  const members = new Set([root]);
  // A child may have a smaller id than its parent, so the search is repeated until no descendant is missing.
  for (let size = 0; size < members.size;) {
    size = members.size;
    for (const { pid, parent } of processes) if (members.has(parent)) members.add(pid);
  }
  return processes.reduce((sum, { pid, ms }) => sum + (members.has(pid) ? ms : 0), 0);
}

/** Undefined for a process that has ended. */
function statOf(pid: number): { readonly pid: number; readonly parent: number; readonly ms: number } | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    const ticks = [11, 12, 13, 14].reduce((sum, index) => sum + Number(fields[index]), 0);
    return { pid, parent: Number(fields[1]), ms: (ticks / TICKS_PER_SECOND) * 1_000 };
  } catch {
    return undefined;
  }
}

/** Returns the resident memory of a process in bytes. */
export function residentBytes(pid: number): number {
  const kib = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, 'utf8'))?.[1];
  return Number(kib ?? NaN) * 1_024;
}

/** Share of one core that each process uses while the time passes. */
export async function coreShares(pids: readonly number[], ms: number): Promise<readonly number[]> {
  const before = pids.map(cpuMs);
  const startedMs = performance.now();
  await new Promise((resolve) => setTimeout(resolve, ms));
  const passedMs = performance.now() - startedMs;
  return pids.map((pid, index) => (cpuMs(pid) - (before[index] ?? 0)) / passedMs);
}

const LOOK_AGAIN_MS = 500;
/** Number of checks without a new event after which the store counts as quiet. */
const QUIET_LOOKS = 6;
const TIMEOUT_MS = 300_000;
/** Share of a core below which a process counts as idle, because creating boot documents stores no events. */
const IDLE_SHARE_MAX = 0.02;
const IDLE_SAMPLE_MS = 2_000;

/** Returns the number of stored events, while the process has the store open. */
export async function eventsStored(dataDirectory: string): Promise<number> {
  const store = sqliteEventStore({ file: join(dataDirectory, 'events.sqlite') });
  try {
    return await store.head();
  } finally {
    await store.close();
  }
}

/** Resolves with the number of events when nothing was stored for some time. */
export async function untilQuiet(dataDirectory: string): Promise<number> {
  let before = -1;
  let quiet = 0;
  for (const giveUpAt = Date.now() + TIMEOUT_MS; Date.now() < giveUpAt;) {
    const now = await eventsStored(dataDirectory);
    quiet = now === before ? quiet + 1 : 0;
    if (quiet >= QUIET_LOOKS) return now;
    before = now;
    await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
  }
  throw new Error(`The store still grows after ${TIMEOUT_MS / 1_000} s.`);
}

/** Resolves when nothing was stored for some time and the process is idle. */
export async function untilIdle(muster: { readonly dataDirectory: string; readonly pid: number }): Promise<void> {
  await untilQuiet(muster.dataDirectory);
  for (const giveUpAt = Date.now() + TIMEOUT_MS; Date.now() < giveUpAt;) {
    const [share = 0] = await coreShares([muster.pid], IDLE_SAMPLE_MS);
    if (share <= IDLE_SHARE_MAX) return;
  }
  throw new Error(`Muster is still busy after ${TIMEOUT_MS / 1_000} s without a call.`);
}

const SETTLED_SAMPLE_MS = 500;
const SETTLED_SAMPLES = 3;

/** Resolves when a process and its descendants are idle. It needs no access to the store. */
export async function untilSettled(pid: number): Promise<void> {
  let settled = 0;
  for (const giveUpAt = Date.now() + TIMEOUT_MS; Date.now() < giveUpAt;) {
    const before = treeCpuMs(pid);
    await new Promise((resolve) => setTimeout(resolve, SETTLED_SAMPLE_MS));
    settled = (treeCpuMs(pid) - before) / SETTLED_SAMPLE_MS <= IDLE_SHARE_MAX ? settled + 1 : 0;
    if (settled >= SETTLED_SAMPLES) return;
  }
  throw new Error(`Muster is still busy after ${TIMEOUT_MS / 1_000} s without a call.`);
}

/** The default is two minutes. The idle time of such a wait, and what hosts do meanwhile, would count as a cost of the measured calls. */
const SAVE_INTERVAL_SECONDS = 2;

/** Resolves when the consumers have saved what earlier calls changed. Otherwise, a save would count as a cost of later calls. */
export async function untilSaved(pid: number): Promise<void> {
  await untilSettled(pid);
  await new Promise((resolve) => setTimeout(resolve, SAVE_INTERVAL_SECONDS * 1_000));
  await untilSettled(pid);
}

/** Settings of a process whose saves are measured. */
export const SAVES_SOON = { MUSTER_SAVE_INTERVAL_SECONDS: String(SAVE_INTERVAL_SECONDS) };

const MUSTER_MAIN = join(__dirname, '..', '..', '..', '..', 'services', 'muster', 'dist', 'main.js');
const HOST = '127.0.0.1';
const READY_LOOK_MS = 5;
const LOG_CHARACTERS = 8_192;
/** A store of ten million events is read before a process is ready. */
const START_TIMEOUT_MS = 1_800_000;

/** The embedded profile in a separate process, with the values that benchmarks read. */
export interface EmbeddedProcess {
  readonly restUrl: string;
  readonly imageUrl: string;
  readonly natsUrl: string;
  readonly dataDirectory: string;
  readonly pid: number;
  readonly natsPid: number;
  /** Time from the start of the process to the first `GET /ready` with status 200. */
  readonly readyMs: number;
  /** @default SIGTERM */
  stop(signal?: 'SIGTERM' | 'SIGKILL'): Promise<void>;
}

/**
 * `program`: the main file of Muster, of this tree or of another one. The process has no settings of the shell, only those of
 * `environment`.
 */
export async function startEmbeddedProcess(
  dataDirectory: string,
  program = MUSTER_MAIN,
  environment: NodeJS.ProcessEnv = {},
): Promise<EmbeddedProcess> {
  const [restPort, imagePort, natsPort] = [await freePort(HOST), await freePort(HOST), await freePort(HOST)];
  const restUrl = `http://${HOST}:${restPort}`;
  const imageUrl = `http://${HOST}:${imagePort}`;
  const startedMs = performance.now();
  const child = spawn(process.execPath, [...nodeOptionsOf(program), program], {
    stdio: ['ignore', 'pipe', 'pipe'],
    env: {
      ...process.env,
      ...NO_SETTINGS,
      MUSTER_DATA_DIRECTORY: dataDirectory,
      // Some benchmarks start with a store that was created before.
      MUSTER_ACCEPT_STORE: 'true',
      REST_HOST: HOST,
      REST_PORT: String(restPort),
      IMAGE_HOST: HOST,
      IMAGE_PORT: String(imagePort),
      NATS_PORT: String(natsPort),
      SERVICE_BASE_URL: restUrl,
      IMAGE_SERVICE_BASE_URL: imageUrl,
      ...environment,
    },
  });
  const killAtExit = (): void => void child.kill('SIGKILL');
  // Before the listener that deletes its directory.
  process.prependOnceListener('exit', killAtExit);
  let isWanted = true;
  const log = keepLog(child);
  child.once('exit', (code, signal) => {
    if (isWanted) console.error(`Muster ended by itself (${signal ?? code}). Its last output:\n${log()}`);
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
    stop: async (signal = 'SIGTERM') => {
      isWanted = false;
      process.removeListener('exit', killAtExit);
      await end(child, signal);
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
      throw new Error('Muster ended before it was ready; its output is above.');
    const ready = await fetch(`${restUrl}/ready`).catch(() => undefined);
    if (ready?.ok) return;
    await new Promise((resolve) => setTimeout(resolve, READY_LOOK_MS));
  }
  throw new Error(`Muster was not ready after ${START_TIMEOUT_MS / 1_000} s.`);
}

function end(child: ChildProcess, signal: 'SIGTERM' | 'SIGKILL'): Promise<void> {
  return new Promise((resolve) => {
    if (child.exitCode !== null || child.signalCode !== null) return resolve();
    child.once('exit', () => resolve());
    child.kill(signal);
  });
}
