import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join } from 'node:path';
import {
  filesystemObjectAreas,
  filesystemObjectStore,
  filesystemSealedStorage,
  sealedSecrets,
} from '@muster/adapter-filesystem';
import {
  connectNatsRequests,
  type NatsRequestsOptions,
  type NatsStatus,
  SERVICE_PING_INTERVAL_MS,
} from '@muster/adapter-nats';
import {
  type FileLock,
  lockFile,
  sqliteEventStore,
  type SqliteWriter,
  sqliteSealedStorage,
  sqliteSmallObjects,
  sqliteStateStore,
  writerHere,
  writerThread,
} from '@muster/adapter-sqlite';
import { keptReadModels, SAVE_LIMITS, SavedStates } from '@muster/event-sourcing';
import { type Environment, type Platform, readFileSetting, SettingsReader } from '@muster/nest-kit';
import {
  type EventStore,
  type ReadModels,
  type Requests,
  type SealedStorage,
  type Secrets,
  throwOutside,
} from '@muster/ports';
import { errorMessage } from '@muster/schema';
import { READ_MODEL_FOLDS } from '@muster/service-events';
import { checkBusAccess, presentCredentials } from './bus-access';
import { checkIdentity, MARKS_FOLD, requireMasterKey, SEALED_FILE } from './data-directory';
import { answerLocally, lossyRequests } from './local-requests';
import { Outage, watchEventStore, watchObjectAreas } from './outages';
import { busProbe, diskProbe, storeProbe } from './probes';
import { fileFailure, reach, StartError } from './start-error';
import { coresOf } from './threads';

/** A projection that does not exist. Reading it shows whether the server answers. */
const PROBED_PROJECTION = 'probe';
const ABSENT_DIGEST = `sha256:${'0'.repeat(64)}`;

export interface OpenPlatform extends Platform {
  /** The process ends: requests no longer wait for a server that is not available. */
  giveUp(): void;
  /** Closes everything that was opened, the bus last. */
  close(): Promise<void>;
}

export interface PlatformOptions {
  readonly environment: Environment;
  readonly dataDirectory: string;
  readonly natsUrl: string;
  /** Text of a credentials file. */
  readonly natsCredentials?: string;
  /** Whether the bus is the child process of Muster. @default false */
  readonly isChildBus?: boolean;
  readonly name: string;
  readonly warn: (text: string) => void;
  /**
   * Whether the platform acts for the whole process: it stores the identity of the installation and reports outages of servers.
   * @default true
   */
  readonly isPrimary?: boolean;
}

/**
 * Selects all adapters. A setting with the address of a server selects that server. Without it, the platform uses a
 * file, a directory or memory of this machine. The profiles differ only in their settings.
 */
export async function openPlatform(options: PlatformOptions): Promise<OpenPlatform> {
  const { environment, dataDirectory, isPrimary = true } = options;
  const report = isPrimary ? options.warn : () => undefined;
  await mkdir(dataDirectory, { recursive: true, mode: 0o700 });
  const settings = new SettingsReader(environment);
  const reaching = { waitMs: settings.get('MUSTER_START_WAIT'), report };
  const openWriter = coresOf(settings) > 1 ? writerThread : writerHere;
  const writer = openWriter();
  const opened = await reach(() => openEventStore(settings, dataDirectory, writer), {
    ...reaching,
    setting: 'EVENTSTORE_URL',
  });
  const storeOutage = new Outage({
    part: 'event store',
    setting: 'EVENTSTORE_URL',
    report,
    check: () => opened.head(),
  });
  // Only a server can become unavailable. Files and memory of this process are used directly.
  const watchedStore = settings.get('EVENTSTORE_URL') ? watchEventStore(opened, storeOutage) : opened;
  const { store: eventStore, probe } = storeProbe(watchedStore, storeOutage);
  const { states, close: closeStates } = openSavedStates(eventStore, settings, options, openWriter());
  const openedModels = await reach(() => openReadModels(settings, states), { ...reaching, setting: 'MONGODB_URL' });
  const modelsOutage = new Outage({
    part: 'read models',
    setting: 'MONGODB_URL',
    report,
    check: () => openedModels.checkpoint(PROBED_PROJECTION),
  });
  const readModels = settings.get('MONGODB_URL') ? modelsOutage.watch(openedModels) : openedModels;
  const {
    objectStore: openedObjects,
    logs: openedLogs,
    close: closeObjects,
  } = await reach(() => openObjectStores(settings, dataDirectory, writer), {
    ...reaching,
    setting: 'MINIO_URL',
  });
  const objectsOutage = new Outage({
    part: 'object store',
    setting: 'MINIO_URL',
    report,
    check: () => openedObjects.get(ABSENT_DIGEST),
  });
  const isRemote = Boolean(settings.get('MINIO_URL'));
  const objectStore = isRemote ? objectsOutage.watch(openedObjects) : openedObjects;
  const logs = isRemote ? watchObjectAreas(openedLogs, objectsOutage) : openedLogs;
  const masterKeyFile = settings.get('MUSTER_MASTER_KEY_FILE') ?? join(dataDirectory, 'master.key');
  const { secrets, close: closeSecrets } = await openSecrets(settings, dataDirectory, masterKeyFile, writer);
  const acceptsStore = settings.get('MUSTER_ACCEPT_STORE');
  const installation = { secrets, eventStore, readModels, objectStore, masterKeyFile, dataDirectory };
  const identity = await reach(() => checkIdentity({ ...installation, acceptsStore, isRecorded: isPrimary }), reaching);
  const busOutage = new Outage({ part: 'bus', setting: 'NATS_URL', report });
  const connection: NatsRequestsOptions = {
    servers: options.natsUrl,
    name: options.name,
    credentials: presentCredentials(settings, options),
    caPem: readFileSetting(settings, 'NATS_CA_FILE'),
    pingIntervalMs: SERVICE_PING_INTERVAL_MS,
    onHandlerError: (subject, error) => options.warn(`${subject}: ${String(error)}`),
  };
  const onStatus = (status: NatsStatus): void => {
    if (status.kind === 'connected') busOutage.answered();
    else if (status.kind === 'disconnected')
      busOutage.failed({ server: `NATS at ${status.server}`, reason: 'the connection broke' });
  };
  const nats = await reach(() => connectNatsRequests({ ...connection, onStatus }), {
    ...reaching,
    setting: 'NATS_URL',
  });
  checkBusAccess(settings, { ...nats, isChild: options.isChildBus }, report);
  const live = await reach(() => connectNatsRequests({ ...connection, name: `${options.name} live`, echo: false }), {
    ...reaching,
    setting: 'NATS_URL',
  });
  const local = answerLocally({ requests: nats, live }, (subject, error) =>
    options.warn(`${subject}: ${String(error)}`),
  );
  const outages = [storeOutage, modelsOutage, objectsOutage, busOutage];
  const lostShare = settings.get('MUSTER_LOSE_MESSAGES_PERCENT') / 100;
  const requests: Requests =
    lostShare > 0 ? lossyRequests(local, lostShare, settings.get('MUSTER_LOSE_MESSAGES_SEED')) : local;

  return {
    eventStore,
    readModels,
    states,
    objectStore,
    logs,
    secrets,
    requests: { ...requests, abandoned: () => busOutage.commandFailed() },
    clock: { nowMs: () => Date.now() },
    ids: { uuid: () => randomUUID() },
    environment,
    probes: [
      busProbe(nats, busOutage),
      probe,
      modelsOutage.probe,
      objectsOutage.probe,
      diskProbe(dataDirectory, settings.get('MUSTER_DISK_RESERVE')),
    ],
    onCommandFailed: ({ server }) => {
      for (const outage of outages) outage.commandFailed(server);
    },
    // Hosts cannot poll without the bus, and not report without the event store.
    reachableSinceMs: () => Math.max(busOutage.availableSinceMs, storeOutage.availableSinceMs),
    giveUp: () => outages.forEach((outage) => outage.giveUp()),
    close: async () => {
      for (const outage of outages) outage.close();
      await identity.stop();
      await closeStates();
      await eventStore.close();
      await readModels.close();
      await requests.close();
      await closeObjects();
      await closeSecrets();
      await writer.close();
    },
  };
}

async function openEventStore(
  settings: SettingsReader,
  dataDirectory: string,
  writer: SqliteWriter,
): Promise<EventStore> {
  const url = settings.get('EVENTSTORE_URL');
  // Each service that appends to the file runs once, see `lockService`.
  if (!url) return sqliteEventStore({ file: join(dataDirectory, 'events.sqlite'), isSoleWriter: true, writer });
  // Loaded on demand, because the embedded profile does not need this client.
  const { eventStoreDbEventStore } = await import('@muster/adapter-eventstoredb');
  const store = eventStoreDbEventStore({ url });
  // The client connects at its first request.
  await store.head();
  return store;
}

/**
 * Sealed values are in a SQLite file where the event store is one. Otherwise services may run on several machines with a
 * shared directory, and the values are files.
 * @throws StartError `dataDirectory` when the master key is missing or cannot be used
 */
async function openSecrets(
  settings: SettingsReader,
  dataDirectory: string,
  masterKeyFile: string,
  writer: SqliteWriter,
): Promise<{ readonly secrets: Secrets; close(): Promise<void> }> {
  const directory = join(dataDirectory, 'secrets');
  await requireMasterKey(masterKeyFile, directory);
  let close = async (): Promise<void> => undefined;
  const openFile = async (): Promise<SealedStorage> => {
    await mkdir(directory, { recursive: true, mode: 0o700 });
    const storage = sqliteSealedStorage(join(directory, SEALED_FILE), writer);
    close = () => storage.close();
    return storage;
  };
  const openStorage = settings.get('EVENTSTORE_URL') ? () => filesystemSealedStorage(directory) : openFile;
  try {
    const secrets = await sealedSecrets({ masterKeyFile, openStorage });
    return { secrets, close: () => close() };
  } catch (error) {
    throw new StartError('dataDirectory', fileFailure(error) ?? errorMessage(error), { cause: error });
  }
}

/** A large save must not delay appends, so it has a writer of its own. Processes of one service that share a data directory have a file each, which is found again as long as they are as many. */
function openSavedStates(
  eventStore: EventStore,
  settings: SettingsReader,
  { dataDirectory, name, warn }: { dataDirectory: string; name: string; warn: (text: string) => void },
  writer: SqliteWriter,
): { readonly states: SavedStates; close(): Promise<void> } {
  let [lock, file]: [FileLock | undefined, string] = [undefined, ''];
  for (let number = 1; !lock; number += 1) {
    file = join(dataDirectory, `state-${name}-${number}.sqlite`);
    lock = lockFile(`${file}.lock`, 'exclusive');
  }
  const store = sqliteStateStore({
    file,
    writer,
    onDiscarded: (reason) => warn(`The saved state is rebuilt from the events: ${reason}`),
    onDamaged: throwOutside,
  });
  const states = new SavedStates(store, eventStore, (error) => warn(`The state was not saved: ${error.message}`), {
    ...SAVE_LIMITS,
    intervalMs: settings.get('MUSTER_SAVE_INTERVAL_SECONDS') * 1_000,
  });
  const { release } = lock;
  const close = async (): Promise<void> => {
    await states.close();
    await writer.close();
    release();
  };
  return { states, close };
}

/** Returns the read models of MongoDB, or those that are kept in the saved states of this process. */
async function openReadModels(settings: SettingsReader, states: SavedStates): Promise<ReadModels> {
  const url = settings.get('MONGODB_URL');
  if (!url) return keptReadModels(states, [...READ_MODEL_FOLDS, MARKS_FOLD]);
  const { mongodbReadModels } = await import('@muster/adapter-mongodb');
  return mongodbReadModels({ url, folds: READ_MODEL_FOLDS, isStored: (last) => states.isInStore(last) });
}

export async function openObjectStores(
  settings: SettingsReader,
  dataDirectory: string,
  writer: SqliteWriter,
): Promise<Pick<Platform, 'objectStore' | 'logs'> & { close(): Promise<void> }> {
  const url = settings.get('MINIO_URL');
  if (!url) {
    const others = await filesystemObjectStore({ directory: join(dataDirectory, 'objects') });
    const objectStore = sqliteSmallObjects({ file: join(dataDirectory, 'objects.sqlite'), others, writer });
    const logs = filesystemObjectAreas({ directory: join(dataDirectory, 'logs') });
    await mkdir(join(dataDirectory, 'logs'), { recursive: true, mode: 0o700 });
    return { objectStore, logs, close: () => objectStore.close() };
  }
  const { minioObjectAreas, minioObjectStore } = await import('@muster/adapter-minio');
  const [objectStore, logs] = [await minioObjectStore({ url }), await minioObjectAreas({ url, prefix: 'logs/' })];
  return { objectStore, logs, close: async () => undefined };
}
