import { join } from 'node:path';
import { inMemoryEventStore, inMemoryReadModels, inMemoryStateStore } from '@muster/adapter-in-memory';
import { sqliteStateStore } from '@muster/adapter-sqlite';
import type { JsonObject, ReadModelChange, ReadModels, SavedFold, StateStore, StateTable } from '@muster/ports';
import { readModelsContract, temporaryDirectory } from '@muster/testing';
import fc from 'fast-check';
import { BoundedMap } from '../bounded-map';
import { KeptCollection } from './kept-collection';
import { keptReadModels } from './kept-read-models';
import { SavedStates, type SaveLimits } from './saved-states';

const FIELDS = ['cluster_id', 'status', 'rank', 'bootstrap', 'name', 'kind'];
const TABLES: readonly StateTable[] = ['hosts', 'clusters', 'nothing'].map((name) => ({
  name,
  fields: FIELDS,
  indexes: FIELDS.map((field) => [field]),
}));
const FOLDS: readonly SavedFold[] = [
  { name: 'hosts', version: 1, tables: TABLES },
  ...['clusters', 'all'].map((name) => ({ name, version: 1, tables: [] })),
];
const AT_ONCE: SaveLimits = { changes: 1, replayedChanges: 1, intervalMs: 60_000 };
const AT_THE_END: SaveLimits = { changes: 1_000_000, replayedChanges: 1_000_000, intervalMs: 60_000 };

const fail = (error: Error): never => {
  throw error;
};

const open = async (file: string, limits: SaveLimits) => {
  const states = new SavedStates(sqliteStateStore({ file }), inMemoryEventStore(), fail, limits);
  return { states, readModels: await keptReadModels(states, FOLDS) };
};

for (const [what, limits] of [
  ['saved at once', AT_ONCE],
  ['not saved yet', AT_THE_END],
] as const)
  readModelsContract(`keptReadModels, ${what},`, async () => {
    const directory = temporaryDirectory();
    const { states, readModels } = await open(join(directory.path, 'state.sqlite'), limits);
    return {
      readModels,
      close: async () => {
        await states.close();
        directory.remove();
      },
    };
  });

describe('keptReadModels', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());
  let files = 0;

  const document = fc.record(
    {
      cluster_id: fc.constantFrom('c1', 'c2', ''),
      rank: fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom('2', true)),
      list: fc.constant(['x']),
    },
    { requiredKeys: [] },
  );
  const change = fc.record({ key: fc.constantFrom(...'abcdef'), document: fc.option(document, { nil: undefined }) });
  const step = fc.oneof(
    { weight: 4, arbitrary: fc.array(change, { maxLength: 4 }) },
    { weight: 1, arbitrary: fc.constantFrom('save' as const, 'restart' as const) },
  );
  const toChange = ({ key, document: put }: { key: string; document?: object | undefined }): ReadModelChange =>
    put ? { kind: 'put', collection: 'hosts', key, document: put } : { kind: 'remove', collection: 'hosts', key };

  const answers = async (models: ReadModels): Promise<unknown> => {
    const wheres: JsonObject[] = [{}, { cluster_id: 'c1' }, { cluster_id: ['c1', 'c2'], rank: 2 }, { rank: true }];
    return Promise.all(
      wheres.flatMap((where) => [
        models.count({ collection: 'hosts', where: where as never }),
        models.find({ collection: 'hosts', where: where as never, offset: 1, limit: 2 }),
        models.find({ collection: 'hosts', where: where as never, orderBy: { field: 'rank', descending: true } }),
        models.find({ collection: 'hosts', where: where as never, orderBy: { descending: true }, limit: 3 }),
      ]),
    );
  };

  it('returns the same results as read models in memory after any saves and restarts', async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 15 }), async (steps) => {
        const file = join(directory.path, `state-${(files += 1)}.sqlite`);
        const reference = inMemoryReadModels();
        let opened = await open(file, AT_THE_END);
        let position = 0;
        for (const one of steps) {
          if (one === 'restart') {
            await opened.states.close();
            opened = await open(file, AT_THE_END);
          } else if (one === 'save') {
            await opened.states.save();
          } else {
            position += 1;
            for (const models of [reference, opened.readModels])
              await models.commit('hosts', position, one.map(toChange));
          }
          expect(await answers(opened.readModels)).toEqual(await answers(reference));
        }
        await opened.states.close();
      }),
    );
    // Each history opens files, which takes long on a busy machine.
  }, 600_000);

  /** Opens the file and counts what is read from it. */
  const openCounted = async (file: string) => {
    const store = sqliteStateStore({ file });
    const reads = { searches: 0, documents: 0 };
    const counted: StateStore = {
      open: async (consumer) => {
        const state = await store.open(consumer);
        const { find, get } = state;
        state.find = (...query) => {
          reads.searches += 1;
          return find.apply(state, query);
        };
        state.get = (...key) => {
          reads.documents += 1;
          return get.apply(state, key);
        };
        return state;
      },
      close: () => store.close(),
    };
    const states = new SavedStates(counted, inMemoryEventStore(), fail, AT_THE_END);
    return { states, reads, models: await keptReadModels(states, FOLDS) };
  };

  it('reads only the documents that meet the conditions', async () => {
    const file = join(directory.path, 'many.sqlite');
    const first = await openCounted(file);
    const hosts = Array.from({ length: 1_000 }, (_, n) =>
      toChange({ key: `h${n}`, document: { cluster_id: `c${n % 100}`, rank: n } }),
    );
    await first.models.commit('hosts', 1, hosts);
    await first.states.close();
    const { states, models, reads } = await openCounted(file);
    const atStart = reads.documents;
    const hostsOf = (cluster: string) => {
      const orderBy = { field: 'rank', descending: true };
      return models.find<JsonObject>({ collection: 'hosts', where: { cluster_id: cluster }, orderBy });
    };
    expect(await hostsOf('none')).toEqual([]);
    expect(reads.documents).toBe(atStart);
    expect(await hostsOf('c7')).toHaveLength(10);
    expect(await models.count({ collection: 'hosts', where: { cluster_id: 'c8' } })).toBe(10);
    expect(reads.documents).toBe(atStart + 10);
    await states.close();
  });

  it('visits only the unsaved documents that may meet the conditions', async () => {
    const { states, readModels } = await open(join(directory.path, `${(files += 1)}.sqlite`), AT_THE_END);
    let visits = 0;
    const counted = (clusterId: string): object => ({
      get cluster_id() {
        visits += 1;
        return clusterId;
      },
    });
    const hosts = Array.from({ length: 100 }, (_, index) =>
      toChange({ key: `h${index}`, document: counted(index < 3 ? 'c1' : 'c2') }),
    );
    await readModels.commit('hosts', 1, hosts);
    const look = async () => [
      (await readModels.find({ collection: 'hosts', where: { cluster_id: 'c1' } })).length,
      await readModels.count({ collection: 'hosts', where: { cluster_id: 'c1' } }),
    ];
    expect(await look()).toEqual([3, 3]);
    await readModels.commit('hosts', 2, [toChange({ key: 'h0', document: counted('c2') })]);
    visits = 0;
    expect(await look()).toEqual([2, 2]);
    expect(visits).toBeLessThan(10);
    await states.close();
  });

  it('refuses a query by a field without an index, which would read all documents', async () => {
    const { states, models } = await openCounted(join(directory.path, 'undeclared.sqlite'));
    const missing = 'The field other of the collection hosts has no index. Add it to the fields of its table.';
    await expect(models.find({ collection: 'hosts', where: { other: 'x' } })).rejects.toThrow(missing);
    await expect(models.find({ collection: 'hosts', where: {}, orderBy: { field: 'other' } })).rejects.toThrow(missing);
    await expect(models.count({ collection: 'hosts', where: { other: 'x' } })).rejects.toThrow(missing);
    await states.close();
  });

  it('searches the file once for a repeated query, and again after a change of the collection', async () => {
    const { states, models, reads } = await openCounted(join(directory.path, 'repeated.sqlite'));
    const ofCluster = (): Promise<readonly { readonly key: string }[]> =>
      models.find({ collection: 'hosts', where: { cluster_id: 'c1' } });
    await models.commit('hosts', 1, [toChange({ key: 'a', document: { cluster_id: 'c1' } })]);
    await states.save();
    for (let times = 0; times < 3; times += 1) expect(await ofCluster()).toMatchObject([{ key: 'a' }]);
    expect(reads.searches).toBe(1);
    await models.commit('hosts', 2, [toChange({ key: 'b', document: { cluster_id: 'c1' } })]);
    expect(await ofCluster()).toMatchObject([{ key: 'a' }, { key: 'b' }]);
    await models.commit('hosts', 3, [toChange({ key: 'a', document: undefined })]);
    expect(await ofCluster()).toMatchObject([{ key: 'b' }]);
    expect(reads.searches).toBe(3);
    await states.close();
  });

  /** Read models, and the rows of each save. */
  const watch = async (name: string) => {
    const store = sqliteStateStore({ file: join(directory.path, `${name}.sqlite`) });
    const saved: string[] = [];
    const watched: StateStore = {
      open: async (consumer) => {
        const state = await store.open(consumer);
        const save = state.save.bind(state);
        state.save = (changes, onSaved) => {
          const all = [...changes];
          saved.push(...all.map(({ table, key }) => `${table} ${key}`));
          return save(all, onSaved);
        };
        return state;
      },
      close: () => store.close(),
    };
    const states = new SavedStates(watched, inMemoryEventStore(), fail, AT_THE_END);
    return { states, saved, models: await keptReadModels(states, FOLDS) };
  };

  it('saves a document that changed several times once', async () => {
    const { states, saved, models } = await watch('once');
    for (const rank of [1, 2, 3]) await models.commit('hosts', rank, [toChange({ key: 'a', document: { rank } })]);
    await states.save();
    await states.save();
    expect(saved).toEqual(['hosts a', 'checkpoints hosts']);
    await states.close();
  });

  it('saves no removal of a document that does not exist', async () => {
    const { states, saved, models } = await watch('absent');
    const [added, removed] = [
      { key: 'b', document: {} },
      { key: 'b', document: undefined },
    ].map(toChange);
    await models.commit('hosts', 1, [toChange({ key: 'a', document: undefined }), ...(added ? [added] : [])]);
    await states.save();
    await models.commit('hosts', 2, removed ? [removed] : []);
    await states.save();
    expect(saved).toEqual(['hosts b', 'checkpoints hosts', 'hosts b', 'checkpoints hosts']);
    await states.close();
  });

  it('loses unsaved changes when the process ends, and has the checkpoint of the saved ones', async () => {
    const file = join(directory.path, 'ended.sqlite');
    const first = await open(file, AT_THE_END);
    await first.readModels.commit('hosts', 5, [toChange({ key: 'a', document: { rank: 1 } })]);
    await first.states.save();
    await first.readModels.commit('hosts', 9, [toChange({ key: 'a', document: { rank: 2 } })]);
    const second = await open(file, AT_THE_END);
    expect(await second.readModels.checkpoint('hosts')).toBe(5);
    expect(await second.readModels.get('hosts', 'a')).toEqual({ rank: 1 });
    await second.states.close();
  });

  it('asks the saved rows of a collection for few more than the wanted ones, however many documents are not saved yet', async () => {
    const [table] = TABLES;
    if (!table) throw new Error('There is no table.');
    const state = await (await inMemoryStateStore()).open({ name: 'sample', tables: [table] });
    const documents = new KeptCollection(table, state, new BoundedMap(100));
    const put = (from: number, to: number, clusterId = 'c1'): void => {
      for (let n = from; n < to; n += 1) documents.put(`event-${n}`, { cluster_id: clusterId, n });
    };
    put(100, 200);
    const saving = documents.freeze();
    await state.save(saving.changes, saving.saved);
    put(200, 900);
    put(100, 103, 'c2');
    const find = jest.spyOn(state, 'find');
    const found = (descending: boolean): readonly unknown[] =>
      documents
        .find({ collection: table.name, where: { cluster_id: 'c1' }, orderBy: { descending } }, 3)
        .map(({ document }) => document['n']);
    expect(found(true)).toEqual([899, 898, 897]);
    expect(found(false)).toEqual([103, 104, 105]);
    expect(find.mock.calls.map(([, { limit }]) => limit)).toEqual([3, 3, 6]);
  });
});
