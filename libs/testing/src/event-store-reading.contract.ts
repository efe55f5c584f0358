import { randomUUID } from 'node:crypto';
import {
  type EventStore,
  type EventToAppend,
  type JsonObject,
  NO_STREAM,
  type RecordedEvent,
  type StreamId,
} from '@muster/ports';

/** A valid event with new ids. */
export const eventToAppend = (data: JsonObject = {}, type = 'SampleHappened'): EventToAppend => ({
  id: randomUUID(),
  type,
  data,
  metadata: {
    commandId: randomUUID(),
    correlationId: randomUUID(),
    actor: 'service:testing',
    occurredAt: '2024-01-01T00:00:00.000Z',
  },
});

/** `count` events whose data is `{ n: 0 … count - 1 }`. */
export const numberedEvents = (count: number): EventToAppend[] =>
  Array.from({ length: count }, (_, n) => eventToAppend({ n }));

/** Returns the name of a stream that no other test uses. */
export const freshStream = (category = 'sample'): StreamId => `${category}-${randomUUID()}`;

/** Returns all events of all pages. */
export const collectPages = async <Event = RecordedEvent>(pages: AsyncIterable<readonly Event[]>): Promise<Event[]> => {
  const events: Event[] = [];
  for await (const page of pages) events.push(...page);
  return events;
};

/**
 * Opens a store for one test. The store may already contain other events. `reopen` closes it and opens another one with
 * the same data. It is absent when the data is not kept after the close.
 */
export type OpenEventStore = () => Promise<{
  readonly store: EventStore;
  close(): Promise<void>;
  reopen?(): Promise<EventStore>;
  /** The maximum size of one append, for stores that have one. */
  readonly maxAppendBytes?: number;
}>;

export type Current = () => Awaited<ReturnType<OpenEventStore>>;

/** More than two pages of every adapter. */
const MANY = 1_300;

export const readingContract = (current: Current): void => {
  it('returns nothing for a stream that does not exist', async () => {
    expect(await collectPages(current().store.readStream(freshStream()))).toEqual([]);
  });

  it('reads a long stream in order, from the start or after a revision', async () => {
    const { store } = current();
    const stream = freshStream();
    await store.append(stream, NO_STREAM, numberedEvents(MANY));
    const all = await collectPages(store.readStream(stream));
    expect(all.map((event) => event.revision)).toEqual(Array.from({ length: MANY }, (_, n) => n));
    expect(all.map((event) => event.data.n)).toEqual(all.map((event) => event.revision));
    expect(await collectPages(store.readStream(stream, NO_STREAM))).toEqual(all);
    expect(await collectPages(store.readStream(stream, 600))).toEqual(all.slice(601));
    expect(await collectPages(store.readStream(stream, MANY - 1))).toEqual([]);
    expect(await collectPages(store.readStream(stream, MANY + 5))).toEqual([]);
  });

  it('returns no empty page', async () => {
    const { store } = current();
    const before = await store.head();
    const stream = freshStream();
    await store.append(stream, NO_STREAM, numberedEvents(512));
    for await (const page of store.readStream(stream)) expect(page.length).toBeGreaterThan(0);
    for await (const page of store.readAll(before)) expect(page.length).toBeGreaterThan(0);
  });

  it('does not mix streams whose names have the same prefix', async () => {
    const { store } = current();
    const stream = freshStream();
    await store.append(stream, NO_STREAM, [eventToAppend({ n: 1 })]);
    await store.append(`${stream}0`, NO_STREAM, [eventToAppend({ n: 2 })]);
    expect((await collectPages(store.readStream(stream))).map((event) => event.data.n)).toEqual([1]);
  });

  it('reads all streams in order of position, after any position', async () => {
    const { store } = current();
    const before = await store.head();
    const [one, two] = [freshStream('one'), freshStream('two')];
    for (let n = 0; n < 6; n += 1) {
      await store.append(n % 2 ? one : two, n < 2 ? NO_STREAM : Math.floor(n / 2) * 3 - 1, [
        eventToAppend({ n: n * 3 }),
        eventToAppend({ n: n * 3 + 1 }),
        eventToAppend({ n: n * 3 + 2 }),
      ]);
    }
    const all = await collectPages(store.readAll(before));
    expect(all.map((event) => event.data.n)).toEqual(Array.from({ length: 18 }, (_, n) => n));
    for (const [index, event] of all.entries()) {
      expect(event.position).toBeGreaterThan(all[index - 1]?.position ?? before);
      expect(await collectPages(store.readAll(event.position))).toEqual(all.slice(index + 1));
    }
    expect(all.at(-1)?.position).toBe(await store.head());
  });

  it('returns the same event from its stream and from the whole store', async () => {
    const { store } = current();
    const before = await store.head();
    const stream = freshStream();
    await store.append(stream, NO_STREAM, numberedEvents(5));
    expect(await collectPages(store.readAll(before))).toEqual(await collectPages(store.readStream(stream)));
  });

  it('continues with events that were appended during the read', async () => {
    const { store } = current();
    const before = await store.head();
    const stream = freshStream();
    await store.append(stream, NO_STREAM, numberedEvents(2));
    const seen: unknown[] = [];
    for await (const page of store.readAll(before)) {
      if (seen.length === 0) await store.append(stream, 1, [eventToAppend({ n: 2 })]);
      seen.push(...page.map((event) => event.data.n));
    }
    expect(seen).toEqual([0, 1, 2]);
  });

  it('returns the same events to concurrent readers', async () => {
    const { store } = current();
    const before = await store.head();
    await store.append(freshStream(), NO_STREAM, numberedEvents(MANY));
    const all = await collectPages(store.readAll(before));
    const offsets = [0, 1, 511, 512, 513, 1_000];
    const answers = await Promise.all(offsets.map((offset) => collectPages(store.readAll(all[offset]?.position ?? 0))));
    expect(answers.map((answer) => answer.length)).toEqual(offsets.map((offset) => MANY - offset - 1));
    for (const [n, answer] of answers.entries()) expect(answer[0]).toEqual(all[(offsets[n] ?? 0) + 1]);
  });

  it('has all events after it was reopened, and continues the positions', async () => {
    const opened = current();
    if (opened.reopen === undefined) return;
    const before = await opened.store.head();
    const stream = freshStream();
    await opened.store.append(stream, NO_STREAM, numberedEvents(3));
    const stored = await collectPages(opened.store.readAll(before));
    const store = await opened.reopen();
    expect(await collectPages(store.readAll(before))).toEqual(stored);
    expect(await store.append(stream, 1, [eventToAppend()])).toEqual({ kind: 'conflict', actualRevision: 2 });
    const next = await store.append(stream, 2, [eventToAppend()]);
    expect(next).toMatchObject({ kind: 'appended', revision: 3 });
    expect(next.kind === 'appended' && next.position).toBeGreaterThan(stored.at(-1)?.position ?? Infinity);
  });
};
