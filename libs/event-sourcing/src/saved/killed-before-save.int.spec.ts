import { join } from 'node:path';
import { inMemoryEventStore } from '@muster/adapter-in-memory';
import { sqliteStateStore } from '@muster/adapter-sqlite';
import { type EventStore, START_OF_STORE, type StateStore } from '@muster/ports';
import { temporaryDirectory } from '@muster/testing';
import { appendEvents } from '../stored-events.fixture.spec';
import { viewFold } from './kept-entries';
import { type SavedConsumer, SavedStates, type SaveLimits } from './saved-states';

const NOT_BY_ITSELF: SaveLimits = { changes: 1_000_000, replayedChanges: 1_000_000, intervalMs: 3_600_000 };
const KEY = 'sample-0';

interface Release {
  readonly version?: number;
  readonly fields?: readonly string[];
}
const OLD: Release = {};

describe('a release that is killed before its first save', () => {
  const directory = temporaryDirectory();
  let files = 0;
  let file: string;
  let store: EventStore;
  afterAll(() => directory.remove());

  const open = async (
    { version = 1, fields = [] }: Release,
    wrap: (inner: StateStore) => StateStore = (inner) => inner,
  ): Promise<{ readonly states: SavedStates; readonly consumer: SavedConsumer }> => {
    const fail = (error: Error): never => {
      throw error;
    };
    const states = new SavedStates(wrap(sqliteStateStore({ file })), store, fail, NOT_BY_ITSELF);
    const fold = viewFold('counts', version, [{ name: 'streams', fields }]);
    return { states, consumer: await states.open('counts', [fold]) };
  };

  /** Returns whether the release has its entries, or replays them from the first event. Anything else is an error. */
  const stateOf = async (release: Release): Promise<'kept' | 'replayed'> => {
    const { states, consumer } = await open(release);
    const hasEntry = consumer.state.get('streams', KEY) !== undefined;
    const position = consumer.position('counts');
    await states.close();
    expect(position).toBe(hasEntry ? 9 : START_OF_STORE);
    return hasEntry ? 'kept' : 'replayed';
  };

  beforeEach(async () => {
    file = join(directory.path, `state-${(files += 1)}.sqlite`);
    store = inMemoryEventStore();
    const last = (await appendEvents(store, 10)).at(-1);
    const { states, consumer } = await open(OLD);
    const row = { key: KEY, value: Buffer.from('entry'), fields: [] };
    let unsaved = 1;
    consumer.add({
      get unsaved() {
        return unsaved;
      },
      freeze: () => ({
        changes: [{ table: 'streams', key: KEY, row }],
        saved: () => (unsaved = 0),
        failed: () => undefined,
      }),
    });
    consumer.reached('counts', 9, last);
    await states.close();
  });

  it('keeps the entries of the same release', async () => {
    await open(OLD);
    expect(await stateOf(OLD)).toBe('kept');
  });

  it.each<[string, Release, Release]>([
    ['other fields and is started again', { fields: ['name'] }, { fields: ['name'] }],
    ['other fields and is replaced by the release before', { fields: ['name'] }, OLD],
    ['another version and is started again', { version: 2 }, { version: 2 }],
    ['another version and is replaced by the release before', { version: 2 }, OLD],
  ])('leaves no checkpoint beside empty tables when it has %s', async (_what, killed, next) => {
    await open(killed);
    expect(await stateOf(next)).toBe('replayed');
  });

  it.each<[string, Release]>([
    ['is started again', { fields: ['name'] }],
    ['is replaced by the release before', OLD],
  ])('leaves no checkpoint when it ends while it creates its tables and %s', async (_what, next) => {
    const endAfterTables = (inner: StateStore): StateStore => ({
      ...inner,
      open: async (consumer) => {
        const state = await inner.open(consumer);
        if (state.createdTables.size > 0) throw new Error('killed');
        return state;
      },
    });
    await expect(open({ fields: ['name'] }, endAfterTables)).rejects.toThrow('killed');
    expect(await stateOf(next)).toBe('replayed');
  });
});
