import { cpSync, existsSync, mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesystemSecrets, sealedSecrets } from '@muster/adapter-filesystem';
import { inMemoryEventStore, inMemoryObjectStore, inMemoryReadModels } from '@muster/adapter-in-memory';
import { sqliteSealedStorage } from '@muster/adapter-sqlite';
import { SettingsReader } from '@muster/nest-kit';
import type { EventStore, ObjectStore, ReadModels } from '@muster/ports';
import { eventToAppend, temporaryDirectory, type TemporaryDirectory } from '@muster/testing';
import { ConsoleLogger } from '@nestjs/common';
import { checkIdentity, lockDataDirectory, lockService, requireMasterKey, SEALED_FILE } from './data-directory';
import { startAlone } from './embedded';
import { SERVICES } from './services';
import { describeFailure, StartError } from './start-error';

describe('the data directory', () => {
  let directory: TemporaryDirectory;
  beforeEach(() => {
    directory = temporaryDirectory();
  });
  afterEach(() => directory.remove());

  it('admits one embedded process, and names it to a second one', () => {
    const lock = lockDataDirectory(directory.path, 'all services', 'exclusive');
    const second = (): unknown => lockDataDirectory(directory.path, 'all services', 'exclusive');
    expect(second).toThrow(StartError);
    expect(second).toThrow(new RegExp(`in use by process ${process.pid} \\(all services\\).*MUSTER_DATA_DIRECTORY`));
    lock.release();
    lockDataDirectory(directory.path, 'all services', 'exclusive').release();
  });

  it('is shared by services that run alone, but not with an embedded process', () => {
    const locks = ['events', 'gateway'].map((name) => lockDataDirectory(directory.path, name, 'shared'));
    expect(() => lockDataDirectory(directory.path, 'all services', 'exclusive')).toThrow(/in use by process/);
    locks.forEach((lock) => lock.release());
  });

  it('admits one process of a service that must not have replicas', () => {
    const lock = (name: string, hasSqliteStore: boolean) => lockService(directory.path, name, hasSqliteStore);
    for (const name of ['events', 'ignition', 'registration', 'validation']) {
      const first = lock(name, false);
      expect(() => lock(name, false)).toThrow(StartError);
      expect(() => lock(name, false)).toThrow(`Only one replica of ${name} may run.`);
      first?.release();
      lock(name, false)?.release();
    }
    for (const name of ['inventory', 'image', 'gateway']) expect(lock(name, false)).toBeUndefined();
  });

  it('admits one process of each service that appends to the SQLite file', () => {
    const locks = Object.keys(SERVICES).map((name) => ({ name, lock: lockService(directory.path, name, true) }));
    expect(locks.filter(({ lock }) => !lock).map(({ name }) => name)).toEqual(['gateway']);
    const second = (): unknown => lockService(directory.path, 'inventory', true);
    expect(second).toThrow(/Another process runs inventory .* Set EVENTSTORE_URL for more replicas\./);
    for (const { lock } of locks) lock?.release();
  });

  it.each(['secrets', 'logs'])('names a file in place of the directory %s, with its remedy', async (name) => {
    const path = join(directory.path, name);
    writeFileSync(path, '');
    // Without the refusal, the start ends because there is no server of the bus.
    const settings = { NATS_URL: 'nats://127.0.0.1:1', MUSTER_START_WAIT: '1s' };
    const environment = { MUSTER_DATA_DIRECTORY: directory.path, ...settings };
    const error: unknown = await startAlone('inventory', environment, new ConsoleLogger()).catch((one: unknown) => one);
    const { lines, reason } = describeFailure(error, new SettingsReader(environment));
    expect({ lines, reason }).toEqual({
      lines: [
        `A file cannot be used: EEXIST: file already exists, mkdir '${path}'. Correct the setting with this path, and start again.`,
      ],
      reason: 'dataDirectory',
    });
  });

  it('refuses the second process of a service before it opens anything', async () => {
    const lock = lockService(directory.path, 'validation', true);
    const environment = { MUSTER_DATA_DIRECTORY: directory.path, NATS_URL: 'nats://127.0.0.1:1' };
    const second = startAlone('validation', environment, new ConsoleLogger());
    await expect(second).rejects.toThrow('Another process runs validation');
    expect(existsSync(join(directory.path, 'events.sqlite'))).toBe(false);
    lock?.release();
  });

  it('has to be writable', () => {
    const file = join(directory.path, 'file');
    writeFileSync(file, '');
    expect(() => lockDataDirectory(join(file, 'data'), 'all services', 'exclusive')).toThrow(
      /is not writable.*MUSTER_DATA_DIRECTORY/,
    );
  });

  it('fails where the system creates no directories', () => {
    const lock = (): unknown => lockDataDirectory('/proc/muster/data', 'all services', 'exclusive');
    expect(lock).toThrow(StartError);
    expect(lock).toThrow(/\/proc\/muster\/data is not writable: ENOENT.*MUSTER_DATA_DIRECTORY/);
  });

  it.each(['muster.lock', 'muster.lock.json'])('has to be writable for %s', (file) => {
    const path = join(directory.path, file);
    mkdirSync(path);
    const lock = () => lockDataDirectory(directory.path, 'all services', 'exclusive');
    expect(lock).toThrow(StartError);
    expect(lock).toThrow(/is not writable.*owner or permissions.*MUSTER_DATA_DIRECTORY/);
    rmSync(path, { recursive: true });
    lock().release();
  });
});

describe('the identity of an installation', () => {
  let directory: TemporaryDirectory;
  beforeEach(() => {
    directory = temporaryDirectory();
  });
  afterEach(() => directory.remove());

  interface Places {
    readonly readModels: ReadModels;
    readonly objectStore: ObjectStore;
  }
  let keptObjects: ObjectStore;
  beforeEach(() => {
    keptObjects = inMemoryObjectStore();
  });
  const keyFile = (): string => join(directory.path, 'master.key');
  const start = async (
    eventStore: EventStore,
    acceptsStore = false,
    { readModels = inMemoryReadModels(), objectStore = keptObjects }: Partial<Places> = {},
    isRecorded = true,
  ): Promise<void> => {
    await requireMasterKey(keyFile(), join(directory.path, 'secrets'));
    const secrets = await filesystemSecrets({ directory: join(directory.path, 'secrets'), masterKeyFile: keyFile() });
    const identity = await checkIdentity({
      secrets,
      eventStore,
      readModels,
      objectStore,
      masterKeyFile: keyFile(),
      dataDirectory: directory.path,
      acceptsStore,
      isRecorded,
    });
    await identity.stop();
  };
  const storeWithEvents = async (): Promise<EventStore> => {
    const store = inMemoryEventStore();
    await store.append('note-1', -1, [eventToAppend()]);
    return store;
  };

  it('is sealed at the first start and accepted afterwards', async () => {
    const store = inMemoryEventStore();
    await start(store);
    await start(store);
    await store.append('note-1', -1, [eventToAppend()]);
    await start(store);
    await start(store);
  });

  it('is refused without the master key, and no new key is created', async () => {
    await start(await storeWithEvents(), true);
    rmSync(keyFile());
    await expect(start(await storeWithEvents())).rejects.toThrow(/master key .*master\.key is missing/);
  });

  it('is refused without the master key when the secrets are in one file', async () => {
    const secrets = join(directory.path, 'secrets');
    mkdirSync(secrets);
    const storage = sqliteSealedStorage(join(secrets, SEALED_FILE));
    await expect(requireMasterKey(keyFile(), secrets)).rejects.toThrow(/master key .*master\.key is missing/);
    await sealedSecrets({ masterKeyFile: keyFile(), openStorage: () => storage });
    await expect(requireMasterKey(keyFile(), secrets)).resolves.toBeUndefined();
    await storage.close();
  });

  it('is not stored by a platform that is not primary', async () => {
    const store = await storeWithEvents();
    await start(store, true, {}, false);
    await expect(start(store)).rejects.toThrow(/secrets .* are new or missing/);
  });

  it('refuses the master key of another installation', async () => {
    const store = await storeWithEvents();
    await start(store, true);
    const other = temporaryDirectory();
    await filesystemSecrets({ directory: join(other.path, 'secrets'), masterKeyFile: join(other.path, 'master.key') });
    rmSync(keyFile());
    cpSync(join(other.path, 'master.key'), keyFile());
    other.remove();
    await expect(start(store)).rejects.toThrow(/does not open the secrets/);
  });

  it.each<[string, () => Promise<EventStore>, RegExp]>([
    ['an empty store', () => Promise.resolve(inMemoryEventStore()), /event store is empty/],
    ['the store of another installation', storeWithEvents, /belongs to another installation/],
  ])('refuses %s unless MUSTER_ACCEPT_STORE is true', async (_, otherStore, reason) => {
    await start(await storeWithEvents(), true);
    const other = await otherStore();
    await expect(start(other)).rejects.toThrow(reason);
    await start(other, true);
  });

  it('refuses a store with events when the secrets are new', async () => {
    await expect(start(await storeWithEvents())).rejects.toThrow(/secrets in .* are new or missing/);
  });

  it('refuses the read models of another installation with the name of the setting', async () => {
    const [mine, other] = [await storeWithEvents(), await storeWithEvents()];
    const readModels = inMemoryReadModels();
    await start(mine, true, { readModels });
    await start(mine, false, { readModels });
    const secondDirectory = directory;
    directory = temporaryDirectory();
    await start(other, true, { readModels: inMemoryReadModels() });
    await expect(start(other, false, { readModels })).rejects.toThrow(
      /read models in MongoDB \(MONGODB_URL\) belong to/,
    );
    await start(other, true, { readModels });
    await start(other, false, { readModels });
    secondDirectory.remove();
  });

  it('accepts empty read models, because the projections fill them again', async () => {
    const store = await storeWithEvents();
    await start(store, true);
    await start(store, false, { readModels: inMemoryReadModels() });
  });

  it('refuses an object store that is empty or belongs to another installation', async () => {
    const store = await storeWithEvents();
    await start(store, true);
    const replaced = { objectStore: inMemoryObjectStore() };
    await expect(start(store, false, replaced)).rejects.toThrow(
      /object store \(MINIO_URL.*emptied or belongs to another/,
    );
    await start(store, true, replaced);
    await start(store, false, replaced);
  });

  it('stores the id with the first event of a new store', async () => {
    const store = inMemoryEventStore();
    await start(store);
    await store.append('note-1', -1, [eventToAppend()]);
    await start(store);
    await expect(start(store, false, { objectStore: inMemoryObjectStore() })).rejects.toThrow(/object store/);
  });
});
