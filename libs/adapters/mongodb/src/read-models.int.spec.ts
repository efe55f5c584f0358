import { randomUUID } from 'node:crypto';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { type ReadModels, Unavailable } from '@muster/ports';
import { eventually, needsServer, readModelsContract, startTcpProxy, type TcpProxy } from '@muster/testing';
import { MongoClient } from 'mongodb';
import { mongodbReadModels } from './read-models';

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

  it('has the same documents after a commit was interrupted before its checkpoint', async () => {
    const { database, readModels, close } = await open();
    const changes = [
      { kind: 'put', collection: 'hosts', key: 'a', document: { n: 1 } },
      { kind: 'remove', collection: 'hosts', key: 'b' },
      { kind: 'put', collection: 'hosts', key: 'a', document: { n: 2 } },
    ] as const;
    await readModels.commit('hosts', 7, changes);
    const client = await MongoClient.connect(url);
    await client.db(database).collection('checkpoints').deleteMany({});
    await client.close();
    await readModels.commit('hosts', 7, changes);
    expect(await readModels.find({ collection: 'hosts', where: {} })).toEqual([{ key: 'a', document: { n: 2 } }]);
    expect(await readModels.checkpoint('hosts')).toBe(7);
    await close();
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
    const put = { kind: 'put', collection: 'hosts', key: 'a', document: { n: 1 } } as const;

    it.each([
      ['is frozen', async () => proxy.freeze()],
      ['refuses connections', () => proxy.refuse()],
    ])('throw Unavailable while the server %s, and work afterwards', async (_, fail) => {
      const before = await readModels.checkpoint('hosts');
      await readModels.commit('hosts', before + 1, [put]);
      await fail();
      await expect(readModels.find(hosts)).rejects.toBeInstanceOf(Unavailable);
      await expect(readModels.commit('hosts', before + 2, [put])).rejects.toBeInstanceOf(Unavailable);
      await recover();
      await readModels.commit('hosts', before + 2, [put]);
      expect(await readModels.find(hosts)).toEqual([{ key: 'a', document: { n: 1 } }]);
    });

    it('throw no other error than Unavailable when connections are reset', async () => {
      const before = await readModels.checkpoint('hosts');
      await readModels.commit('hosts', before + 1, [put]);
      proxy.reset();
      const attempts = [readModels.find(hosts), readModels.commit('hosts', before + 2, [put])];
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
