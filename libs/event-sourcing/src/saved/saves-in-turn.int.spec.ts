import { join } from 'node:path';
import { inMemoryEventStore, inMemoryStateStore } from '@muster/adapter-in-memory';
import { sqliteStateStore } from '@muster/adapter-sqlite';
import { temporaryDirectory } from '@muster/testing';
import { BoundedMap } from '../bounded-map';
import { BusyTurns } from '../stored-events.fixture.spec';
import { KeptCollection } from './kept-collection';
import { keptEntries, viewFold } from './kept-entries';
import { type ChangeSource, COPY_TIME, SavedStates } from './saved-states';

const fail = (error: Error): never => {
  throw error;
};

const CONSUMERS = ['first', 'second', 'third'];

describe('the saves of the consumers of one process', () => {
  const directory = temporaryDirectory();
  let turn = 0;
  let counting: NodeJS.Immediate;
  const countTurns = (): void => {
    turn += 1;
    counting = setImmediate(countTurns);
  };
  beforeEach(countTurns);
  afterEach(() => clearImmediate(counting));
  afterAll(() => directory.remove());

  it('freezes the changes of each consumer in a turn of its own', async () => {
    const store = sqliteStateStore({ file: join(directory.path, 'state.sqlite') });
    const states = new SavedStates(store, inMemoryEventStore(), fail);
    const frozenIn: { readonly name: string; readonly turn: number }[] = [];
    const consumers = await Promise.all(CONSUMERS.map((name) => states.open(name, [viewFold(name, 1, [])])));
    consumers.forEach((consumer, number) => consumer.add(changedOnce(CONSUMERS[number] ?? '')));
    await Promise.all(consumers.map((consumer) => consumer.save()));
    expect(frozenIn.map(({ name }) => name)).toEqual(CONSUMERS);
    expect(new Set(frozenIn.map((frozen) => frozen.turn)).size).toBe(CONSUMERS.length);
    await states.close();

    function changedOnce(name: string): ChangeSource {
      let unsaved = 1;
      return {
        get unsaved() {
          return unsaved;
        },
        freeze: () => {
          frozenIn.push({ name, turn });
          unsaved = 0;
          return { changes: [], saved: () => undefined, failed: () => undefined };
        },
      };
    }
  });

  it('removes saved entries from memory over several turns, before the next save', async () => {
    const store = sqliteStateStore({ file: join(directory.path, 'released.sqlite') });
    const states = new SavedStates(store, inMemoryEventStore(), fail);
    const consumer = await states.open('first', [viewFold('first', 1, [])]);
    const turns = new BusyTurns();
    const log: string[] = [];
    let unsaved = 1;
    consumer.add({
      get unsaved() {
        return unsaved;
      },
      freeze: () => {
        unsaved = 0;
        log.push('frozen');
        return {
          changes: [],
          saved: () => log.push('saved'),
          release: function* () {
            for (let step = 0; step < 30; step += 1) {
              turns.work();
              yield;
            }
            log.push('released');
          },
          failed: () => undefined,
        };
      },
    });
    const first = consumer.save();
    unsaved = 1;
    await Promise.all([first, consumer.save()]);
    turns.end();
    expect(log).toEqual(['frozen', 'saved', 'released', 'frozen', 'saved', 'released']);
    expect(turns.most()).toBeLessThanOrEqual(COPY_TIME.maxMs / 2 + 1);
    await states.close();
  });

  it('copies changed entries over several turns', async () => {
    const store = sqliteStateStore({ file: join(directory.path, 'copied.sqlite') });
    const states = new SavedStates(store, inMemoryEventStore(), fail);
    const shape = { name: 'entries', fields: [] };
    const consumer = await states.open('first', [viewFold('first', 1, [shape])]);
    const turns = new BusyTurns();
    const entries = keptEntries(consumer)<string, { readonly n: number }, number>({
      shape,
      fieldsOf: () => [],
      toSaved: ({ n }) => {
        turns.work();
        return n;
      },
      fromSaved: (n) => ({ n }),
      isOpen: () => true,
    });
    for (let n = 0; n < 30; n += 1) entries.set(`key-${n}`, { n });
    await consumer.save();
    turns.end();
    expect(turns.most()).toBeLessThanOrEqual(COPY_TIME.maxMs / 2 + 1);
    expect(consumer.state.find(shape.name, { where: {} })).toHaveLength(30);
    await states.close();
  });

  it('removes each closed entry in a step of its own', async () => {
    const keys = ['a', 'b', 'c'];
    const store = sqliteStateStore({ file: join(directory.path, 'closed.sqlite') });
    const states = new SavedStates(store, inMemoryEventStore(), fail);
    const shape = { name: 'entries', fields: [] };
    const consumer = await states.open('first', [viewFold('first', 1, [shape])]);
    const add = jest.spyOn(consumer, 'add');
    const entries = keptEntries(consumer)<string, { readonly key: string }, string>({
      shape,
      fieldsOf: () => [],
      toSaved: ({ key }) => key,
      fromSaved: (key) => ({ key }),
      isOpen: () => false,
    });
    for (const key of keys) entries.set(key, { key });
    const changes = add.mock.calls[0]?.[0].freeze();
    changes?.saved();
    expect([...(changes?.release?.() ?? [])]).toHaveLength(keys.length);
    await states.close();
  });

  it('shows the last document of each key before, while and after the saved ones are cached', async () => {
    const table = { name: 'documents', fields: [], indexes: [] };
    const state = await (await inMemoryStateStore()).open({ name: 'sample', tables: [table] });
    const documents = new KeptCollection(table, state, new BoundedMap(100));
    const save = async (): Promise<Iterable<undefined>> => {
      const { changes, saved, release } = documents.freeze();
      await state.save(changes, saved);
      return release?.() ?? [];
    };
    const shown = (): readonly unknown[] => ['a', 'b'].map((key) => documents.get(key)?.['n']);
    for (const key of ['a', 'b']) documents.put(key, { n: 1 });
    expect(shown()).toEqual([1, 1]);
    expect([...(await save())]).toHaveLength(2);
    const read = jest.spyOn(state, 'get');
    expect(shown()).toEqual([1, 1]);
    expect(read).not.toHaveBeenCalled();
    for (const key of ['a', 'b']) documents.put(key, { n: 2 });
    const steps = await save();
    expect(shown()).toEqual([2, 2]);
    for (const _ of steps) {
      documents.put('b', { n: 3 });
      expect(shown()).toEqual([2, 3]);
    }
    await save();
    expect(shown()).toEqual([2, 3]);
  });
});
