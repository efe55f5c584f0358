import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { sqliteEventStore } from '@muster/adapter-sqlite';
import { freePort } from '@muster/service-muster';

/** Clock ticks per second in /proc; fixed at 100 on every Linux that Node runs on. */
const TICKS_PER_SECOND = 100;

/** CPU time of a process so far, user and system, in ms. */
export function cpuMs(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  // The second field, the command, may hold spaces; what follows its closing bracket does not.
  const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
  return ((Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND) * 1_000;
}

/** CPU time of a process and of its descendants so far, ended children included, in ms. */
export function treeCpuMs(root: number): number {
  const processes = readdirSync('/proc').flatMap((name) => (/^\d+$/.test(name) ? (statOf(Number(name)) ?? []) : []));
  const members = new Set([root]);
  // A child may have a smaller id than its parent, so look until no descendant is left out.
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

/** Resident memory of a process, bytes. */
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
/** So many looks without a new event are called quiet. */
const QUIET_LOOKS = 6;
const TIMEOUT_MS = 300_000;
/** Work that stores nothing (boot documents are made ahead) is over when a process needs less of a core than this. */
const IDLE_SHARE_MAX = 0.02;
const IDLE_SAMPLE_MS = 2_000;

/** Events stored so far, read beside the process that has the store open. */
export async function eventsStored(dataDirectory: string): Promise<number> {
  const store = sqliteEventStore({ file: join(dataDirectory, 'events.sqlite') });
  try {
    return await store.head();
  } finally {
    await store.close();
  }
}

/** Resolves when nothing has been stored for a while; the number of events then. */
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

/** Resolves when nothing has been stored for a while and the process has nothing left to do. */
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

/** Resolves when a process and its descendants have nothing left to do; needs no knowledge of what they store. */
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

const MUSTER_MAIN = join(__dirname, '..', '..', '..', '..', 'services', 'muster', 'dist', 'main.js');
/** As `npm start` does. */
const NODE_OPTIONS = ['--max-semi-space-size=64'];
const HOST = '127.0.0.1';
const READY_LOOK_MS = 5;
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

/** `program`: the main file of Muster, of this tree or of another one. */
export async function startEmbeddedProcess(dataDirectory: string, program = MUSTER_MAIN): Promise<EmbeddedProcess> {
  const [restPort, imagePort, natsPort] = [await freePort(HOST), await freePort(HOST), await freePort(HOST)];
  const restUrl = `http://${HOST}:${restPort}`;
  const imageUrl = `http://${HOST}:${imagePort}`;
  const startedMs = performance.now();
  const child = spawn(process.execPath, [...NODE_OPTIONS, program], {
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
  const killAtExit = (): void => void child.kill('SIGKILL');
  process.once('exit', killAtExit);
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
      process.removeListener('exit', killAtExit);
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
    await new Promise((resolve) => setTimeout(resolve, READY_LOOK_MS));
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
