import { createHash } from 'node:crypto';
import { existsSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { readdir } from 'node:fs/promises';
import { hostname } from 'node:os';
import { join } from 'node:path';
import { createDirectory } from '@muster/adapter-filesystem';
import { DatabaseUnusable, type FileLock, lockFile } from '@muster/adapter-sqlite';
import { isFullDisk, type Platform } from '@muster/nest-kit';
import {
  collectionOf,
  type EventStore,
  type ObjectStore,
  putOrRemove,
  type ReadModels,
  type RecordedEvent,
  type SavedFold,
  type Secrets,
  START_OF_STORE,
} from '@muster/ports';
import { createJsonReader, errorMessage } from '@muster/schema';
import { type Static, Type } from '@sinclair/typebox';
import { StartError } from './start-error';

/** File of the sealed values in the directory of the secrets. */
export const SEALED_FILE = 'sealed.sqlite';

const LOCK_FILE = 'muster.lock';
const HOLDER_FILE = 'muster.lock.json';
const PROBE_FILE = '.muster-write-probe';

/** The process that locks a data directory. The error of a second process contains these values. */
const HOLDER = Type.Object({
  pid: Type.Integer(),
  program: Type.String(),
  host: Type.String(),
  startedAt: Type.String(),
  /** Changes with every boot of the machine. */
  bootId: Type.String(),
});
type Holder = Static<typeof HOLDER>;
const readHolder = createJsonReader(HOLDER, { name: 'the holder of the data directory' });

/**
 * Creates the data directory, checks that it is writable, and locks it until the process ends. The embedded profile locks it
 * alone; services that run alone share it with each other.
 * @throws StartError `dataDirectory` when it is not writable or another process has locked it
 */
export function lockDataDirectory(directory: string, program: string, mode: 'exclusive' | 'shared'): FileLock {
  const holder: Holder = {
    pid: process.pid,
    program,
    host: hostname(),
    startedAt: new Date(Date.now() - process.uptime() * 1_000).toISOString(),
    bootId: readText('/proc/sys/kernel/random/boot_id'),
  };
  let lock: FileLock | undefined;
  try {
    createDirectory(directory, 0o700);
    writeFileSync(join(directory, PROBE_FILE), '');
    rmSync(join(directory, PROBE_FILE), { force: true });
    lock = lockFile(join(directory, LOCK_FILE), mode);
    if (lock) writeFileSync(join(directory, HOLDER_FILE), `${JSON.stringify(holder)}\n`, { mode: 0o600 });
  } catch (error) {
    lock?.release();
    const remedy = isFullDisk(error) ? 'Free disk space' : 'Change the owner or permissions of it and its files';
    throw new StartError(
      'dataDirectory',
      `The data directory ${directory} is not writable: ${errorMessage(error).replace(/\.$/, '')}. ${remedy}, or set MUSTER_DATA_DIRECTORY.`,
      { cause: error },
    );
  }
  if (!lock) throw new StartError('dataDirectory', lockedText(directory));
  return lock;
}

/**
 * These services cache decisions or commit read models. A second process would overwrite the data of the first: validation would store
 * older outcomes over newer ones.
 */
const ONE_REPLICA: readonly string[] = ['events', 'ignition', 'registration', 'validation'];
/** It appends no events. */
const WITHOUT_EVENTS = 'gateway';

/**
 * Locks a service that may run once with this data directory. With the SQLite file, every service that appends events relies on
 * its cached aggregates. Returns undefined for a service that may have more replicas.
 * @throws StartError `dataDirectory` when the service already runs
 */
export function lockService(directory: string, name: string, hasSqliteStore: boolean): FileLock | undefined {
  const isAlone = ONE_REPLICA.includes(name);
  if (!isAlone && (!hasSqliteStore || name === WITHOUT_EVENTS)) return undefined;
  const lock = lockFile(join(directory, `service-${name}.lock`), 'exclusive');
  if (lock) return lock;
  const rule = isAlone
    ? `Only one replica of ${name} may run.`
    : `With the SQLite event store, only one process of ${name} may run. Set EVENTSTORE_URL for more replicas.`;
  throw new StartError(
    'dataDirectory',
    `Another process runs ${name} with the data directory ${directory}. ${rule} Stop one of the two.`,
  );
}

function lockedText(directory: string): string {
  const advice = 'Stop that process, or set MUSTER_DATA_DIRECTORY to another directory.';
  try {
    const { pid, program, host, startedAt, bootId } = readHolder(readText(join(directory, HOLDER_FILE)));
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

const SCOPE = 'muster-installation';
const NAME = 'identity';
const RECORD_AGAIN_MS = 5_000;

/**
 * The identity of an installation. It is sealed in every data directory. Opening it proves that the master key, the
 * secrets and the event store belong together.
 */
const IDENTITY = Type.Object({
  createdAt: Type.String(),
  /** Id of the first event of the store; empty while the store has none. */
  firstEventId: Type.String(),
  /** Whether the read models and the object store carry the id too. */
  isMarked: Type.Optional(Type.Boolean()),
});
type Identity = Static<typeof IDENTITY>;
const readIdentity = createJsonReader(IDENTITY, { name: 'the identity of the installation' });

/** The id of the event store, stored in the read models and as a body in the object store. */
const MARKS = collectionOf<{ readonly store_id: string }>('installation');
const MARK_KEY = 'event-store';
/** Belongs to the first event: read models that are kept in the data directory are rebuilt with another store. */
export const MARKS_FOLD: SavedFold = { name: MARKS, version: 1, tables: [{ name: MARKS, fields: [], indexes: [] }] };
const MARK_BYTES_MAX = 1_024;
const markBody = (storeId: string): Buffer => Buffer.from(`event store ${storeId}\n`);

/**
 * Refuses a data directory with secrets but without the master key, for which a new key would be created.
 * @throws StartError `dataDirectory`
 */
export async function requireMasterKey(masterKeyFile: string, secretsDirectory: string): Promise<void> {
  const scopes = await readdir(join(secretsDirectory, 'scopes')).catch((): string[] => []);
  // The file is created after the master key.
  const hasSecrets = scopes.length > 0 || existsSync(join(secretsDirectory, SEALED_FILE));
  if (hasSecrets && !existsSync(masterKeyFile))
    throw new StartError(
      'dataDirectory',
      `The master key ${masterKeyFile} is missing, and ${secretsDirectory} contains secrets that only it opens. Restore it from a backup, or set MUSTER_MASTER_KEY_FILE.`,
    );
}

/**
 * Checks that the master key, the secrets and the event store belong together, and seals their identity at the first start.
 * `stop` ends the wait for the first event of a new store.
 * @throws StartError `dataDirectory` with what is missing or does not match
 */
export async function checkIdentity(options: {
  readonly secrets: Secrets;
  readonly eventStore: EventStore;
  readonly readModels: ReadModels;
  readonly objectStore: ObjectStore;
  readonly masterKeyFile: string;
  readonly dataDirectory: string;
  /** Accepts a store without a matching identity and seals a new one. */
  readonly acceptsStore: boolean;
  /** Whether the identity is sealed and stored; otherwise it is only checked. */
  readonly isRecorded: boolean;
}): Promise<{ stop(): Promise<void> }> {
  const { secrets, eventStore, readModels, objectStore, masterKeyFile, dataDirectory, acceptsStore } = options;
  // Services that start together share the store and the secrets. Each seals the identity before it appends, and
  // records an event after it was appended.
  const firstSeen = await firstEventIdOf(eventStore);
  const sealed = await openIdentity(secrets, masterKeyFile, dataDirectory);
  const firstEventId = firstSeen === '' && sealed?.firstEventId ? await firstEventIdOf(eventStore) : firstSeen;
  if (!acceptsStore) {
    refuseMismatch(sealed, firstEventId, dataDirectory);
    await refuseForeignModels(readModels, firstEventId);
    if (sealed?.isMarked) await refuseForeignObjects(objectStore, firstEventId);
  }
  if (!options.isRecorded) return { stop: () => Promise.resolve() };
  // The marks are stored before they are recorded, so a crash in between does not cause a refusal.
  if (firstEventId !== '') await mark(options, firstEventId);
  const identity: Identity = {
    createdAt: sealed?.createdAt ?? new Date().toISOString(),
    firstEventId,
    isMarked: firstEventId !== '',
  };
  const seal = (value: Identity): Promise<void> => secrets.seal(SCOPE, NAME, Buffer.from(JSON.stringify(value)));
  if (!sealed || sealed.firstEventId !== firstEventId || sealed.isMarked !== identity.isMarked) await seal(identity);
  if (firstEventId !== '') return { stop: () => Promise.resolve() };

  const record = async (): Promise<boolean> => {
    const id = await firstEventIdOf(eventStore);
    if (id !== '') {
      await mark(options, id);
      await seal({ ...identity, firstEventId: id, isMarked: true });
    }
    return id !== '';
  };
  const timer = setInterval(
    () =>
      void record().then(
        (isRecorded) => isRecorded && clearInterval(timer),
        () => undefined,
      ),
    RECORD_AGAIN_MS,
  ).unref();
  return {
    stop: async () => {
      clearInterval(timer);
      await record().catch(() => undefined);
    },
  };
}

async function mark(
  { readModels, objectStore, eventStore }: Pick<Platform, 'readModels' | 'objectStore' | 'eventStore'>,
  storeId: string,
): Promise<void> {
  const found = await readModels.get(MARKS, MARK_KEY);
  if (found?.store_id !== storeId) {
    const change = putOrRemove(MARKS, MARK_KEY, { store_id: storeId });
    await readModels.commit(MARKS, (await readModels.checkpoint(MARKS)) + 1, [change], await firstEventOf(eventStore));
  }
  await objectStore.put(markBody(storeId), MARK_BYTES_MAX);
}

/** Read models without a mark are new or empty. The projections fill them again. */
async function refuseForeignModels(readModels: ReadModels, storeId: string): Promise<void> {
  const found = await readModels.get(MARKS, MARK_KEY);
  if (!found || found.store_id === storeId) return;
  throw new StartError(
    'dataDirectory',
    `The read models in MongoDB (MONGODB_URL) belong to the event store ${found.store_id}, but the event store is ${storeId || 'empty'}. Use the database of this installation, or an empty one. MUSTER_ACCEPT_STORE=true starts without the check.`,
  );
}

async function refuseForeignObjects(objectStore: ObjectStore, storeId: string): Promise<void> {
  const digest = `sha256:${createHash('sha256').update(markBody(storeId)).digest('hex')}`;
  if (await objectStore.get(digest)) return;
  throw new StartError(
    'dataDirectory',
    `The object store (MINIO_URL, or objects.sqlite and the directory objects) does not contain the bodies of the event store ${storeId}: it was emptied or belongs to another installation. Restore it from the same backup. MUSTER_ACCEPT_STORE=true starts without the check.`,
  );
}

/** @throws StartError `dataDirectory` when the master key does not open the secrets */
export async function openIdentity(
  secrets: Secrets,
  masterKeyFile: string,
  dataDirectory: string,
): Promise<Identity | undefined> {
  try {
    const sealed = await secrets.open(SCOPE, NAME);
    return sealed && readIdentity(sealed.toString());
  } catch (error) {
    if (error instanceof DatabaseUnusable) throw error;
    throw new StartError(
      'dataDirectory',
      `The master key ${masterKeyFile} does not open the secrets of ${dataDirectory}: one of them was replaced. Restore both from the same backup.`,
      { cause: error },
    );
  }
}

/** @throws StartError `dataDirectory` when the secrets and the event store do not belong together */
export function refuseMismatch(sealed: Identity | undefined, firstEventId: string, dataDirectory: string): void {
  const advice = `Restore the event store and ${dataDirectory} from the same backup. MUSTER_ACCEPT_STORE=true starts without the check.`;
  if (!sealed && firstEventId !== '')
    throw new StartError(
      'dataDirectory',
      `The event store has events, but the secrets in ${dataDirectory} are new or missing. ${advice}`,
    );
  if (!sealed || sealed.firstEventId === '' || sealed.firstEventId === firstEventId) return;
  const state = firstEventId === '' ? 'is empty' : 'belongs to another installation';
  throw new StartError(
    'dataDirectory',
    `The event store ${state}, but ${dataDirectory} belongs to an installation with events. ${advice}`,
  );
}

async function firstEventOf(eventStore: EventStore): Promise<RecordedEvent | undefined> {
  for await (const [first] of eventStore.readAll(START_OF_STORE)) return first;
  return undefined;
}

const firstEventIdOf = async (eventStore: EventStore): Promise<string> => (await firstEventOf(eventStore))?.id ?? '';
