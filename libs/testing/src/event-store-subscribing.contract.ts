import { type EventStore, NO_STREAM, type RecordedEvent } from '@muster/ports';
import { eventually } from './clock-and-ids';
import { type Current, eventToAppend, freshStream, numberedEvents } from './event-store-reading.contract';

const MANY = 1_300;

const fail = (error: Error): void => {
  throw error;
};

/** A subscriber that records its events. */
const recordEvents = (store: EventStore, after: number) => {
  const seen: RecordedEvent[] = [];
  const subscription = store.subscribe(after, async (page) => void seen.push(...page), fail);
  return { seen, subscription, numbers: () => seen.map((event) => event.data.n) };
};

export const subscribingContract = (current: Current): void => {
  it('delivers stored events and then new events, once each and in order', async () => {
    const { store } = current();
    const before = await store.head();
    const stream = freshStream();
    const events = numberedEvents(MANY + 50);
    await store.append(stream, NO_STREAM, events.slice(0, MANY));
    const { seen, numbers, subscription } = recordEvents(store, before);
    for (let n = MANY; n < MANY + 50; n += 1) await store.append(stream, n - 1, events.slice(n, n + 1));
    await eventually('all events arrive', () => seen.length >= MANY + 50);
    await subscription.close();
    expect(numbers()).toEqual(events.map((event) => event.data.n));
  });

  it('starts after the given position', async () => {
    const { store } = current();
    const stream = freshStream();
    const first = await store.append(stream, NO_STREAM, [eventToAppend({ n: 0 })]);
    await store.append(stream, 0, [eventToAppend({ n: 1 })]);
    const { seen, numbers, subscription } = recordEvents(store, first.kind === 'appended' ? first.position : NaN);
    await eventually('the later event arrives', () => seen.length >= 1);
    await subscription.close();
    expect(numbers()).toEqual([1]);
  });

  it('delivers an event to a subscription that has caught up', async () => {
    const { store } = current();
    const stream = freshStream();
    await store.append(stream, NO_STREAM, [eventToAppend({ n: 0 })]);
    const { seen, numbers, subscription } = recordEvents(store, await store.head());
    for (let n = 1; n <= 3; n += 1) {
      await store.append(stream, n - 1, [eventToAppend({ n })]);
      await eventually(`event ${n} arrives`, () => seen.length >= n);
    }
    await subscription.close();
    expect(numbers()).toEqual([1, 2, 3]);
  });

  it('serves several subscriptions, and a slow one does not delay the others or the writers', async () => {
    const { store } = current();
    const before = await store.head();
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => {
      release = resolve;
    });
    const slowPages: number[] = [];
    const slow = store.subscribe(before, (page) => (slowPages.push(page.length), gate), fail);
    const quick = recordEvents(store, before);
    const stream = freshStream();
    for (let n = 0; n < 5; n += 1) await store.append(stream, n - 1, [eventToAppend({ n })]);
    await eventually('the fast subscription has all events', () => quick.seen.length >= 5);
    await eventually('the slow subscription has its first page', () => slowPages.length > 0);
    expect(slowPages).toHaveLength(1);
    release();
    await eventually(
      'the slow subscription has all events',
      () => slowPages.reduce((sum, length) => sum + length, 0) >= 5,
    );
    await Promise.all([slow.close(), quick.subscription.close()]);
    expect(slowPages.reduce((sum, length) => sum + length, 0)).toBe(5);
  });

  it('delivers a page only after the previous page was handled', async () => {
    const { store } = current();
    const before = await store.head();
    await store.append(freshStream(), NO_STREAM, numberedEvents(MANY));
    let handling = 0;
    let handlingMax = 0;
    let seen = 0;
    const subscription = store.subscribe(
      before,
      async (page) => {
        handling += 1;
        handlingMax = Math.max(handlingMax, handling);
        await new Promise((resolve) => setImmediate(resolve));
        handling -= 1;
        seen += page.length;
      },
      fail,
    );
    await store.append(freshStream(), NO_STREAM, numberedEvents(5));
    await eventually('all events arrive', () => seen >= MANY + 5);
    await subscription.close();
    expect(handlingMax).toBe(1);
  });

  it('ends at the first page that is rejected, and reports the error', async () => {
    const { store } = current();
    const before = await store.head();
    const stream = freshStream();
    await store.append(stream, NO_STREAM, [eventToAppend()]);
    const errors: Error[] = [];
    let pages = 0;
    const broken = async (): Promise<void> => {
      pages += 1;
      throw new Error('the handler broke');
    };
    const subscription = store.subscribe(before, broken, (error) => errors.push(error));
    await eventually('the error is reported', () => errors.length > 0);
    const { seen, subscription: other } = recordEvents(store, before);
    await store.append(stream, 0, [eventToAppend()]);
    await eventually('another subscription has both events', () => seen.length >= 2);
    expect(errors.map((error) => error.message)).toEqual(['the handler broke']);
    expect(pages).toBe(1);
    await Promise.all([subscription.close(), other.close()]);
  });

  it('delivers nothing after it was closed, and completes the current page', async () => {
    const { store } = current();
    const before = await store.head();
    const stream = freshStream();
    await store.append(stream, NO_STREAM, [eventToAppend()]);
    let entered = false;
    let finished = false;
    let pages = 0;
    const subscription = store.subscribe(
      before,
      async () => {
        pages += 1;
        entered = true;
        await new Promise((resolve) => setTimeout(resolve, 20));
        finished = true;
      },
      fail,
    );
    await eventually('the first page is processed', () => entered);
    await subscription.close();
    expect(finished).toBe(true);
    await store.append(stream, 0, [eventToAppend()]);
    const { seen, subscription: other } = recordEvents(store, before);
    await eventually('another subscription has both events', () => seen.length >= 2);
    await other.close();
    expect(pages).toBe(1);
  });

  it('closes while a subscription is waiting', async () => {
    const { store } = current();
    const { subscription, seen } = recordEvents(store, await store.head());
    await store.close();
    await subscription.close();
    expect(seen).toEqual([]);
  });
};
