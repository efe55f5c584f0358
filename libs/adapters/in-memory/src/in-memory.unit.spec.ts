import type { ReadModelQuery } from '@muster/ports';
import {
  eventStoreContract,
  objectStoreContract,
  readModelsContract,
  secretsContract,
  stateStoreContract,
} from '@muster/testing';
import fc from 'fast-check';
import { inMemoryEventStore } from './event-store';
import { inMemoryObjectStore } from './object-store';
import { inMemoryReadModels } from './read-models';
import { inMemorySecrets } from './secrets';
import { inMemoryStateStore } from './state-store';

const nothingToClose = async (): Promise<void> => undefined;

eventStoreContract('inMemoryEventStore', async () => {
  const store = inMemoryEventStore();
  return { store, close: () => store.close() };
});

readModelsContract('inMemoryReadModels', async () => ({ readModels: inMemoryReadModels(), close: nothingToClose }));

objectStoreContract('inMemoryObjectStore', async () => ({ objects: inMemoryObjectStore(), close: nothingToClose }));

secretsContract('inMemorySecrets', async () => ({ secrets: inMemorySecrets(), close: nothingToClose }));

describe('inMemoryReadModels', () => {
  it('reads a page of all documents without sorting all keys, for any order in which they were stored', async () => {
    const models = inMemoryReadModels();
    const keys = Array.from({ length: 500 }, (_, n) => String(n).padStart(6, '0'));
    const put = (key: string) => ({ kind: 'put' as const, collection: 'logs', key, document: { n: 1 } });
    await models.commit('logs', 1, keys.toReversed().map(put));
    const read = async (page: Partial<ReadModelQuery>): Promise<readonly string[]> =>
      (await models.find({ collection: 'logs', where: {}, ...page })).map(({ key }) => key);
    expect(await read({})).toEqual(keys);
    const sort = jest.spyOn(Array.prototype, 'sort');
    await models.commit('logs', 2, [put('000007.5'), { kind: 'remove', collection: 'logs', key: '000009' }]);
    expect(await read({ after: '000006', limit: 4 })).toEqual(['000007', '000007.5', '000008', '000010']);
    expect(await read({ limit: 2, orderBy: { descending: true } })).toEqual(['000499', '000498']);
    const sorted = sort.mock.contexts.map((list) => list.length);
    sort.mockRestore();
    expect(Math.max(...sorted)).toBe(0);
  });

  it('reads a page of many values without sorting the keys of all of them', async () => {
    const models = inMemoryReadModels();
    const keyOf = (n: number): string => String(n).padStart(6, '0');
    const keys = Array.from({ length: 12_000 }, (_, n) => keyOf(n));
    const put = keys.map((key, n) => ({
      kind: 'put' as const,
      collection: 'logs',
      key,
      document: { host: `h${n % 100}` },
    }));
    await models.commit('logs', 1, put);
    const query = { collection: 'logs', where: { host: Array.from({ length: 100 }, (_, n) => `h${n}`) }, limit: 50 };
    const sort = jest.spyOn(Array.prototype, 'sort');
    const read = async (page: Partial<ReadModelQuery>): Promise<readonly string[]> =>
      (await models.find({ ...query, ...page })).map(({ key }) => key);
    expect(await read({})).toEqual(keys.slice(0, 50));
    sort.mockClear();
    expect(await read({ after: keyOf(7_007), offset: 3 })).toEqual(keys.slice(7_011, 7_061));
    expect(await read({ offset: 30, orderBy: { descending: true } })).toEqual(keys.slice(-80, -30).reverse());
    expect(await read({ offset: 11_990, orderBy: { descending: true } })).toEqual(keys.slice(0, 10).reverse());
    const sorted = sort.mock.contexts.map((list) => list.length);
    sort.mockRestore();
    expect(Math.max(...sorted)).toBeLessThanOrEqual(100);
  });

  it('notifies listeners of a commit after it can be read, and not of a commit without changes', async () => {
    const models = inMemoryReadModels();
    const heard: unknown[] = [];
    const stop = models.onCommit(async (projection, position) => {
      heard.push([projection, position, await models.get('hosts', 'a')]);
    });
    const put = { kind: 'put', collection: 'hosts', key: 'a', document: { n: 1 } } as const;
    await models.commit('hosts', 3, [put]);
    await models.commit('hosts', 3, [put]);
    stop();
    await models.commit('hosts', 4, []);
    expect(heard).toEqual([['hosts', 3, { n: 1 }]]);
  });

  it('answers from the most selective condition without reading other documents', async () => {
    const models = inMemoryReadModels();
    let looks = 0;
    const watched = (n: number) =>
      new Proxy(
        { cluster_id: `c${n % 500}`, status: 'known' },
        { get: (of, name) => (looks++, Reflect.get(of, name)) },
      );
    await models.commit(
      'hosts',
      1,
      Array.from({ length: 5_000 }, (_, n) => ({
        kind: 'put' as const,
        collection: 'hosts',
        key: `h${n}`,
        document: watched(n),
      })),
    );
    const query = { collection: 'hosts', where: { cluster_id: 'c7', status: 'known' } };
    expect(await models.find(query)).toHaveLength(10);
    looks = 0;
    expect(await models.find(query)).toHaveLength(10);
    expect(looks).toBe(0);
    expect(await models.count(query)).toBe(10);
    expect(looks).toBe(0);
  });

  it('has the same lists after any changes as a new collection', async () => {
    const change = fc.record({
      key: fc.integer({ min: 0, max: 30 }).map((n) => `k${n}`),
      of: fc.constantFrom('a', 'b', 1, true, null, ['a']),
      severity: fc.constantFrom('info', 'error'),
      isRemoved: fc.boolean(),
    });
    const queries = ['a', 'b', 1, true, ['a', 'b']].flatMap((of) =>
      [{ of }, { of, severity: 'info' }, { severity: ['error', 'info'], of }].map((where) => ({
        collection: 'all',
        where: where as ReadModelQuery['where'],
      })),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change, { maxLength: 60 }), async (changes) => {
        const [used, fresh] = [inMemoryReadModels(), inMemoryReadModels()];
        const collection = 'all';
        for (const [position, { key, of, severity, isRemoved }] of changes.entries()) {
          for (const query of queries) await used.find(query);
          for (const models of [used, fresh])
            await models.commit('p', position, [
              isRemoved
                ? { kind: 'remove', collection, key }
                : { kind: 'put', collection, key, document: { of, severity } },
            ]);
        }
        for (const query of queries) {
          const found = await fresh.find(query);
          expect(await used.find(query)).toEqual(found);
          expect(await used.count(query)).toBe(found.length);
          const keys = found.map(({ key }) => key);
          expect(keys).toEqual([...keys].sort());
          const backwards = await used.find({ ...query, orderBy: { descending: true }, offset: 1, limit: 3 });
          expect(backwards).toEqual([...found].reverse().slice(1, 4));
        }
      }),
    );
  });
});

stateStoreContract('inMemoryStateStore', async () => ({ store: inMemoryStateStore(), close: nothingToClose }));
