import v8 from 'node:v8';
import { inMemoryEventStore } from '@muster/adapter-in-memory';
import { type RecordedEvent, START_OF_STORE, type StoredEvent } from '@muster/ports';
import { collectPages, eventually } from '@muster/testing';
import { type Feed, startFeed } from './feed';
import { localBus } from './local-bus.fixture.spec';
import { SharedReader } from './shared-reader';
import {
  appendEvents,
  countingStore,
  numbersOf,
  type PlainEventStore,
  publishEvent,
  turns,
  upTo,
} from './stored-events.fixture.spec';

const EVENTS = 5_000;
/** Pages that are kept for slower consumers. */
const WINDOW_PAGES = 8;

describe('feeds on one store', () => {
  let store: PlainEventStore & { readonly reads: number };
  const feeds: Feed[] = [];
  const bus = localBus();
  const follow = (handlingMs: number, fromPosition = START_OF_STORE) => {
    const seen: StoredEvent[] = [];
    const onPage = async (page: readonly StoredEvent[]): Promise<void> => {
      seen.push(...page);
      if (handlingMs > 0) await new Promise((resolve) => setTimeout(resolve, handlingMs));
    };
    const feed = startFeed({ name: 'test', store, requests: bus, fromPosition, onPage, onError: fail });
    feeds.push(feed);
    return { feed, seen };
  };

  beforeEach(async () => {
    const stored = inMemoryEventStore();
    await appendEvents(stored, EVENTS);
    store = countingStore(stored);
  });
  afterEach(() => Promise.all(feeds.splice(0).map((feed) => feed.close())));

  it('catch up with one read of the store at different speeds', async () => {
    const followers = [0, 1, 3, 0, 2].map((handlingMs) => follow(handlingMs));
    await Promise.all(followers.map(({ feed }) => feed.caughtUp));
    for (const { seen } of followers) expect(numbersOf(seen as never)).toEqual(upTo(EVENTS));
    // One read from start to end, and one read of the end for each feed.
    expect(store.reads).toBeLessThanOrEqual(1 + followers.length);
  });

  it('catch up from different checkpoints', async () => {
    const followers = [START_OF_STORE, 700, 4_998, EVENTS - 1].map((from) => ({ from, ...follow(0, from) }));
    await Promise.all(followers.map(({ feed }) => feed.caughtUp));
    for (const { from, seen } of followers) expect(numbersOf(seen as never)).toEqual(upTo(EVENTS).slice(from + 1));
  });

  it('restrict the growth of the heap while they read', async () => {
    const setFlags = jest.spyOn(v8, 'setFlagsFromString');
    const followers = [follow(0), follow(1)];
    await Promise.all(followers.map(({ feed }) => feed.caughtUp));
    expect(setFlags.mock.calls.flat()).toEqual(['--heap-growing-percent=20', '--heap-growing-percent=0']);
    setFlags.mockRestore();
  });

  it('receive an event that is stored while they read', async () => {
    const followers = [follow(1), follow(0)];
    const [last] = await appendEvents(store, 1);
    if (last) publishEvent(bus, last, EVENTS - 1);
    await eventually('all events arrive', () => followers.every(({ seen }) => seen.length === EVENTS + 1));
  });

  it('wait for a consumer that does not continue, but not forever', async () => {
    const reader = new SharedReader((after) => store.readAll(after), 20);
    const still = reader.readAll(START_OF_STORE)[Symbol.asyncIterator]();
    await still.next();
    await appendEvents(store, 20_000);
    expect(await collectPages(reader.readAll(START_OF_STORE))).toHaveLength(EVENTS + 20_000);
    await still.return(undefined);
  });

  it('delivers every event to a consumer that starts while one that was left behind reads on', async () => {
    let reading = Promise.resolve();
    let letRead = (): void => undefined;
    const reader = new SharedReader(async function* (after) {
      await reading;
      yield* store.readAll(after);
    }, 20);
    const start = () => reader.readAll(START_OF_STORE)[Symbol.asyncIterator]();
    const lastOf = async (pages: ReturnType<typeof start>): Promise<number> =>
      ((await pages.next()).value as readonly RecordedEvent[]).at(-1)?.position ?? NaN;
    const [slow, fast] = [start(), start()];
    let reached = await lastOf(slow);
    // The fast consumer waits for the slow one, continues without it, and ends.
    let end = await lastOf(fast);
    for (let pages = 0; pages < WINDOW_PAGES; pages += 1) end = await lastOf(fast);
    while (reached < end) reached = await lastOf(slow);
    await fast.return(undefined);
    reading = new Promise((resolve) => (letRead = resolve));
    const further = lastOf(slow);
    await turns();
    const third = collectPages(reader.readAll(START_OF_STORE));
    letRead();
    expect(numbersOf((await third) as never)).toEqual(upTo(EVENTS));
    expect(await further).toBeGreaterThan(end);
    await slow.return(undefined);
  });
});

function fail(error: Error): never {
  throw error;
}
