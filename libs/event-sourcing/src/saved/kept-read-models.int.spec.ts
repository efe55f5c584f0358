import { join } from 'node:path';
import { inMemoryEventStore, inMemoryReadModels } from '@muster/adapter-in-memory';
import { sqliteStateStore } from '@muster/adapter-sqlite';
import type { JsonObject, ReadModelChange, ReadModels, SavedFold, StateStore, StateTable } from '@muster/ports';
import { readModelsContract, temporaryDirectory } from '@muster/testing';
import fc from 'fast-check';
import { keptReadModels } from './kept-read-models';
import { SavedStates, type SaveLimits } from './saved-states';

const FIELDS = ['cluster_id', 'status', 'rank', 'bootstrap', 'name', 'kind'];
const tables = (fields: readonly string[]): readonly StateTable[] =>
  ['hosts', 'clusters', 'nothing'].map((name) => ({ name, fields, indexes: fields.map((field) => [field]) }));
const folds = (fields: readonly string[]): readonly SavedFold[] => [
  { name: 'hosts', version: 1, tables: tables(fields) },
  ...['clusters', 'all'].map((name) => ({ name, version: 1, tables: [] })),
];
const AT_ONCE: SaveLimits = { changes: 1, intervalMs: 60_000, waiting: 1 };
const AT_THE_END: SaveLimits = { changes: 1_000_000, intervalMs: 60_000, waiting: 1_000_000 };

const fail = (error: Error): never => {
  throw error;
};

const open = async (file: string, fields: readonly string[], limits: SaveLimits) => {
  const states = new SavedStates(sqliteStateStore({ file }), inMemoryEventStore(), fail, limits);
  return { states, readModels: await keptReadModels(states, folds(fields)) };
};

for (const [what, fields, limits] of [
  ['saved at once, with indexes', FIELDS, AT_ONCE],
  ['saved at once, without an index', [], AT_ONCE],
  ['not saved yet, with indexes', FIELDS, AT_THE_END],
] as const)
  readModelsContract(`keptReadModels, ${what},`, async () => {
    const directory = temporaryDirectory();
    const { states, readModels } = await open(join(directory.path, 'state.sqlite'), fields, limits);
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
        let opened = await open(file, FIELDS, AT_THE_END);
        let position = 0;
        for (const one of steps) {
          if (one === 'restart') {
            await opened.states.close();
            opened = await open(file, FIELDS, AT_THE_END);
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
  });

  it('searches the file once for a repeated query, and again after a change of the collection', async () => {
    const store = sqliteStateStore({ file: join(directory.path, 'repeated.sqlite') });
    let searches = 0;
    const counted: StateStore = {
      open: async (consumer) => {
        const state = await store.open(consumer);
        const find = state.find.bind(state);
        state.find = (...query) => {
          searches += 1;
          return find(...query);
        };
        return state;
      },
      close: () => store.close(),
    };
    const states = new SavedStates(counted, inMemoryEventStore(), fail, AT_THE_END);
    const models = await keptReadModels(states, folds(FIELDS));
    const ofCluster = (): Promise<readonly { readonly key: string }[]> =>
      models.find({ collection: 'hosts', where: { cluster_id: 'c1' } });
    await models.commit('hosts', 1, [toChange({ key: 'a', document: { cluster_id: 'c1' } })]);
    await states.save();
    for (let times = 0; times < 3; times += 1) expect(await ofCluster()).toMatchObject([{ key: 'a' }]);
    expect(searches).toBe(1);
    await models.commit('hosts', 2, [toChange({ key: 'b', document: { cluster_id: 'c1' } })]);
    expect(await ofCluster()).toMatchObject([{ key: 'a' }, { key: 'b' }]);
    await models.commit('hosts', 3, [toChange({ key: 'a', document: undefined })]);
    expect(await ofCluster()).toMatchObject([{ key: 'b' }]);
    expect(searches).toBe(3);
    await states.close();
  });

  it('loses unsaved changes when the process ends, and has the checkpoint of the saved ones', async () => {
    const file = join(directory.path, 'ended.sqlite');
    const first = await open(file, FIELDS, AT_THE_END);
    await first.readModels.commit('hosts', 5, [toChange({ key: 'a', document: { rank: 1 } })]);
    await first.states.save();
    await first.readModels.commit('hosts', 9, [toChange({ key: 'a', document: { rank: 2 } })]);
    const second = await open(file, FIELDS, AT_THE_END);
    expect(await second.readModels.checkpoint('hosts')).toBe(5);
    expect(await second.readModels.get('hosts', 'a')).toEqual({ rank: 1 });
    await second.states.close();
  });
});
