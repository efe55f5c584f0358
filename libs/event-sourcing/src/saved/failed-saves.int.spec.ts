import { join } from 'node:path';
import { inMemoryEventStore } from '@muster/adapter-in-memory';
import { sqliteStateStore } from '@muster/adapter-sqlite';
import { START_OF_STORE } from '@muster/ports';
import { temporaryDirectory } from '@muster/testing';
import { keptEntries, viewFold } from './kept-entries';
import { type SavedConsumer, SavedStates, type SaveLimits } from './saved-states';

const SHAPE = { name: 'entries', fields: [] };
const FOLD = viewFold('sample', 1, [SHAPE]);
const NOT_BY_ITSELF: SaveLimits = { changes: 1_000_000, replayedChanges: 1_000_000, intervalMs: 3_600_000 };
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

  const open = async (): Promise<void> => {
    states = new SavedStates(sqliteStateStore({ file }), inMemoryEventStore(), () => undefined, NOT_BY_ITSELF);
    consumer = await states.open('sample', [FOLD]);
  };
  beforeEach(async () => {
    file = join(directory.path, `state-${(files += 1)}.sqlite`);
    await open();
  });
  afterEach(() => states.close());
  afterAll(() => directory.remove());

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
