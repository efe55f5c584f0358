import { createHash } from 'node:crypto';
import { existsSync, realpathSync, rmSync, statSync } from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { copyFiles, createDirectory, moveIntoPlace, sealedSecrets } from '@muster/adapter-filesystem';
import {
  copySqliteFile,
  type FileLock,
  lockFile,
  sqliteSealedStorage,
  sqliteStoreStats,
  type StatementWork,
  verifySqliteFile,
  verifySqliteStore,
  writerHere,
} from '@muster/adapter-sqlite';
import { type Environment, isFullDisk, SettingsReader } from '@muster/nest-kit';
import { type ObjectStore, parseStreamId, type RecordedEvent } from '@muster/ports';
import { errorMessage, isOneOf, textAt } from '@muster/schema';
import { openIdentity, refuseMismatch, SEALED_FILE } from './data-directory';
import { openObjectStores } from './profile';
import { StartError } from './start-error';
import { compactDataDirectory, workText } from './store-compaction';

const USAGE =
  'Usage: store stats | store verify | store backup <new file> | store backup --all <new directory> | store compact';
const COMMANDS = ['stats', 'verify', 'backup', 'compact'] as const;
const TYPES_SHOWN_MAX = 20;
const EVENTS_FILE = 'events.sqlite';
const LOCK_FILE = 'store-command.lock';
/** Directories of the data directory whose files a whole backup contains. */
const COPIED_DIRECTORIES = ['objects', 'logs', 'nats'];
/** In the order in which a whole backup copies them. */
const COPIED_FILES = [
  { kind: 'events', name: EVENTS_FILE, rows: 'events' },
  { kind: 'sealed', name: join('secrets', SEALED_FILE), rows: 'sealed values' },
  { kind: 'objects', name: 'objects.sqlite', rows: 'documents' },
] as const;
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
  if (command === 'help' || [command, target].some((word) => word === '--help' || word === '-h')) return print(USAGE);
  const isWhole = command === 'backup' && target === '--all';
  const hasTarget = command === 'backup' ? target !== undefined && !target.startsWith('-') : target === undefined;
  if (!isOneOf(COMMANDS, command) || !(isWhole ? others.length === 1 : hasTarget && others.length === 0))
    throw new StartError('settings', USAGE);
  const settings = new SettingsReader(environment);
  const onServer =
    'EVENTSTORE_URL is set, so the events are on that server. Use its tools, and stop Muster to copy MUSTER_DATA_DIRECTORY. For the SQLite file of an earlier configuration, unset EVENTSTORE_URL.';
  if (settings.isSet('EVENTSTORE_URL')) throw new StartError('settings', onServer);
  const dataDirectory = resolve(settings.get('MUSTER_DATA_DIRECTORY'));
  const file = join(dataDirectory, EVENTS_FILE);
  requireReadable(file);
  if (command === 'stats') return showStats(file, print);
  // A compaction removes documents that a backup or a verification has yet to read, and two backups may have the same target.
  const lock = lockCommands(dataDirectory);
  try {
    switch (command) {
      case 'verify':
        return await verify(settings, dataDirectory, print);
      case 'backup':
        refuseNameOfLog(resolve(others[0] ?? target ?? ''));
        return isWhole
          ? await backUpAll(dataDirectory, resolve(others[0] ?? ''), print)
          : backUp(file, resolve(target ?? ''), print);
      case 'compact':
        return await compactDataDirectory(settings, dataDirectory, print);
    }
  } finally {
    lock.release();
  }
}

/** @throws StartError `dataDirectory` when another command runs, or the directory is not writable */
function lockCommands(dataDirectory: string): FileLock {
  let lock: FileLock | undefined;
  try {
    lock = lockFile(join(dataDirectory, LOCK_FILE), 'exclusive');
  } catch (error) {
    const remedy = isFullDisk(error) ? 'Free disk space' : 'Run the command as the user of Muster';
    const text = `The data directory ${dataDirectory} is not writable: ${errorMessage(error).replace(/\.$/, '')}. ${remedy}.`;
    throw new StartError('dataDirectory', text, { cause: error });
  }
  const text = `Another store command works with the data directory ${dataDirectory}. Wait until it has ended, and repeat this one.`;
  if (!lock) throw new StartError('dataDirectory', text);
  return lock;
}

/** @throws StartError `dataDirectory` */
function requireReadable(file: string): void {
  try {
    statSync(file);
  } catch (error) {
    const isAbsent = isFileError(error) && ['ENOENT', 'ENOTDIR'].includes(String(error.code));
    const text = isAbsent
      ? `${file} does not exist. Set MUSTER_DATA_DIRECTORY.`
      : `${file} cannot be read: ${errorMessage(error)}. Run the command as the user of Muster.`;
    throw new StartError('dataDirectory', text, { cause: error });
  }
}

/** A start would take the copy for a part of the database file, and replace or remove it. */
function refuseNameOfLog(target: string): void {
  const [, file = ''] = /^(.*)-(?:wal|shm|journal|head)$/.exec(target) ?? [];
  const text = `${target} has a name that SQLite or Muster uses beside ${file}. Use another name.`;
  if (existsSync(file)) throw new StartError('dataDirectory', text);
}

function backUp(file: string, target: string, print: (line: string) => void): void {
  copySqliteFile('events', file, target, (copied) => print(`${copied} events copied`));
  print(`${file} was backed up to ${target}.`);
}

/**
 * Copies what a start needs, except for the master key. The events are copied first: what they name was stored before them, so the
 * later copies contain it.
 */
async function backUpAll(dataDirectory: string, target: string, print: (line: string) => void): Promise<void> {
  if (existsSync(target)) throw new StartError('dataDirectory', `${target} exists. Name a new directory.`);
  const around = COPIED_DIRECTORIES.find((name) => isIn(target, join(dataDirectory, name)));
  if (around) {
    const text = `${target} is in ${join(dataDirectory, around)}, which is copied. Name another directory.`;
    throw new StartError('dataDirectory', text);
  }
  const partial = `${target}.partial`;
  if (isIn(dataDirectory, partial)) {
    const text = `The partial copy ${partial} would replace the data directory ${dataDirectory}. Name another directory.`;
    throw new StartError('dataDirectory', text);
  }
  try {
    rmSync(partial, { recursive: true, force: true });
    createDirectory(join(partial, 'secrets'), 0o700);
    for (const { kind, name, rows } of COPIED_FILES)
      if (isThere(join(dataDirectory, name)))
        copySqliteFile(kind, join(dataDirectory, name), join(partial, name), (copied) =>
          print(`${copied} ${rows} copied`),
        );
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
    const text = `The backup to ${target} failed: ${errorMessage(error)}. Check the directory, its permissions and the free space.`;
    throw isFileError(error) ? new StartError('dataDirectory', text, { cause: error }) : error;
  }
}

const isFileError = (error: unknown): error is { readonly code?: unknown } =>
  typeof error === 'object' && error !== null && 'syscall' in error;

/** Unlike `existsSync`, throws when the directory may not be read: a file that cannot be seen is not missing. */
const isThere = (path: string): boolean => statSync(path, { throwIfNoEntry: false }) !== undefined;

/** The path without links. Its end need not exist. */
const realPath = (path: string): string =>
  existsSync(path) ? realpathSync(path) : join(realPath(dirname(path)), basename(path));
const isIn = (path: string, directory: string): boolean => `${realPath(path)}/`.startsWith(`${realPath(directory)}/`);

function showStats(file: string, print: (line: string) => void): void {
  const { events, streams, bytes, types } = sqliteStoreStats(file, (counted) => print(`${counted} events counted`));
  print(`${file}: ${events} events in ${streams} streams, ${bytes} bytes`);
  for (const one of types.slice(0, TYPES_SHOWN_MAX))
    print(`${String(one.events).padStart(10)} events ${String(one.bytes).padStart(12)} bytes  ${one.type}`);
}

interface Verification {
  readonly settings: SettingsReader;
  readonly dataDirectory: string;
  readonly print: (line: string) => void;
  readonly report: (fault: string) => void;
}

/** Checks the events, and in a whole data directory also the other files and whether they belong together. */
async function verify(settings: SettingsReader, dataDirectory: string, print: (line: string) => void): Promise<void> {
  const file = join(dataDirectory, EVENTS_FILE);
  let faults = 0;
  const report = (fault: string): void => {
    faults += 1;
    print(fault);
  };
  const verification = { settings, dataDirectory, print, report };
  let firstEventId = '';
  /** The last position that names the document. */
  const documents = new Map<string, number>();
  const onEvent = ({ id, streamId, position, data }: RecordedEvent): void => {
    if (firstEventId === '') firstEventId = id;
    const isReport = parseStreamId(streamId).category === 'inventory';
    const digest = isReport ? textAt(data, 'body', 'digest') : undefined;
    if (digest) documents.set(digest, position);
  };
  print('The pages of the file are checked first.');
  const onWork = (work: StatementWork): void => print(workText(work));
  const eventFaults = await verifySqliteStore(file, (verified) => print(`${verified} events verified`), {
    onEvent,
    onWork,
  });
  eventFaults.forEach(report);
  const others = COPIED_FILES.filter(({ name }) => name !== EVENTS_FILE && isThere(join(dataDirectory, name)));
  const masterKeyFile = settings.get('MUSTER_MASTER_KEY_FILE') ?? join(dataDirectory, 'master.key');
  if (others.length === 0 && !existsSync(masterKeyFile)) print('Only the events are here. Nothing else is checked.');
  else {
    for (const { kind, name } of others)
      await reportingTo(report, async () => {
        print(`The pages of ${name} are checked.`);
        const faults = await verifySqliteFile(kind, join(dataDirectory, name), onWork);
        faults.forEach((fault) => report(`${name}: ${fault}`));
      });
    await reportingTo(report, () => verifyIdentity(verification, masterKeyFile, firstEventId));
    await reportingTo(report, () => verifyDocuments(verification, documents));
  }
  const text =
    eventFaults.length > 0
      ? `${file} is damaged. The lines above list the faults. Check the disk, and restore a backup.`
      : `The data directory ${dataDirectory} has faults, but its events have none. The lines above list them. Correct what they name, or restore a backup.`;
  if (faults > 0) throw new StartError('dataDirectory', text);
  print(`${file} is sound.`);
}

async function reportingTo(report: (fault: string) => void, check: () => Promise<void> | void): Promise<void> {
  try {
    await check();
  } catch (error) {
    report(errorMessage(error));
  }
}

/** Checks whether the events, the secrets and the master key belong together, as a start does. */
async function verifyIdentity(
  { dataDirectory, print }: Verification,
  masterKeyFile: string,
  firstEventId: string,
): Promise<void> {
  if (!existsSync(masterKeyFile))
    return print(`The master key ${masterKeyFile} is not here, so it is not checked whether it opens the secrets.`);
  const sealedFile = join(dataDirectory, 'secrets', SEALED_FILE);
  if (!existsSync(sealedFile)) throw new StartError('dataDirectory', `${sealedFile} is missing.`);
  // An empty file was reported before, and would become a new one.
  if (statSync(sealedFile).size === 0) return;
  const storage = sqliteSealedStorage(sealedFile);
  try {
    const secrets = await sealedSecrets({ masterKeyFile, openStorage: () => storage });
    refuseMismatch(await openIdentity(secrets, masterKeyFile, dataDirectory), firstEventId, dataDirectory);
  } finally {
    await storage.close();
  }
}

/** Reads all stored documents and logs. Removes those that exist from `documents`; the others are missing. */
async function verifyDocuments(
  { settings, dataDirectory, print, report }: Verification,
  documents: Map<string, number>,
): Promise<void> {
  if (settings.get('MINIO_URL')) return print('The documents are on the server of MINIO_URL. They are not checked.');
  const objectsFile = join(dataDirectory, 'objects.sqlite');
  if (!existsSync(objectsFile)) throw new StartError('dataDirectory', `${objectsFile} is missing.`);
  const { objectStore, logs, close } = await openObjectStores(settings, dataDirectory, writerHere());
  let verified = 0;
  const verifyAll = async (store: ObjectStore): Promise<void> => {
    for await (const { digest } of store.list()) {
      documents.delete(digest);
      await reportingTo(report, () => verifyDocument(store, digest));
      verified += 1;
      if (verified % PROGRESS_FILES === 0) print(`${verified} documents and logs verified`);
    }
  };
  try {
    await verifyAll(objectStore);
    for (const [digest, position] of documents)
      report(`Position ${position}: the document ${digest} is neither in objects.sqlite nor in the directory objects.`);
    for (const name of await logs.names()) await verifyAll(await logs.area(name));
  } finally {
    await close();
  }
  print(`${verified} documents and logs verified`);
}

/** @throws Error when the document differs from its digest */
async function verifyDocument(store: ObjectStore, digest: string): Promise<void> {
  const body = await store.open(digest);
  const hash = createHash('sha256');
  // It may have been removed meanwhile. Logs have up to 2 GiB.
  for await (const part of body ?? []) hash.update(part);
  if (body && `sha256:${hash.digest('hex')}` !== digest)
    throw new Error(`The stored document or log ${digest} is damaged.`);
}
