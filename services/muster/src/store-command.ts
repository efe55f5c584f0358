import { existsSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { copyFiles, createDirectory, moveIntoPlace } from '@muster/adapter-filesystem';
import {
  backUpSqliteStore,
  copySqliteFile,
  sqliteStoreStats,
  verifySqliteStore,
  writerHere,
} from '@muster/adapter-sqlite';
import { type Environment, SettingsError, SettingsReader } from '@muster/nest-kit';
import { errorMessage, isOneOf } from '@muster/schema';
import { lockDataDirectory, SEALED_FILE } from './data-directory';
import { openObjectStores } from './profile';
import { StartError } from './start-error';
import { compactStore, vacuumFiles } from './store-compaction';

const USAGE =
  'Usage: store stats | store verify | store backup <new file> | store backup --all <new directory> | store compact';
const COMMANDS = ['stats', 'verify', 'backup', 'compact'] as const;
const TYPES_SHOWN_MAX = 20;
const EVENTS_FILE = 'events.sqlite';
/** Directories of the data directory whose files a whole backup contains. */
const COPIED_DIRECTORIES = ['objects', 'logs', 'nats'];
const PROGRESS_FILES = 1_000;

/**
 * Shows, verifies, backs up or compacts the event store in the data directory. Muster may be running, except for `compact`.
 * @throws StartError `settings` for an unknown subcommand, a missing retention or events on a server, `dataDirectory` when the store
 * does not exist, has faults or is in use
 * @throws SettingsError when the retention is not a duration
 * @throws DatabaseUnusable when a file cannot be read or written
 */
export async function runStoreCommand(
  [command, target, ...others]: readonly string[],
  environment: Environment,
  print: (line: string) => void,
): Promise<void> {
  if (command === '--help' || command === 'help') return print(USAGE);
  const isWhole = command === 'backup' && target === '--all';
  const hasTarget = command === 'backup' ? target !== undefined && !target.startsWith('-') : target === undefined;
  if (!isOneOf(COMMANDS, command) || !(isWhole ? others.length === 1 : hasTarget && others.length === 0))
    throw new StartError('settings', USAGE);
  const settings = new SettingsReader(environment);
  if (settings.isSet('EVENTSTORE_URL'))
    throw new StartError(
      'settings',
      'EVENTSTORE_URL is set, so the events are on that server. Use its tools, and stop Muster to copy MUSTER_DATA_DIRECTORY. For the SQLite file of an earlier configuration, unset EVENTSTORE_URL.',
    );
  const dataDirectory = resolve(settings.get('MUSTER_DATA_DIRECTORY'));
  const file = join(dataDirectory, EVENTS_FILE);
  if (!existsSync(file)) throw new StartError('dataDirectory', `${file} does not exist. Set MUSTER_DATA_DIRECTORY.`);
  switch (command) {
    case 'stats':
      return showStats(file, print);
    case 'verify':
      return verify(file, print);
    case 'backup':
      return isWhole
        ? backUpAll(dataDirectory, resolve(others[0] ?? ''), print)
        : backUp(file, resolve(target ?? ''), print);
    case 'compact':
      return compact(settings, dataDirectory, print);
  }
}

async function compact(settings: SettingsReader, dataDirectory: string, print: (line: string) => void): Promise<void> {
  const retentionMs = settings.get('MUSTER_REPORT_RETENTION');
  if (settings.problems.length > 0) throw new SettingsError(settings.problems);
  if (retentionMs === undefined)
    throw new StartError(
      'settings',
      'MUSTER_REPORT_RETENTION is not set, so all events are kept. Set it to a duration such as 720h.',
    );
  const lock = lockDataDirectory(dataDirectory, 'store compact', 'exclusive');
  const writer = writerHere();
  try {
    const { objectStore, close } = await openObjectStores(settings, dataDirectory, writer);
    try {
      const beforeMs = Date.now() - retentionMs;
      const summary = await compactStore({ dataDirectory, objectStore, beforeMs, print });
      const { removed, reduced, before, after, bodies } = summary;
      print(
        `${removed} events removed and ${reduced} reduced, from ${before} to ${after} bytes; ${bodies} documents removed`,
      );
    } finally {
      await close();
    }
    vacuumFiles(dataDirectory, print);
  } finally {
    await writer.close();
    lock.release();
  }
}

function backUp(file: string, target: string, print: (line: string) => void): void {
  backUpSqliteStore(file, target, (copied) => print(`${copied} events copied`));
  print(`${file} was backed up to ${target}.`);
}

/**
 * Copies what a start needs, except for the master key. The events are copied first: what they name was stored before them, so the
 * later copies contain it.
 */
async function backUpAll(dataDirectory: string, target: string, print: (line: string) => void): Promise<void> {
  if (existsSync(target)) throw new StartError('dataDirectory', `${target} exists. Name a new directory.`);
  const partial = `${target}.partial`;
  try {
    rmSync(partial, { recursive: true, force: true });
    createDirectory(join(partial, 'secrets'), 0o700);
    const events = join(dataDirectory, EVENTS_FILE);
    backUpSqliteStore(events, join(partial, EVENTS_FILE), (copied) => print(`${copied} events copied`));
    for (const name of [join('secrets', SEALED_FILE), 'objects.sqlite']) {
      if (!existsSync(join(dataDirectory, name))) continue;
      copySqliteFile(join(dataDirectory, name), join(partial, name));
      print(`${name} copied`);
    }
    let copied = 0;
    for (const name of COPIED_DIRECTORIES)
      await copyFiles(join(dataDirectory, name), join(partial, name), () => {
        copied += 1;
        if (copied % PROGRESS_FILES === 0) print(`${copied} files copied`);
      });
    await moveIntoPlace(partial, target);
    print(`${dataDirectory} was backed up to ${target} with ${copied} files, without its master key.`);
  } catch (error) {
    if (existsSync(partial)) rmSync(partial, { recursive: true, force: true });
    if (!isFileError(error)) throw error;
    const text = `The backup to ${target} failed: ${errorMessage(error)}. Check the directory, its permissions and the free space.`;
    throw new StartError('dataDirectory', text, { cause: error });
  }
}

const isFileError = (error: unknown): boolean => typeof error === 'object' && error !== null && 'syscall' in error;

function showStats(file: string, print: (line: string) => void): void {
  const { events, streams, bytes, types } = sqliteStoreStats(file, (counted) => print(`${counted} events counted`));
  print(`${file}: ${events} events in ${streams} streams, ${bytes} bytes`);
  for (const one of types.slice(0, TYPES_SHOWN_MAX))
    print(`${String(one.events).padStart(10)} events ${String(one.bytes).padStart(12)} bytes  ${one.type}`);
}

function verify(file: string, print: (line: string) => void): void {
  print('The pages of the file are checked first.');
  const faults = verifySqliteStore(file, (verified) => print(`${verified} events verified`));
  for (const fault of faults) print(fault);
  if (faults.length > 0)
    throw new StartError(
      'dataDirectory',
      `${file} is damaged. The lines above list the faults. Check the disk, and restore a backup.`,
    );
  print(`${file} is sound.`);
}
