import { join } from 'node:path';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { inMemoryEventStore } from '@muster/adapter-in-memory';
import { sqliteStateStore } from '@muster/adapter-sqlite';
import type { Entries } from '@muster/decision';
import { START_OF_STORE } from '@muster/ports';
import { temporaryDirectory } from '@muster/testing';
import { localBus } from '../local-bus.fixture.spec';
import { startReactor } from '../reactor';
import { appendEvents, BusyTurns, plainEventStore } from '../stored-events.fixture.spec';
import { keptEntries, viewFold } from './kept-entries';
import { LOAD_TIME, type SavedConsumer, SavedStates } from './saved-states';

interface Member {
  readonly group: string;
}

interface Group {
  isOpen: boolean;
}

const SHAPES = ['members', 'groups'].map((name) => ({ name, fields: [] }));
/** More members than the cache for closed entries holds. */
const MEMBERS = Array.from({ length: 300 }, (_, number) => `member-${number}`);

const fail = (error: Error): never => {
  throw error;
};

describe('open entries', () => {
  const directory = temporaryDirectory();
  let files = 0;
  let file: string;
  let consumer: SavedConsumer;
  let states: SavedStates;
  let members: Entries<string, Member>;
  let groups: Entries<string, Group>;
  let loaded: string[];
  let onLoad: () => void;

  /** Members are open while their group is open. They are loaded before it. */
  const open = async (): Promise<void> => {
    loaded = [];
    onLoad = () => undefined;
    states = new SavedStates(sqliteStateStore({ file }), inMemoryEventStore(), fail);
    consumer = await states.open('test', [viewFold('test', 1, SHAPES)]);
    members = keptEntries(consumer)<string, Member, Member>({
      shape: { name: 'members', fields: [] },
      fieldsOf: () => [],
      toSaved: (member) => member,
      fromSaved: (saved, key) => {
        loaded.push(key);
        onLoad();
        return saved;
      },
      isOpen: ({ group }) => groups.peek(group)?.isOpen ?? false,
    });
    groups = keptEntries(consumer)<string, Group, Group>({
      shape: { name: 'groups', fields: [] },
      fieldsOf: () => [],
      toSaved: ({ isOpen }) => ({ isOpen }),
      fromSaved: (saved) => saved,
      isOpen: ({ isOpen }) => isOpen,
    });
  };
  const reopen = async (): Promise<void> => {
    await states.close();
    await open();
  };
  const readAgain = (): readonly string[] => {
    loaded = [];
    for (const key of MEMBERS) members.get(key);
    return loaded;
  };

  beforeEach(async () => {
    file = join(directory.path, `state-${(files += 1)}.sqlite`);
    await open();
    for (const key of MEMBERS) members.set(key, { group: 'one' });
    groups.set('one', { isOpen: true });
    consumer.reached('test', START_OF_STORE, undefined);
    await reopen();
  });
  afterEach(() => states.close());
  afterAll(() => directory.remove());

  it('are loaded over several turns of the event loop, before an event is observed', async () => {
    const eventStore = plainEventStore();
    await appendEvents(eventStore, 1);
    const turns = new BusyTurns();
    onLoad = () => turns.work();
    const loadedBefore: number[] = [];
    const reactor = startReactor({
      name: 'test',
      store: eventStore,
      requests: localBus(),
      saved: consumer,
      observe: () => loadedBefore.push(loaded.length),
      keysOf: () => [],
      react: async () => undefined,
      onError: fail,
    });
    await reactor.caughtUp;
    turns.end();
    expect(loadedBefore).toEqual([MEMBERS.length]);
    expect(turns.most()).toBeLessThanOrEqual(LOAD_TIME.maxMs / 2 + 1);
    await reactor.close();
  });

  it.each([
    ['no event is missing', 0],
    ['events are missing', 1],
  ])('are no longer loaded when the reactor is closed meanwhile and %s', async (_, missing) => {
    const eventStore = plainEventStore();
    await appendEvents(eventStore, missing);
    const turns = new BusyTurns();
    onLoad = () => turns.work();
    const called: string[] = [];
    const note = (name: string) => () => void called.push(name);
    const reactor = startReactor({
      name: 'test',
      store: eventStore,
      requests: localBus(),
      saved: consumer,
      observe: note('observe'),
      keysOf: () => [],
      react: async () => undefined,
      onError: note('onError'),
    });
    reactor.caughtUp.then(note('caught up'), note('failed'));
    await reactor.close();
    turns.end();
    expect(loaded.length).toBeGreaterThan(0);
    expect(loaded.length).toBeLessThan(MEMBERS.length);
    await reopen();
    for (let turn = 0; turn < 3; turn += 1) await nextTurn();
    expect([loaded, called]).toEqual([[], []]);
    expect(await consumer.loadOpen()).toBe(true);
    expect(loaded).toHaveLength(MEMBERS.length);
  });

  it('are no longer loaded when the saved state is closed', async () => {
    const turns = new BusyTurns();
    onLoad = () => turns.work();
    const loading = consumer.loadOpen();
    await reopen();
    turns.end();
    expect(await loading).toBe(false);
    expect(loaded).toEqual([]);
  });

  it('stay in memory, also when they are open because of an entry that is loaded later', async () => {
    await consumer.loadOpen();
    expect(readAgain()).toEqual([]);
    expect([...members.inMemory()]).toHaveLength(MEMBERS.length);
  });

  it('leave memory with the next save when they are no longer open', async () => {
    groups.set('one', { isOpen: false });
    await reopen();
    await consumer.loadOpen();
    expect(loaded).toHaveLength(MEMBERS.length);
    await states.save();
    expect(readAgain()).not.toEqual([]);
    await reopen();
    await consumer.loadOpen();
    expect(loaded).toEqual([]);
  });

  it('are prepared when the entries of all kinds are loaded', async () => {
    const prepared: number[] = [];
    keptEntries(consumer)<string, Group, Group>({
      shape: { name: 'groups', fields: [] },
      fieldsOf: () => [],
      toSaved: (saved) => saved,
      fromSaved: (saved) => saved,
      isOpen: ({ isOpen }) => isOpen,
      prepare: function* () {
        for (const _ of [1, 2]) {
          prepared.push(loaded.length);
          yield;
        }
      },
    });
    await consumer.loadOpen();
    expect(prepared).toEqual([MEMBERS.length, MEMBERS.length]);
  });
});
