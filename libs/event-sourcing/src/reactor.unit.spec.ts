import { type RecordedEvent, type StoredEvent, Unavailable } from '@muster/ports';
import { eventToAppend, eventually } from '@muster/testing';
import { FEED_TIME } from './feed';
import { type LocalBus, localBus } from './local-bus.fixture.spec';
import { REACTIONS_PER_TURN_MAX } from './queues';
import { type Reactor, startReactor, type ReactorOptions } from './reactor';
import { type Relay, startRelay } from './relay';
import { appendEvents, BusyTurns, type PlainEventStore, plainEventStore } from './stored-events.fixture.spec';

describe('reactor', () => {
  let store: PlainEventStore;
  let bus: LocalBus;
  let relay: Relay;
  let observed: RecordedEvent[];
  let reacted: string[];
  let errors: string[];
  const reactors: Reactor[] = [];
  const start = (options: Partial<ReactorOptions<StoredEvent>> = {}): Reactor => {
    const reactor = startReactor({
      name: 'test',
      store,
      requests: bus,
      observe: (event) => observed.push(event),
      keysOf: (event) => [event.streamId],
      react: async (key) => void reacted.push(key),
      onError: (error) => errors.push(error.message),
      ...options,
    });
    reactors.push(reactor);
    return reactor;
  };

  beforeEach(async () => {
    store = plainEventStore();
    bus = localBus();
    observed = [];
    reacted = [];
    errors = [];
    relay = await startRelay({ store, requests: bus, onError: (error) => errors.push(error.message) });
  });
  afterEach(async () => {
    await Promise.all(reactors.splice(0).map((reactor) => reactor.close()));
    await relay.close();
  });

  it('observes all earlier events before it processes each key once', async () => {
    await appendEvents(store, 1_400);
    let seenAtFirst = 0;
    const reactor = start({
      react: async (key) => {
        seenAtFirst ||= observed.length;
        reacted.push(key);
      },
    });
    await reactor.caughtUp;
    await reactor.idle();
    expect(seenAtFirst).toBe(1_400);
    expect([...reacted].sort()).toEqual(Array.from({ length: 7 }, (_, n) => `sample-${n}`));
  });

  it('observes many events in several turns of the event loop', async () => {
    await appendEvents(store, 100);
    const turns = new BusyTurns();
    const reactor = start({ observe: () => turns.work() });
    await reactor.caughtUp;
    await reactor.idle();
    turns.end();
    expect(turns.most()).toBeLessThanOrEqual(FEED_TIME.maxMs / 2 + 1);
    expect(reacted).toHaveLength(7);
  });

  it('prepares an event in several turns before it observes it, and processes earlier keys meanwhile', async () => {
    const turns = new BusyTurns();
    const log: string[] = [];
    const reactor = start({
      isOpen: () => false,
      prepare: function* ({ revision }) {
        if (revision !== 1 || log.includes('prepared')) return;
        for (let step = 0; step < 30; step += 1) {
          turns.work();
          yield;
        }
        log.push('prepared');
      },
      observe: ({ revision }) => void log.push(`observed ${revision}`),
      keysOf: ({ revision }) => [`key ${revision}`],
      react: async (key) => void log.push(key),
    });
    await reactor.caughtUp;
    const events = [0, 1, 2].map((n) => eventToAppend({ n }));
    await store.append('sample-0', -1, events);
    await eventually('all keys were processed', () => log.includes('key 2'));
    turns.end();
    expect(log).toEqual(['observed 0', 'key 0', 'prepared', 'observed 1', 'observed 2', 'key 1', 'key 2']);
    expect(turns.most()).toBeLessThanOrEqual(FEED_TIME.maxMs / 2 + 1);
  });

  it.each(['now', 'later'])('observes each event once when the second one could not be prepared %s', async (when) => {
    let failures = 0;
    const reactor = start({
      prepare: function* ({ revision }) {
        if (revision !== 1) return;
        if (when === 'later') yield;
        if (failures++ === 0) throw new Error('a row could not be read');
      },
    });
    await reactor.caughtUp;
    await store.append(
      'sample-0',
      -1,
      [0, 1, 2].map((n) => eventToAppend({ n })),
    );
    await eventually('the last event was observed', () => observed.at(-1)?.revision === 2);
    expect(observed.map(({ revision }) => revision)).toEqual([0, 1, 2]);
    expect(errors).toEqual(['a row could not be read']);
  });

  it('processes the key of an event although the next one could not be prepared', async () => {
    const reactor = start({
      prepare: function* ({ revision }) {
        if (revision === 1) throw new Error('a row could not be read');
      },
      keysOf: ({ revision }) => [`key ${revision}`],
    });
    await reactor.caughtUp;
    await store.append('sample-0', -1, [eventToAppend({ n: 0 }), eventToAppend({ n: 1 })]);
    await eventually('the failure was reported', () => errors.length > 0);
    await reactor.followed(0);
    expect(reacted).toEqual(['key 0']);
  });

  it('resolves followed for a position that it observes later', async () => {
    const reactor = start();
    await reactor.caughtUp;
    const next = (await store.head()) + 1;
    const followed = reactor.followed(next).then(() => observed.map(({ position }) => position));
    await appendEvents(store, 1);
    expect(await store.head()).toBe(next);
    expect(await followed).toEqual([next]);
  });

  it('resolves followed after a start when the keys from before were processed', async () => {
    await appendEvents(store, 7);
    let release = (): void => undefined;
    const released = new Promise<void>((resolve) => (release = resolve));
    const reactor = start({ react: (key) => released.then(() => void reacted.push(key)) });
    const followed = reactor.followed(0).then(() => reacted.length);
    await reactor.caughtUp;
    release();
    expect(await followed).toBe(7);
  });

  it.each([
    ['it has caught up', false, 0],
    ['the event was observed', true, 7],
    ['all keys were processed', true, 0],
  ])('rejects followed when it is closed before %s', async (_, isLive, position) => {
    await appendEvents(store, 7);
    const reactor = start();
    if (isLive) await reactor.caughtUp;
    const rejected = expect(reactor.followed(position)).rejects.toThrow(Unavailable);
    await Promise.all([reactor.close(), rejected]);
    await expect(reactor.followed(position + 1)).rejects.toThrow(Unavailable);
  });

  it('resolves followed when the event was observed and its key was processed', async () => {
    const finishes: (() => void)[] = [];
    const reactor = start({
      react: (key) => new Promise((done) => void finishes.push(() => (reacted.push(key), done()))),
    });
    await reactor.caughtUp;
    await appendEvents(store, 1);
    let isFollowed = false;
    const followed = reactor.followed(await store.head()).then(() => (isFollowed = true));
    await eventually('the reaction has started', () => finishes.length === 1 && observed.length === 1);
    expect(isFollowed).toBe(false);
    finishes[0]?.();
    await followed;
    expect(reacted).toHaveLength(1);
    await reactor.followed(await store.head());
  });

  it('processes only open keys after a start', async () => {
    await appendEvents(store, 14);
    const reactor = start({ isOpen: (key) => key === 'sample-3' });
    await reactor.caughtUp;
    await reactor.idle();
    expect(reacted).toEqual(['sample-3']);
  });

  it('checks the keys of a start in several turns, except those that became due again', async () => {
    await appendEvents(store, 100);
    const checked: string[] = [];
    const reactor = start({
      keysOf: ({ position }) => [`${position}`],
      isOpen: (key) => checked.push(key) < 0,
    });
    await reactor.caughtUp;
    // On a slow machine fewer of them fit into the first turn.
    expect(checked.length).toBeLessThanOrEqual(REACTIONS_PER_TURN_MAX);
    reactor.wake('99');
    await reactor.idle();
    expect(checked).toHaveLength(99);
    expect(reacted).toEqual(['99']);
  });

  it('processes every live event after it observed the event', async () => {
    const reactor = start({
      isOpen: () => false,
      react: async (key) => void reacted.push(`${key} after ${observed.length}`),
    });
    await reactor.caughtUp;
    await appendEvents(store, 1);
    await eventually('the reaction runs', () => reacted.length === 1);
    expect(reacted).toEqual(['sample-0 after 1']);
    expect(reactor.position()).toBe(0);
  });

  it('processes a key once for the events of one append', async () => {
    const reactor = start({ react: async (key) => void reacted.push(`${key} after ${observed.length}`) });
    await reactor.caughtUp;
    await store.append('sample-0', -1, [eventToAppend({ n: 0 }), eventToAppend({ n: 1 })]);
    await eventually('both events were observed', () => observed.length === 2);
    await reactor.idle();
    expect(reacted).toEqual(['sample-0 after 2']);
  });

  it('processes a key once for all events that arrived while it was running', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const reactor = start({
      keysOf: () => ['one'],
      react: async () => {
        reacted.push(`with ${observed.length}`);
        if (reacted.length === 1) await gate;
      },
    });
    await reactor.caughtUp;
    await appendEvents(store, 1);
    await eventually('the reaction is running', () => reacted.length === 1);
    await appendEvents(store, 30);
    await eventually('all events were observed', () => observed.length === 31);
    release();
    await eventually('the reaction runs again', () => reacted.length === 2);
    await reactor.idle();
    expect(reacted).toEqual(['with 1', 'with 31']);
  });

  it('pauses a failing key with its reason and continues with the others', async () => {
    let sick = true;
    const reactor = start({
      react: async (key) => {
        if (key === 'sample-0' && sick) throw new Error('the image is not there');
        reacted.push(key);
      },
    });
    await reactor.caughtUp;
    await appendEvents(store, 7);
    await eventually('the other keys are processed', () => reacted.length === 6);
    expect(reactor.parked('sample-0')).toMatchObject({ reason: 'the image is not there' });
    expect(reactor.parked('sample-1')).toBeUndefined();
    sick = false;
    await eventually('the failing key is retried', () => reacted.includes('sample-0'));
    expect(reactor.parked('sample-0')).toBeUndefined();
    expect(errors).toContain('the image is not there');
  });

  it('processes a key without an event when wake is called', async () => {
    const reactor = start();
    await reactor.caughtUp;
    reactor.wake('without-event');
    await reactor.idle();
    expect(reacted).toEqual(['without-event']);
  });

  it('observes events while reactions do not complete', async () => {
    const reactor = start({ react: () => new Promise(() => undefined) });
    await reactor.caughtUp;
    reactors.pop();
    await appendEvents(store, 200);
    await eventually('all events were observed', () => observed.length === 200);
  });

  it('does not process keys when it is closed before all earlier events were observed', async () => {
    await appendEvents(store, 2_000);
    let reactor: Reactor | undefined = undefined;
    let closing: Promise<void> | undefined;
    reactor = start({
      observe: (event) => {
        observed.push(event);
        closing ??= reactor?.close();
      },
    });
    await eventually('the reactor closes', () => closing !== undefined);
    await closing;
    expect(observed).toHaveLength(512);
    expect(reacted).toEqual([]);
  });
});
