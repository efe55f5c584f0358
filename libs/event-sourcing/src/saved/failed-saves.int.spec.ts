import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inMemoryEventStore } from '@muster/adapter-in-memory';
import { sqliteStateStore } from '@muster/adapter-sqlite';
import { START_OF_STORE, type StateStore } from '@muster/ports';
import { temporaryDirectory } from '@muster/testing';
import { stopClock } from '../stored-events.fixture.spec';
import { keptEntries, viewFold } from './kept-entries';
import { type SavedConsumer, SavedStates, type SaveLimits } from './saved-states';

const SHAPE = { name: 'entries', fields: [] };
const FOLD = viewFold('sample', 1, [SHAPE]);
const CHANGES_MAX = 3;
const LIMITS: SaveLimits = { changes: CHANGES_MAX, replayedChanges: CHANGES_MAX, intervalMs: 3_600_000 };
const KIND = {
  shape: SHAPE,
  fieldsOf: () => [],
  toSaved: ({ n }: { readonly n: number }) => n,
  fromSaved: (n: number) => ({ n }),
  isOpen: () => false,
};

describe('a save that fails', () => {
  const directory = temporaryDirectory();
  let files = 0;
  let file: string;
  let states: SavedStates;
  let consumer: SavedConsumer;
  let attempts: number;
  let isDiskFull: boolean;

  const open = async (): Promise<void> => {
    states = new SavedStates(countingSaves(sqliteStateStore({ file })), inMemoryEventStore(), () => undefined, LIMITS);
    consumer = await states.open('sample', [FOLD]);
  };
  const countingSaves = (inner: StateStore): StateStore => ({
    ...inner,
    open: async (declared) => {
      const state = await inner.open(declared);
      const save: typeof state.save = async (changes, onSaved) => {
        attempts += 1;
        if (isDiskFull) throw new Error('the disk is full');
        await state.save(changes, onSaved);
      };
      return Object.assign(Object.create(state) as typeof state, { save });
    },
  });
  beforeEach(async () => {
    file = join(directory.path, `state-${(files += 1)}.sqlite`);
    [attempts, isDiskFull] = [0, false];
    await open();
  });
  afterEach(() => {
    jest.restoreAllMocks();
    return states.close();
  });
  afterAll(() => directory.remove());

  it('is repeated before its interval only when twice as many entries have changed', async () => {
    stopClock();
    const entries = keptEntries(consumer)<string, { readonly n: number }, number>(KIND);
    let n = 0;
    const observe = async (count: number): Promise<void> => {
      for (const end = n + count; n < end; n += 1) {
        entries.set(`key-${n}`, { n });
        consumer.reached('sample', n, undefined);
        for (let turn = 0; turn < 5; turn += 1) await nextTurn();
      }
    };
    isDiskFull = true;
    // After 3, 6, 12, 24 and 48 entries.
    await observe(50);
    expect(attempts).toBe(5);
    isDiskFull = false;
    await consumer.save();
    expect(attempts).toBe(6);
    await observe(CHANGES_MAX);
    expect(attempts).toBe(7);
  });

  it('leaves the changes of every source for the next one when a source cannot be read', async () => {
    keptEntries(consumer)<string, { readonly n: number }, number>(KIND).set('key', { n: 1 });
    let isReadable = false;
    consumer.add({
      unsaved: 0,
      freeze: () => {
        if (!isReadable) throw new Error('disk I/O error');
        return { changes: [], saved: () => undefined, failed: () => undefined };
      },
    });
    consumer.reached('sample', START_OF_STORE + 1, undefined);
    await expect(consumer.save()).rejects.toThrow('disk I/O error');
    isReadable = true;
    await states.close();
    await open();
    expect(consumer.position('sample')).toBe(START_OF_STORE + 1);
    expect(keptEntries(consumer)<string, { readonly n: number }, number>(KIND).get('key')).toEqual({ n: 1 });
  });
});
