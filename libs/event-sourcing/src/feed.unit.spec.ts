import { inMemoryEventStore } from '@muster/adapter-in-memory';
import type { EventStore, RecordedEvent, StoredEvent } from '@muster/ports';
import { eventually } from '@muster/testing';
import fc from 'fast-check';
import { type Feed, startFeed, type FeedOptions } from './feed';
import { type LocalBus, localBus } from './local-bus.fixture.spec';
import {
  appendEvents,
  appendLive,
  turns,
  countingStore,
  numbersOf,
  publishBeacon,
  publishEvent,
  upTo,
  type PlainEventStore,
  plainEventStore,
} from './stored-events.fixture.spec';

describe('feed', () => {
  let store: PlainEventStore & { readonly reads: number };
  let bus: LocalBus;
  let seen: RecordedEvent[];
  let errors: Error[];
  const feeds: Feed[] = [];

  const start = (options: Partial<FeedOptions<StoredEvent>> = {}): Feed => {
    const feed = startFeed({
      name: 'test',
      store,
      requests: bus,
      fromPosition: -1,
      onPage: async (page) => void seen.push(...page),
      onError: (error) => errors.push(error),
      ...options,
    });
    feeds.push(feed);
    return feed;
  };

  beforeEach(() => {
    store = countingStore();
    bus = localBus();
    seen = [];
    errors = [];
  });
  afterEach(async () => {
    await Promise.all(feeds.splice(0).map((feed) => feed.close()));
  });

  it('delivers stored events in pages and in order before caughtUp resolves', async () => {
    await appendEvents(store, 1_500);
    const feed = start();
    await feed.caughtUp;
    expect(numbersOf(seen)).toEqual(upTo(1_500));
    expect(feed.position()).toBe(await store.head());
  });

  it('has caught up immediately with an empty store', async () => {
    await start().caughtUp;
    expect(seen).toEqual([]);
  });

  it('starts after the given position', async () => {
    const [, third] = [0, (await appendEvents(store, 5))[2]];
    await start({ fromPosition: third?.position ?? 0 }).caughtUp;
    expect(numbersOf(seen)).toEqual([3, 4]);
  });

  it('delivers live events without reading the store while none is missing', async () => {
    await appendEvents(store, 3);
    await start().caughtUp;
    const readsBefore = store.reads;
    let previous = await store.head();
    for (const event of await appendEvents(store, 20)) {
      publishEvent(bus, event, previous);
      previous = event.position;
      await turns();
    }
    expect(numbersOf(seen)).toEqual(upTo(23));
    // Each call of appendEvents reads the store once.
    expect(store.reads - readsBefore).toBe(2);
  });

  it('reads the store when a live event is missing', async () => {
    await start().caughtUp;
    await appendLive(store, bus, 10, (n) => n === 4);
    await eventually('all events are delivered', () => seen.length >= 10);
    expect(numbersOf(seen)).toEqual(upTo(10));
  });

  it('detects a lost last event when the beacon announces the end of the store', async () => {
    await start().caughtUp;
    await appendLive(store, bus, 3, (n) => n === 2);
    await turns();
    expect(numbersOf(seen)).toEqual([0, 1]);
    publishBeacon(bus, await store.head());
    await eventually('the last event is delivered', () => seen.length === 3);
    expect(numbersOf(seen)).toEqual([0, 1, 2]);
  });

  it('ignores a beacon without a new position', async () => {
    const feed = start();
    await feed.caughtUp;
    await appendLive(store, bus, 2);
    await eventually('the events are delivered', () => feed.position() === 1);
    const readsBefore = store.reads;
    publishBeacon(bus, 1);
    publishBeacon(bus, 0);
    await turns();
    expect(store.reads).toBe(readsBefore);
  });

  it('delivers everything once and in order when live events are lost, repeated and reordered', async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.constantFrom('pass', 'lose', 'repeat', 'hold'), { minLength: 1, maxLength: 60 }),
        fc.nat({ max: 5 }),
        async (fates, storedBefore) => {
          const ownStore = plainEventStore();
          const ownBus = localBus();
          const got: RecordedEvent[] = [];
          await appendEvents(ownStore, storedBefore);
          const feed = startFeed({
            name: 'property',
            store: ownStore,
            requests: ownBus,
            fromPosition: -1,
            onPage: async (page) => void got.push(...page),
            onError: (error) => errors.push(error),
          });
          let previous = await ownStore.head();
          const held: (() => void)[] = [];
          for (const [n, event] of (await appendEvents(ownStore, fates.length)).entries()) {
            const before = previous;
            const publish = (): void => publishEvent(ownBus, event, before);
            if (fates[n] === 'hold') held.push(publish);
            else if (fates[n] !== 'lose') publish();
            if (fates[n] === 'repeat') publish();
            if (held.length > 2) held.splice(0).forEach((late) => late());
            if (n % 3 === 0) await turns();
            previous = event.position;
          }
          held.reverse().forEach((late) => late());
          publishBeacon(ownBus, previous);
          await eventually('the last event is delivered', () => feed.position() === previous);
          await feed.close();
          expect(numbersOf(got)).toEqual(upTo(storedBefore + fates.length));
          expect(errors).toEqual([]);
        },
      ),
      { numRuns: 150 },
    );
  });

  it('delivers the same events again after a handler failed', async () => {
    await appendEvents(store, 600);
    let failures = 2;
    const offered: number[] = [];
    const feed = start({
      onPage: async (page) => {
        offered.push(page[0]?.position ?? -1);
        if (page.some((event) => event.position >= 512) && failures-- > 0) throw new Error('read model is away');
        seen.push(...page);
      },
    });
    await feed.caughtUp;
    expect(offered).toEqual([0, 512, 512, 512]);
    expect(errors.map(({ message }) => message)).toEqual(['read model is away']);
    expect(numbersOf(seen)).toEqual(upTo(600));
  });

  it('delivers live events again after a handler failed, with the events that arrived meanwhile', async () => {
    let fails = true;
    const feed = start({
      onPage: async (page) => {
        if (fails) throw new Error('not now');
        seen.push(...page);
      },
    });
    await feed.caughtUp;
    await appendLive(store, bus, 3);
    await eventually('the handler fails', () => errors.length > 0);
    expect(feed.position()).toBe(-1);
    fails = false;
    await appendLive(store, bus, 2);
    await eventually('all events are delivered', () => seen.length >= 5);
    expect(numbersOf(seen)).toEqual(upTo(5));
  });

  it('continues after a failed read of the store', async () => {
    const raw = inMemoryEventStore();
    await appendEvents(raw, 4);
    let broken = true;
    const readAll: EventStore['readAll'] = (after) => {
      if (broken) throw new Error('disk is away');
      return raw.readAll(after);
    };
    const feed = start({ store: plainEventStore({ ...raw, readAll }) });
    await eventually('the failure is reported', () => errors.length > 0);
    broken = false;
    await feed.caughtUp;
    expect(numbersOf(seen)).toEqual(upTo(4));
  });

  it('buffers a bounded number of events while a page is processed, and reads the rest from the store', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const feed = start({
      onPage: async (page) => {
        seen.push(...page);
        await gate;
      },
    });
    await feed.caughtUp;
    await appendLive(store, bus, 1);
    await eventually('the first page is processed', () => seen.length === 1);
    await appendLive(store, bus, 5_000);
    const readsBefore = store.reads;
    release();
    await eventually('all events are delivered', () => seen.length >= 5_001);
    expect(numbersOf(seen)).toEqual(upTo(5_001));
    expect(store.reads).toBeGreaterThan(readsBefore);
  });

  it('waits for the current page when it is closed, and then delivers nothing', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    let finished = 0;
    const feed = start({
      onPage: async (page) => {
        seen.push(...page);
        await gate;
        finished += 1;
      },
    });
    await feed.caughtUp;
    await appendLive(store, bus, 1);
    await eventually('the page is processed', () => seen.length === 1);
    await appendLive(store, bus, 3);
    let isClosed = false;
    const closing = feed.close().then(() => (isClosed = true));
    await turns();
    expect(isClosed).toBe(false);
    release();
    await closing;
    await appendLive(store, bus, 2);
    await turns();
    expect({ finished, position: feed.position() }).toEqual({ finished: 1, position: 0 });
    expect(numbersOf(seen)).toEqual([0]);
  });

  it('does not report that it has caught up when it is closed before', async () => {
    await appendEvents(store, 2_000);
    let claimed = false;
    const pages: number[] = [];
    const feed: Feed = start({
      onPage: async (page) => {
        pages.push(page.length);
        void feed.close();
      },
    });
    void feed.caughtUp.then(() => (claimed = true));
    await eventually('a page is processed', () => pages.length > 0);
    await feed.close();
    await turns();
    expect({ claimed, pages }).toEqual({ claimed: false, pages: [512] });
  });

  describe('feed without live events and beacons', () => {
    beforeEach(() => jest.useFakeTimers());
    afterEach(() => jest.useRealTimers());

    it.each([0, -3_600_000])('reads the store after the interval, with a clock moved by %s ms', async (movedMs) => {
      const feed = start();
      await feed.caughtUp;
      jest.setSystemTime(Date.now() + movedMs);
      await appendEvents(store, 3);
      await jest.advanceTimersByTimeAsync(10_000);
      expect(seen).toEqual([]);
      await jest.advanceTimersByTimeAsync(50_000);
      expect(numbersOf(seen)).toEqual([0, 1, 2]);
    });

    it('reports that the store does not answer, and retries', async () => {
      let away = true;
      const feed = start({
        store: { ...store, head: () => (away ? Promise.reject(new Error('store is away')) : store.head()) },
      });
      await feed.caughtUp;
      await appendEvents(store, 1);
      await jest.advanceTimersByTimeAsync(60_000);
      expect(errors.map(({ message }) => message)).toContain('store is away');
      away = false;
      await jest.advanceTimersByTimeAsync(60_000);
      expect(numbersOf(seen)).toEqual([0]);
    });
  });
});
