import { constants, type Stats } from 'node:fs';
import { open, stat } from 'node:fs/promises';
import { setTimeout } from 'node:timers/promises';
import { abortAfter } from '@muster/ports';
import { createJsonReader, errorMessage } from '@muster/schema';
import { Type } from '@sinclair/typebox';
import { StepFailed } from '../machine/machine.port';
import type { StepWork } from '../steps/step-work';
import { type RunCommand, TIMEOUT_EXIT_CODE } from './command';

/**
 * The check of assisted-installer-agent: `fio --rw=write --ioengine=sync --size=22m -bs=2300 --fdatasync=1` with two
 * jobs.
 */
export const BLOCK_BYTES = 2_300;
export const TOTAL_BYTES = 22 * 1024 * 1024;
const JOBS = 2;
/** The writers stop after this share of the time limit, so that a write of a slow disk ends before the limit. */
const WRITING_SHARE = 0.9;
const PERCENTILE = 0.99;
const NS_PER_MS = 1_000_000n;

type Check = StepWork['installation-disk-speed-check'];

export interface DiskSpeedTools {
  /** As in DiskSpeedOptions. */
  readonly hanging: Set<string>;
  readonly run: RunCommand;
  /** The executable whose subcommand `step` measures. Absent: this process measures. */
  readonly program?: string;
}

/**
 * Returns the report of one disk.
 * @throws StepFailed with a report that names the disk, because the service waits for a result of each disk
 */
export async function checkDiskSpeed(
  order: Check['order'],
  tools: DiskSpeedTools,
  signal: AbortSignal,
): Promise<Check['result']> {
  const { path, timeoutSeconds } = order;
  try {
    const options = { path, timeoutMs: timeoutSeconds * 1000, hanging: tools.hanging };
    const measured = tools.program
      ? await measureInProgram(order, tools.program, tools.run, signal)
      : await measureDiskSpeed(options, signal);
    return { path, io_sync_duration: measured };
  } catch (error) {
    const exitCode = error instanceof StepFailed ? error.exitCode : undefined;
    throw new StepFailed(errorMessage(error), exitCode, JSON.stringify({ io_sync_duration: 0, path }));
  }
}

const readReport = createJsonReader(Type.Object({ io_sync_duration: Type.Number() }), { name: 'the report' });
/** Time of the program to start and to print its report. */
const REPORT_MS_MAX = 10_000;

/** A process does not end before the writes of its threads. The agent must end for an upgrade, also when a disk does not answer. */
async function measureInProgram(
  { path, timeoutSeconds }: Check['order'],
  program: string,
  run: RunCommand,
  signal: AbortSignal,
): Promise<number> {
  const args = ['step', 'installation-disk-speed-check', JSON.stringify({ path }), String(timeoutSeconds)];
  const timeoutMs = timeoutSeconds * 1000 + REPORT_MS_MAX;
  const { exitCode, stderr = '', stdout } = await run(program, args, signal, { timeoutMs });
  if (signal.aborted) throw new StepFailed(STOPPED);
  if (exitCode === 0) return readReport(stdout).io_sync_duration;
  const reason = stderr.trim() || `The program that measures the disk ${path} ended with exit code ${exitCode}.`;
  throw new StepFailed(reason, exitCode === TIMEOUT_EXIT_CODE ? exitCode : undefined);
}

const STOPPED = 'The check of the disk was stopped.';

export interface DiskSpeedOptions {
  readonly path: string;
  readonly timeoutMs: number;
  /** Disks with a write that has not ended. They are not measured again, because each write occupies a thread. */
  readonly hanging: Set<string>;
  /** @default TOTAL_BYTES */
  readonly totalBytes?: number;
  /** @default true for block devices only */
  readonly isTarget?: (stats: Stats) => boolean;
}

/**
 * Measures the disk with the writes of etcd: sequential writes of 2,300 bytes with fdatasync after each, by two
 * concurrent writers. Overwrites the first 22 MiB of the disk. Returns the 99th percentile of the duration of fdatasync
 * in whole milliseconds, of the slower writer.
 * @throws StepFailed
 */
export async function measureDiskSpeed(options: DiskSpeedOptions, signal: AbortSignal): Promise<number> {
  const { path, timeoutMs, hanging } = options;
  const stats = await stat(path).catch(() => undefined);
  const isTarget = options.isTarget ?? ((found: Stats) => found.isBlockDevice());
  if (!stats || !isTarget(stats)) throw new StepFailed(`${path} is not a disk of this machine.`);
  const hangs = `The disk ${path} did not finish a write within ${timeoutMs / 1000} s.`;
  if (hanging.has(path)) throw new StepFailed(`${hangs} That write still has not ended.`, TIMEOUT_EXIT_CODE);
  const writing = abortAfter(timeoutMs * WRITING_SHARE, signal);
  const writes = Math.ceil((options.totalBytes ?? TOTAL_BYTES) / BLOCK_BYTES);
  const writers = Array.from({ length: JOBS }, () => syncLatencies(path, writes, writing));
  // When one writer fails, the write of the other one may not have ended.
  const jobs = Promise.allSettled(writers).then(() => Promise.all(writers));
  const done = new AbortController();
  const limit = setTimeout(timeoutMs, undefined, { signal: AbortSignal.any([signal, done.signal]) });
  const ended = await Promise.race([jobs, limit.catch(() => undefined)]).finally(() => done.abort());
  if (!ended) {
    hanging.add(path);
    void jobs.catch(() => undefined).finally(() => hanging.delete(path));
  }
  if (signal.aborted) throw new StepFailed(STOPPED);
  const measured = ended?.filter((latencies) => latencies.length > 0) ?? [];
  if (measured.length === 0) throw new StepFailed(hangs, TIMEOUT_EXIT_CODE);
  return Math.max(...measured.map(percentileMs));
}

/** Returns the durations in nanoseconds. There are fewer than `writes` when the time limit is reached. */
async function syncLatencies(path: string, writes: number, signal: AbortSignal): Promise<readonly bigint[]> {
  const file = await open(path, constants.O_WRONLY).catch((error: Error) => {
    throw new StepFailed(`The disk ${path} cannot be written to: ${error.message}`);
  });
  const block = Buffer.alloc(BLOCK_BYTES, 0xa5);
  const latencies: bigint[] = [];
  try {
    for (let written = 0; written < writes && !signal.aborted; written += 1) {
      await file.write(block, 0, block.length, written * BLOCK_BYTES);
      const startedAt = process.hrtime.bigint();
      await file.datasync();
      latencies.push(process.hrtime.bigint() - startedAt);
    }
  } catch (error) {
    throw new StepFailed(`The disk ${path} failed while it was measured: ${errorMessage(error)}`);
  } finally {
    await file.close();
  }
  return latencies;
}

/** Returns the smallest latency that at least 99 % of the writes did not exceed, in whole milliseconds. */
export function percentileMs(latenciesNs: readonly bigint[]): number {
  const sorted = [...latenciesNs].sort((a, b) => (a < b ? -1 : a > b ? 1 : 0));
  const at = Math.max(Math.ceil(sorted.length * PERCENTILE) - 1, 0);
  return Number((sorted[at] ?? 0n) / NS_PER_MS);
}
