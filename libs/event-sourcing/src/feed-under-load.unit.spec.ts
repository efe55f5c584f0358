import { keepJsonLength, type RecordedEvent } from '@muster/ports';
import { isObject } from '@muster/schema';
import { eventually } from '@muster/testing';
import { type Feed, startFeed } from './feed';
import { localBus } from './local-bus.fixture.spec';
import { eventSubject } from './shared-events';
import {
  appendEvents,
  appendLive,
  countingStore,
  numbersOf,
  publishBeacon,
  publishEvent,
  turns,
  upTo,
} from './stored-events.fixture.spec';

/** A feed whose pages are handled one by one when the test permits it. */
const startSlow = (store = countingStore()) => {
  const bus = localBus();
  const seen: RecordedEvent[] = [];
  const gates: (() => void)[] = [];
  let isHeld = false;
  const feed: Feed = startFeed({
    name: 'slow',
    store,
    requests: bus,
    fromPosition: -1,
    onPage: async (page) => {
      if (isHeld) await new Promise<void>((resolve) => gates.push(resolve));
      seen.push(...page);
    },
    onError: (error) => {
      throw error;
    },
  });
  const hold = (): void => void (isHeld = true);
  const release = (): void => {
    isHeld = false;
    for (const open of gates.splice(0)) open();
  };
  return { store, bus, seen, gates, feed, hold, release };
};

/** Appends events whose page waits until it is released. */
async function beginPage(hold: () => void, append: () => Promise<unknown>, gates: readonly unknown[]): Promise<void> {
  hold();
  await append();
  await turns();
  expect(gates).toHaveLength(1);
}

describe('a feed that is slower than its events', () => {
  const feeds: Feed[] = [];
  const begin = (...options: Parameters<typeof startSlow>): ReturnType<typeof startSlow> => {
    const one = startSlow(...options);
    feeds.push(one.feed);
    return one;
  };
  afterEach(async () => {
    await Promise.all(feeds.splice(0).map((feed) => feed.close()));
  });

  it('does not read the store for a beacon about events that it has received', async () => {
    const { store, bus, seen, gates, feed, hold, release } = begin();
    await feed.caughtUp;
    await beginPage(hold, () => appendLive(store, bus, 2), gates);
    publishBeacon(bus, await store.head());
    await appendLive(store, bus, 3);
    publishBeacon(bus, await store.head());
    const readsBefore = store.reads;
    release();
    await eventually('all events are handled', () => seen.length === 5);
    await turns();
    expect(numbersOf(seen)).toEqual(upTo(5));
    expect(store.reads).toBe(readsBefore);
  });

  it('reads the store up to the next live event only', async () => {
    const store = countingStore();
    const inner = store.readShared.bind(store);
    let endsLate = false;
    // Like a store to which others append all the time: a read that began late never ends.
    const readShared: typeof store.readShared = async function* (after) {
      yield* inner(after);
      if (endsLate) await new Promise(() => undefined);
    };
    const { bus, seen, feed } = begin(Object.assign(store, { readShared }));
    await feed.caughtUp;
    endsLate = true;
    await appendLive(store, bus, 6, (n) => n < 4);
    await eventually('the lost events are read', () => seen.length >= 5);
    await appendLive(store, bus, 3);
    await eventually('the next live events are handled', () => seen.length === 9);
    expect(numbersOf(seen)).toEqual(upTo(9));
  });

  it('keeps the newest live events and reads the others from the store', async () => {
    const { store, bus, seen, feed, gates, hold, release } = begin();
    await feed.caughtUp;
    await beginPage(hold, () => appendLive(store, bus, 1), gates);
    await appendLive(store, bus, 3_000);
    const readsBefore = store.reads;
    release();
    await eventually('all events are handled', () => seen.length === 3_001);
    expect(numbersOf(seen)).toEqual(upTo(3_001));
    expect(store.reads).toBe(readsBefore + 1);
  });

  it('keeps as many of the newest live events as have 16 MiB together, and reads the others from the store', async () => {
    const { store, bus, seen, feed, gates, hold, release } = begin();
    await feed.caughtUp;
    await beginPage(hold, () => appendLive(store, bus, 1), gates);
    bus.deliveryFault((message) => {
      if (isObject(message.body)) keepJsonLength(message.body, 1024 ** 2);
      return [message];
    });
    const readsFor = async (count: number): Promise<number> => {
      await appendLive(store, bus, count);
      const readsBefore = store.reads;
      release();
      const all = (await store.head()) + 1;
      await eventually('all events are handled', () => seen.length === all);
      expect(numbersOf(seen)).toEqual(upTo(all));
      return store.reads - readsBefore;
    };
    expect(await readsFor(16)).toBe(0);
    hold();
    await appendLive(store, bus, 1);
    await turns();
    expect(await readsFor(17)).toBe(1);
  });

  it('stops reading when the store does not contain an announced event', async () => {
    const { store, bus, seen, feed } = begin();
    await feed.caughtUp;
    const [event] = await appendEvents(countingStore(), 1);
    if (!event) throw new Error('No event was stored.');
    publishEvent(bus, { ...event, position: 1_000 }, 999);
    bus.publish(eventSubject('sample'), { wrong: true });
    await turns();
    const readsBefore = store.reads;
    await turns();
    expect(store.reads).toBe(readsBefore);
    await appendLive(store, bus, 2);
    await eventually('the events of the store are handled', () => seen.length === 2);
  });

  it('is closed without a pause when the page that it handles fails meanwhile', async () => {
    jest.useFakeTimers();
    try {
      const store = countingStore();
      await appendEvents(store, 1);
      const errors: string[] = [];
      let fail = (_error: Error): void => undefined;
      const feed = startFeed({
        name: 'failing',
        store,
        requests: localBus(),
        fromPosition: -1,
        onPage: () => new Promise((_, reject) => void (fail = reject)),
        onError: ({ message }) => errors.push(message),
      });
      await turns();
      let isClosed = false;
      void feed.close().then(() => (isClosed = true));
      fail(new Error('a row could not be read'));
      await turns();
      expect({ isClosed, errors }).toEqual({ isClosed: true, errors: ['a row could not be read'] });
    } finally {
      jest.useRealTimers();
    }
  });
});
