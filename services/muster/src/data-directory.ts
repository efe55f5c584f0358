import { mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { type FileLock, lockFile } from '@muster/adapter-sqlite';
import { StartError } from './start-error';

const LOCK_FILE = 'muster.lock';
const HOLDER_FILE = 'muster.lock.json';
const PROBE_FILE = '.muster-write-probe';

/** The process that locks a data directory, as it describes itself for the error of a second one. */
interface Holder {
  readonly pid: number;
  readonly program: string;
  readonly host: string;
  readonly startedAt: string;
  /** Changes with every boot of the machine. */
  readonly bootId: string;
}

/**
 * Creates the data directory, checks that it is writable, and locks it until the process ends. The embedded profile locks it
 * alone; services that run alone share it with each other.
 * @throws StartError `dataDirectory` when it is not writable or another process has locked it
 */
export function lockDataDirectory(directory: string, program: string, mode: 'exclusive' | 'shared'): FileLock {
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    writeFileSync(join(directory, PROBE_FILE), '');
    rmSync(join(directory, PROBE_FILE), { force: true });
  } catch (error) {
    throw new StartError(
      'dataDirectory',
      `The data directory ${directory} is not writable: ${messageOf(error)}. Change its owner or permissions, or set MUSTER_DATA_DIRECTORY.`,
      { cause: error },
    );
  }
  const lock = lockFile(join(directory, LOCK_FILE), mode);
  if (!lock) throw new StartError('dataDirectory', lockedText(directory));
  const holder: Holder = {
    pid: process.pid,
    program,
    host: hostname(),
    startedAt: new Date(Date.now() - process.uptime() * 1_000).toISOString(),
    bootId: readText('/proc/sys/kernel/random/boot_id'),
  };
  writeFileSync(join(directory, HOLDER_FILE), `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  return lock;
}

function lockedText(directory: string): string {
  const advice = 'Stop that process, or set MUSTER_DATA_DIRECTORY to another directory.';
  try {
    const { pid, program, host, startedAt, bootId } = JSON.parse(readText(join(directory, HOLDER_FILE))) as Holder;
    return `The data directory ${directory} is in use by process ${pid} (${program}) on host ${host}, started at ${startedAt} (boot ${bootId}). ${advice}`;
  } catch {
    return `The data directory ${directory} is in use by another process. ${advice}`;
  }
}

function readText(file: string): string {
  try {
    return readFileSync(file, 'utf8').trim();
  } catch {
    return '';
  }
}

const messageOf = (error: unknown): string => (error instanceof Error ? error.message : String(error));
