import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import {
  type EventPlace,
  type ReadModelChange,
  type ReadModels,
  type SavedFold,
  START_OF_STORE,
  Unavailable,
} from '@muster/ports';
import { eventually, needsServer, readModelsContract, startTcpProxy, type TcpProxy } from '@muster/testing';
import { Collection, MongoClient } from 'mongodb';
import { mongodbReadModels, type MongodbReadModelsOptions } from './read-models';

const put = (key: string, document: object, collection = 'hosts'): ReadModelChange => ({
  kind: 'put',
  collection,
  key,
  document,
});
const remove = (key: string): ReadModelChange => ({ kind: 'remove', collection: 'hosts', key });

needsServer('MONGODB_URL', 'mongodb://127.0.0.1:27017', 'mongodbReadModels', (url) => {
  const open = async () => {
    const database = `muster_test_${randomUUID().replaceAll('-', '')}`;
    const readModels = await mongodbReadModels({ url, database });
    return {
      database,
      readModels,
      close: async () => {
        await readModels.close();
        const client = await MongoClient.connect(url);
        await client.db(database).dropDatabase();
        await client.close();
      },
    };
  };

  readModelsContract('mongodbReadModels', open);

  describe('of a projection with a version', () => {
    const LAST: EventPlace = { streamId: 'host-1', revision: 4, id: 'event-4' };
    const table = (name: string) => ({ name, fields: [], indexes: [] });
    const folds = (version: number): SavedFold[] => [
      { name: 'views', version, tables: [table('hosts'), table('nothing')] },
      { name: 'journeys', version: 1, tables: [table('clusters')] },
    ];
    let models: Awaited<ReturnType<typeof open>>;
    /** The read models as the next process has them. */
    const restarted = async (options: Partial<MongodbReadModelsOptions> = {}): Promise<ReadModels> => {
      const next = await mongodbReadModels({ url, database: models.database, folds: folds(1), ...options });
      opened.push(next);
      return next;
    };
    const opened: ReadModels[] = [];
    beforeEach(async () => {
      models = await open();
      const first = await restarted();
      expect(await first.resume('views')).toBe(START_OF_STORE);
      await first.commit('views', 7, [put('a', { n: 1 })], LAST);
      await first.commit('journeys', 9, [put('c', { n: 1 }, 'clusters')], LAST);
    });
    afterEach(async () => {
      for (const one of opened.splice(0)) await one.close();
      await models.close();
    });
    const contents = async (of: ReadModels): Promise<unknown[]> => [
      await of.get('hosts', 'a'),
      await of.checkpoint('views'),
      await of.get('clusters', 'c'),
      await of.resume('journeys'),
    ];
    const KEPT = [{ n: 1 }, 7, { n: 1 }, 9];
    const DISCARDED = [undefined, START_OF_STORE, { n: 1 }, 9];

    it('keep its documents when version and last event are the same', async () => {
      const asked: EventPlace[] = [];
      const next = await restarted({ isStored: async (last) => asked.push(last) > 0 });
      expect(await next.resume('views')).toBe(7);
      expect(asked).toEqual([LAST]);
      expect(await contents(next)).toEqual(KEPT);
    });

    it('have no checkpoint for a process of a later version that only reads them', async () => {
      expect(await contents(await restarted({ folds: folds(2) }))).toEqual([{ n: 1 }, START_OF_STORE, { n: 1 }, 9]);
      expect(await contents(await restarted({ folds: folds(0) }))).toEqual(KEPT);
    });

    it('discard its documents for another version', async () => {
      const next = await restarted({ folds: folds(2) });
      expect(await next.resume('views')).toBe(START_OF_STORE);
      expect(await contents(next)).toEqual(DISCARDED);
      await next.commit('views', 3, [put('a', { n: 2 })], LAST);
      expect(await (await restarted({ folds: folds(2) })).resume('views')).toBe(3);
      expect(await (await restarted()).resume('views')).toBe(START_OF_STORE);
    });

    it('has no checkpoint and still its documents when the hook is called', async () => {
      const next = await restarted({ folds: folds(2) });
      const seen: unknown[] = [];
      const tell = async (): Promise<void> =>
        void seen.push(await next.checkpoint('views'), await next.get('hosts', 'a'));
      expect(await next.resume('views', tell)).toBe(START_OF_STORE);
      expect(seen).toEqual([START_OF_STORE, { n: 1 }]);
      await next.commit('views', 3, [], LAST);
      await next.resume('views', tell);
      expect(seen).toHaveLength(2);
    });

    it('discard its documents when the event store does not have the last event', async () => {
      const isStored = async ({ id }: EventPlace): Promise<boolean> => id !== LAST.id;
      const next = await restarted({ isStored });
      expect(await next.resume('views')).toBe(START_OF_STORE);
      expect(await next.get('hosts', 'a')).toBeUndefined();
      // The commit before, which also began at the start of the store, must not return.
      await next.commit('views', 2, [put('b', { n: 2 })]);
      expect(await next.get('hosts', 'a')).toBeUndefined();
      expect(await next.checkpoint('views')).toBe(2);
    });

    it('discard its documents again when a discard was interrupted', async () => {
      const drop = jest.spyOn(Collection.prototype, 'drop').mockRejectedValueOnce(new Error('connection broke'));
      await expect((await restarted({ folds: folds(2) })).resume('views')).rejects.toThrow('connection broke');
      drop.mockRestore();
      const next = await restarted();
      expect(await next.resume('views')).toBe(START_OF_STORE);
      expect(await contents(next)).toEqual(DISCARDED);
    });
  });

  describe('whose commit is interrupted', () => {
    let models: Awaited<ReturnType<typeof open>>;
    beforeEach(async () => {
      models = await open();
      await models.readModels.commit('hosts', 1, [put('a', { n: 1 }), put('c', { hosts: 1 }, 'clusters')]);
    });
    afterEach(async () => {
      jest.restoreAllMocks();
      await models.close();
    });
    /** The next write of this kind to the collection fails. */
    const failOnce = (name: string, method: 'bulkWrite' | 'replaceOne' | 'updateOne', isFailing = () => true): void => {
      const real: (...given: unknown[]) => Promise<unknown> = Collection.prototype[method] as never;
      let fails = true;
      jest.spyOn(Collection.prototype, method).mockImplementation(function (this: Collection, ...given: unknown[]) {
        if (this.collectionName !== name || !fails || !isFailing()) return real.apply(this, given);
        fails = false;
        throw new Error('connection broke');
      } as never);
    };
    const CHANGES = [put('a', { n: 2 }), remove('b'), put('c', { hosts: 2 }, 'clusters'), put('a', { n: 3 })];
    const documents = async (): Promise<unknown[]> => [
      await models.readModels.get('hosts', 'a'),
      await models.readModels.get('clusters', 'c'),
      await models.readModels.checkpoint('hosts'),
    ];

    it.each([
      ['its second collection', 'model_clusters', 'bulkWrite', [{ n: 3 }, { hosts: 1 }, 1]],
      ['its checkpoint', 'checkpoints', 'updateOne', [{ n: 3 }, { hosts: 2 }, 1]],
    ] as const)('complete it as it was, before %s', async (_, name, method, half) => {
      failOnce(name, method);
      await expect(models.readModels.commit('hosts', 7, CHANGES)).rejects.toThrow('connection broke');
      expect(await documents()).toEqual(half);
      expect(await models.readModels.resume('hosts')).toBe(7);
      expect(await documents()).toEqual([{ n: 3 }, { hosts: 2 }, 7]);
    });

    it('complete it before the next commit', async () => {
      failOnce('model_clusters', 'bulkWrite');
      await expect(models.readModels.commit('hosts', 7, CHANGES)).rejects.toThrow('connection broke');
      await models.readModels.commit('hosts', 7, [put('a', { n: 99 })]);
      expect(await documents()).toEqual([{ n: 3 }, { hosts: 2 }, 7]);
      await models.readModels.commit('hosts', 8, [put('a', { n: 4 })]);
      expect(await documents()).toEqual([{ n: 4 }, { hosts: 2 }, 8]);
    });

    it('refuse a commit when the server has lost an earlier one', async () => {
      await models.readModels.commit('hosts', 7, [put('a', { n: 2 })]);
      const client = await MongoClient.connect(url);
      await client.db(models.database).dropDatabase();
      await client.close();
      const next = models.readModels.commit('hosts', 8, [put('b', { n: 1 })]);
      await expect(next).rejects.toThrow('lost documents of the projection hosts');
      expect(await models.readModels.checkpoint('hosts')).toBe(START_OF_STORE);
      expect(await models.readModels.get('hosts', 'b')).toBeUndefined();
    });

    it('have no change of a commit whose changes were not stored, or not completely', async () => {
      const text = 'x'.repeat(5 * 1024 * 1024);
      const large = ['d', 'e', 'f'].map((key) => put(key, { text }));
      let parts = 0;
      failOnce('pending', 'replaceOne', () => (parts += 1) === 3);
      await expect(models.readModels.commit('hosts', 7, [...large, ...CHANGES])).rejects.toThrow('connection broke');
      expect(await models.readModels.resume('hosts')).toBe(1);
      expect(await documents()).toEqual([{ n: 1 }, { hosts: 1 }, 1]);
      await models.readModels.commit('hosts', 7, CHANGES);
      expect(await documents()).toEqual([{ n: 3 }, { hosts: 2 }, 7]);
    });

    it('complete a commit that is larger than a document may be', async () => {
      const text = 'x'.repeat(5 * 1024 * 1024);
      failOnce('model_clusters', 'bulkWrite');
      const large = ['d', 'e', 'f', 'g'].map((key) => put(key, { text }));
      await expect(models.readModels.commit('hosts', 7, [...large, ...CHANGES])).rejects.toThrow('connection broke');
      expect(await models.readModels.resume('hosts')).toBe(7);
      expect(await documents()).toEqual([{ n: 3 }, { hosts: 2 }, 7]);
      expect(await models.readModels.get('hosts', 'g')).toEqual({ text });
    });
  });

  it('are read from the primary, also when the URL prefers a secondary', async () => {
    const server = new URL(url);
    server.pathname ||= '/';
    server.searchParams.set('readPreference', 'secondaryPreferred');
    const readModels = await mongodbReadModels({ url: server.href, database: 'muster_test' });
    // The driver calls it for each read of one document, too.
    const { mock } = jest.spyOn(Collection.prototype, 'find');
    await readModels.checkpoint('hosts');
    await readModels.get('hosts', 'a');
    await readModels.find({ collection: 'hosts', where: {} });
    await readModels.close();
    const modes = mock.contexts.map((found) => (found as Collection).readPreference?.mode);
    jest.restoreAllMocks();
    expect(modes).toEqual(['primary', 'primary', 'primary']);
  });

  describe('behind a proxy', () => {
    jest.setTimeout(60_000);
    let proxy: TcpProxy;
    let readModels: ReadModels;
    beforeAll(async () => {
      const server = new URL(url);
      proxy = await startTcpProxy(Number(server.port || 27_017));
      server.port = String(proxy.port);
      readModels = await mongodbReadModels({ url: server.href, database: `muster_test_${Date.now()}` });
    });
    const hosts = { collection: 'hosts', where: {} };
    const recover = async (): Promise<void> => {
      await proxy.recover();
      // The connections of the pool were reset, too.
      const isFound = (): Promise<boolean> => readModels.find(hosts).then(Boolean, () => false);
      await eventually('the server is found again', isFound);
    };
    afterEach(recover);
    afterAll(async () => {
      await readModels.close();
      await proxy.close();
    });
    const stored = put('a', { n: 1 });

    it.each([
      ['is frozen', async () => proxy.freeze()],
      ['refuses connections', () => proxy.refuse()],
    ])('throw Unavailable while the server %s, and work afterwards', async (_, fail) => {
      const before = await readModels.checkpoint('hosts');
      await readModels.commit('hosts', before + 1, [stored]);
      await fail();
      await expect(readModels.find(hosts)).rejects.toBeInstanceOf(Unavailable);
      await expect(readModels.commit('hosts', before + 2, [stored])).rejects.toBeInstanceOf(Unavailable);
      await recover();
      await readModels.commit('hosts', before + 2, [stored]);
      expect(await readModels.find(hosts)).toEqual([{ key: 'a', document: { n: 1 } }]);
    });

    it('throw no other error than Unavailable when connections are reset', async () => {
      const before = await readModels.checkpoint('hosts');
      await readModels.commit('hosts', before + 1, [stored]);
      proxy.reset();
      const attempts = [readModels.find(hosts), readModels.commit('hosts', before + 2, [stored])];
      const results = await Promise.allSettled(attempts);
      const reasons = results.flatMap((result) => (result.status === 'rejected' ? [result.reason as unknown] : []));
      expect(reasons.filter((reason) => !(reason instanceof Unavailable))).toEqual([]);
    });
  });
});

describe('read models on a MongoDB server that is not available', () => {
  it('throw Unavailable with the address', async () => {
    const attempt = mongodbReadModels({ url: 'mongodb://127.0.0.1:1/?serverSelectionTimeoutMS=200', database: 'x' });
    await expect(attempt).rejects.toMatchObject({ server: 'MongoDB at 127.0.0.1:1', isRefused: false });
    await expect(attempt).rejects.toBeInstanceOf(Unavailable);
  });

  it('throw Unavailable when the server accepts the connection and does not answer', async () => {
    const sockets: Socket[] = [];
    const silent = createServer((socket) => void sockets.push(socket));
    await new Promise<void>((resolve) => silent.listen(0, '127.0.0.1', resolve));
    const { port } = silent.address() as AddressInfo;
    const url = `mongodb://127.0.0.1:${port}/?serverSelectionTimeoutMS=300&connectTimeoutMS=200`;
    await expect(mongodbReadModels({ url, database: 'x' })).rejects.toBeInstanceOf(Unavailable);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => silent.close(resolve));
  });
});
