import { join } from 'node:path';
import { inMemoryEventStore } from '@muster/adapter-in-memory';
import { sqliteStateStore } from '@muster/adapter-sqlite';
import type { Entries } from '@muster/decision';
import { type EventStore, type Requests, START_OF_STORE, type StateStore } from '@muster/ports';
import { eventually, temporaryDirectory } from '@muster/testing';
import { localBus } from '../local-bus.fixture.spec';
import { type Reactor, startReactor } from '../reactor';
import { appendEvents, appendLive, plainEventStore, stopClock, turns } from '../stored-events.fixture.spec';
import { keptEntries, viewFold } from './kept-entries';
import { type SavedConsumer, SavedStates, type SaveLimits } from './saved-states';

const SHAPE = { name: 'streams', fields: [] };
const NOT_BY_ITSELF: SaveLimits = { changes: 1_000_000, replayedChanges: 1_000_000, intervalMs: 3_600_000 };
/** Streams with this many events are not open any more. */
const CLOSED_AT = 3;

interface Counted {
  count: number;
}

/** A consumer that counts the events of each stream, with a saved state. */
interface Running {
  readonly states: SavedStates;
  readonly consumer: SavedConsumer;
  readonly counts: Entries<string, Counted>;
  readonly reactor: Reactor;
  readonly observed: number[];
  readonly reacted: string[];
  readonly loaded: string[];
}

describe('a consumer with a saved state', () => {
  const directory = temporaryDirectory();
  const running: Running[] = [];
  let files = 0;
  let file: string;
  beforeEach(() => (file = join(directory.path, `state-${(files += 1)}.sqlite`)));
  afterEach(async () => {
    jest.restoreAllMocks();
    for (const one of running.splice(0)) await stop(one);
  });
  afterAll(() => directory.remove());

  const start = async (
    eventStore: EventStore,
    options: {
      readonly version?: number;
      readonly fields?: readonly string[];
      readonly limits?: SaveLimits;
      readonly bus?: Requests;
      readonly wrap?: (store: StateStore) => StateStore;
      readonly react?: (key: string) => Promise<void>;
      readonly onError?: (error: Error) => void;
    } = {},
  ): Promise<Running> => {
    const { version = 1, fields = [], limits = NOT_BY_ITSELF, wrap = (store) => store, onError = fail } = options;
    const states = new SavedStates(wrap(sqliteStateStore({ file })), eventStore, onError, limits);
    const consumer = await states.open('counts', [viewFold('counts', version, [{ ...SHAPE, fields }])]);
    const [observed, reacted, loaded]: [number[], string[], string[]] = [[], [], []];
    const counts = keptEntries(consumer)<string, Counted, Counted>({
      shape: { ...SHAPE, fields },
      fieldsOf: () => fields.map(() => ''),
      toSaved: ({ count }) => ({ count }),
      fromSaved: (saved, key) => {
        loaded.push(key);
        return saved;
      },
      isOpen: ({ count }) => count < CLOSED_AT,
    });
    const reactor = startReactor({
      name: 'counts',
      store: plainEventStore(eventStore),
      requests: options.bus ?? localBus(),
      saved: consumer,
      observe: ({ streamId, position }) => {
        observed.push(position);
        counts.set(streamId, { count: (counts.get(streamId)?.count ?? 0) + 1 });
      },
      keysOf: ({ streamId }) => [streamId],
      openKeys: () => [...counts.inMemory()].flatMap(({ count }) => (count < CLOSED_AT ? [`open with ${count}`] : [])),
      react: options.react ?? (async (key) => void reacted.push(key)),
      onError,
    });
    const one: Running = { states, consumer, counts, reactor, observed, reacted, loaded };
    running.push(one);
    await reactor.caughtUp;
    return one;
  };
  const stop = async ({ reactor, states }: Running): Promise<void> => {
    await reactor.close();
    await states.close();
  };
  const restart = async (...args: Parameters<typeof start>): Promise<Running> => {
    for (const one of running.splice(0)) await stop(one);
    return start(...args);
  };

  it('continues after its checkpoint, with the entries of before', async () => {
    const store = inMemoryEventStore();
    await appendEvents(store, 10);
    await start(store);
    await appendEvents(store, 4);
    const { observed, counts } = await restart(store);
    expect(observed).toEqual([10, 11, 12, 13]);
    expect(counts.get('sample-0')).toEqual({ count: 2 });
    expect(counts.get('sample-6')).toEqual({ count: 2 });
  });

  it('keeps open entries in memory and loads others on demand', async () => {
    const store = inMemoryEventStore();
    await appendEvents(store, 17);
    await start(store);
    const { counts, loaded } = await restart(store);
    expect([...counts.inMemory()]).toEqual(Array(4).fill({ count: 2 }));
    expect(loaded.sort()).toEqual(['sample-3', 'sample-4', 'sample-5', 'sample-6']);
    expect(counts.get('sample-0')).toEqual({ count: 3 });
    expect(counts.get('never')).toBeUndefined();
  });

  it('reads the file once for keys that have no entry, and finds the entry that one gets later', async () => {
    const store = inMemoryEventStore();
    const read: string[] = [];
    const wrap = (states: StateStore): StateStore => ({
      ...states,
      open: async (declared) => {
        const state = await states.open(declared);
        const get = state.get.bind(state);
        state.get = (table, key) => {
          if (table === SHAPE.name) read.push(key);
          return get(table, key);
        };
        return state;
      },
    });
    const { counts, consumer } = await start(store, { wrap });
    for (const key of ['sample-0', 'sample-1', 'sample-2']) expect(counts.get(key)).toBeUndefined();
    expect(read).toEqual(['sample-0']);
    counts.set('sample-0', { count: CLOSED_AT });
    await consumer.save();
    expect(counts.get('sample-0')).toEqual({ count: CLOSED_AT });
    counts.delete('sample-0');
    await consumer.save();
    expect(counts.get('sample-0')).toBeUndefined();
  });

  it.each([
    ['another version', 2, (store: EventStore) => Promise.resolve(store)],
    [
      'an event store that does not have the last event',
      1,
      async () => {
        const restored = inMemoryEventStore();
        await appendEvents(restored, 5);
        return restored;
      },
    ],
  ])('starts from the beginning with %s', async (_what, version, next) => {
    const store = inMemoryEventStore();
    await appendEvents(store, 10);
    await start(store);
    const present = await next(store);
    const { observed, counts } = await restart(present, { version });
    expect(observed[0]).toBe(0);
    expect(observed).toHaveLength((await present.head()) + 1);
    expect(counts.get('sample-5')).toEqual(version === 1 ? undefined : { count: 1 });
  });

  it('starts from the beginning when an entry is found by other fields than before', async () => {
    const store = inMemoryEventStore();
    await appendEvents(store, 10);
    await start(store);
    const { observed, counts } = await restart(store, { fields: ['name'] });
    expect(observed).toHaveLength(10);
    expect(counts.get('sample-0')).toEqual({ count: 2 });
  });

  it('processes keys after a restart whose reaction had not ended', async () => {
    const store = inMemoryEventStore();
    await appendEvents(store, 21);
    const endless = new Promise<void>(() => undefined);
    const ended: string[] = [];
    const react = async (key: string): Promise<void> => (key === 'sample-2' ? endless : void ended.push(key));
    const first = await start(store, { react });
    await eventually('one reaction is left', () => ended.length === 6);
    await first.states.save();
    running.splice(0);
    const second = await start(store);
    await second.reactor.idle();
    expect(second.observed).toEqual([]);
    expect(second.reacted).toEqual(['sample-2']);
    const third = await restart(store);
    await third.reactor.idle();
    expect(third.reacted).toEqual([]);
  });

  it('processes open entries after a restart', async () => {
    const store = inMemoryEventStore();
    await appendEvents(store, 2);
    const first = await start(store);
    await first.reactor.idle();
    const { observed, reacted, reactor } = await restart(store);
    await reactor.idle();
    expect(observed).toEqual([]);
    expect(reacted).toEqual(['open with 1']);
  });

  const savedPosition = async (store: EventStore): Promise<number> => {
    const other = new SavedStates(sqliteStateStore({ file }), store, fail, NOT_BY_ITSELF);
    const consumer = await other.open('counts', [viewFold('counts', 1, [SHAPE])]);
    await other.close();
    return consumer.position('counts');
  };

  it('saves by itself after enough changes', async () => {
    stopClock();
    const store = inMemoryEventStore();
    const bus = localBus();
    await start(store, { bus, limits: { ...NOT_BY_ITSELF, changes: 5 } });
    await appendLive(plainEventStore(store), bus, 21);
    await eventually('the checkpoint is saved', async () => (await savedPosition(store)) === 20);
  });

  it('saves sooner while it replays', async () => {
    stopClock();
    const store = inMemoryEventStore();
    const bus = localBus();
    await appendEvents(store, 1_000);
    await start(store, { bus, limits: { ...NOT_BY_ITSELF, replayedChanges: 5 } });
    await appendLive(plainEventStore(store), bus, 7);
    await eventually('a part of the history is saved', async () => (await savedPosition(store)) > 0);
    expect(await savedPosition(store)).toBeLessThan(999);
  });

  it('keeps what could not be saved, and saves it the next time', async () => {
    const store = inMemoryEventStore();
    await appendEvents(store, 21);
    const errors: string[] = [];
    let fails = true;
    const wrap = beforeSaves(async () => {
      if (fails) throw new Error('the disk is full');
    });
    const first = await start(store, { wrap, onError: ({ message }) => errors.push(message) });
    await expect(first.states.save()).rejects.toThrow('the disk is full');
    expect(first.counts.get('sample-0')).toEqual({ count: 3 });
    fails = false;
    const { observed, counts } = await restart(store);
    expect(observed).toEqual([]);
    expect(counts.get('sample-0')).toEqual({ count: 3 });
  });

  it('waits for one save at most when it has many unsaved changes', async () => {
    stopClock();
    const store = inMemoryEventStore();
    const bus = localBus();
    const held: (() => void)[] = [];
    let holds = true;
    const wrap = beforeSaves(async () => {
      if (holds) await new Promise<void>((resolve) => held.push(resolve));
    });
    const { observed } = await start(store, { bus, wrap, limits: { ...NOT_BY_ITSELF, changes: 3 } });
    const typed = plainEventStore(store);
    await appendLive(typed, bus, 7);
    await eventually('the first save has started', () => held.length === 1);
    await appendLive(typed, bus, 7);
    await eventually('all events are observed', () => observed.length === 14);
    await appendLive(typed, bus, 7);
    await turns();
    expect(observed).toHaveLength(14);
    held[0]?.();
    await eventually('the events during the second save are observed', () => observed.length === 21 && held.length > 1);
    expect(held).toHaveLength(2);
    holds = false;
    held[1]?.();
  });

  it('has the position of the start before anything was saved', async () => {
    const { consumer } = await start(inMemoryEventStore());
    expect(consumer.position('counts')).toBe(START_OF_STORE);
  });
});

/** Returns a store that calls `before` at the beginning of each save. */
const beforeSaves =
  (before: () => Promise<void>) =>
  (inner: StateStore): StateStore => ({
    ...inner,
    open: async (consumer) => {
      const state = await inner.open(consumer);
      const save: typeof state.save = async (changes, onSaved) => {
        await before();
        await state.save(changes, onSaved);
      };
      return Object.assign(Object.create(state) as typeof state, { save });
    },
  });

function fail(error: Error): never {
  throw error;
}
