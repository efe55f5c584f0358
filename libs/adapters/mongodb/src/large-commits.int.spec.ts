import { randomUUID } from 'node:crypto';
import type { ReadModelChange } from '@muster/ports';
import { needsServer } from '@muster/testing';
import { BSON, Collection, FindCursor, MongoClient } from 'mongodb';
import { mongodbReadModels } from './read-models';

const MIBIBYTE = 1024 ** 2;

needsServer('MONGODB_URL', 'mongodb://127.0.0.1:27017', 'a large commit of mongodbReadModels', (url) => {
  const database = `muster_test_${randomUUID().replaceAll('-', '')}`;
  afterEach(async () => {
    jest.restoreAllMocks();
    const client = await MongoClient.connect(url);
    await client.db(database).dropDatabase();
    await client.close();
  });

  it('is written and completed in parts that a slow server handles in time, because each attempt begins with the first', async () => {
    const sizes: number[] = [];
    for (const method of ['bulkWrite', 'replaceOne'] as const) {
      const real: (...given: unknown[]) => Promise<unknown> = Collection.prototype[method] as never;
      jest.spyOn(Collection.prototype, method).mockImplementation(function (this: Collection, ...given: unknown[]) {
        sizes.push(BSON.calculateObjectSize({ given }));
        // Behind the parts that are pending, while their documents are written.
        if (sizes.length === 9) throw new Error('connection broke');
        return real.apply(this, given);
      } as never);
    }
    const { toArray } = FindCursor.prototype;
    jest.spyOn(FindCursor.prototype, 'toArray').mockImplementation(async function (this: FindCursor) {
      const found = await toArray.call(this);
      sizes.push(BSON.calculateObjectSize({ found }));
      return found;
    });
    const text = 'x'.repeat(64 * 1024);
    const changes = Array.from({ length: 80 }, (_, n): ReadModelChange => {
      return { kind: 'put', collection: n % 2 === 0 ? 'hosts' : 'clusters', key: `key-${n}`, document: { n, text } };
    });
    const readModels = await mongodbReadModels({ url, database });
    try {
      await expect(readModels.commit('views', 1, changes)).rejects.toThrow('connection broke');
      expect(await readModels.resume('views')).toBe(1);
      expect(await readModels.count({ collection: 'hosts', where: {} })).toBe(40);
      expect(await readModels.count({ collection: 'clusters', where: {} })).toBe(40);
    } finally {
      await readModels.close();
    }
    expect(sizes.length).toBeGreaterThan(20);
    expect(Math.max(...sizes)).toBeLessThan(1.1 * MIBIBYTE);
  });
});
