import { type AppendResult, AppendTooLarge, type EventToAppend, NO_STREAM } from '@muster/ports';
import {
  collectPages,
  type Current,
  eventToAppend,
  freshStream,
  numberedEvents,
  type OpenEventStore,
  readingContract,
} from './event-store-reading.contract';
import { subscribingContract } from './event-store-subscribing.contract';

const WRITERS = 20;

export const appendingContract = (current: Current): void => {
  it('starts a stream at revision 0 and continues without gaps', async () => {
    const { store } = current();
    const stream = freshStream();
    expect(await store.append(stream, NO_STREAM, [eventToAppend()])).toMatchObject({ kind: 'appended', revision: 0 });
    expect(await store.append(stream, 0, numberedEvents(3))).toMatchObject({ kind: 'appended', revision: 3 });
    expect(await store.append(stream, 3, [eventToAppend()])).toMatchObject({ kind: 'appended', revision: 4 });
    expect((await collectPages(store.readStream(stream))).map((event) => event.revision)).toEqual([0, 1, 2, 3, 4]);
  });

  it('returns the position of the last event of the call', async () => {
    const { store } = current();
    const stream = freshStream();
    const result = await store.append(stream, NO_STREAM, numberedEvents(3));
    const events = await collectPages(store.readStream(stream));
    expect(result).toEqual({ kind: 'appended', revision: 2, position: events.at(-1)?.position });
    expect(await store.head()).toBe(events.at(-1)?.position);
  });

  it.each([
    ['a stream that must not exist and does', 2, NO_STREAM, 1],
    ['an old revision', 3, 1, 2],
    ['a future revision', 2, 2, 1],
    ['a stream that must exist and does not', 0, 0, NO_STREAM],
  ])('refuses %s and stores nothing', async (_, existing, expected, actualRevision) => {
    const { store } = current();
    const stream = freshStream();
    if (existing > 0) await store.append(stream, NO_STREAM, numberedEvents(existing));
    expect(await store.append(stream, expected, numberedEvents(2))).toEqual({ kind: 'conflict', actualRevision });
    expect(await collectPages(store.readStream(stream))).toHaveLength(existing);
  });

  it('stores an append once when it is repeated with the same ids', async () => {
    const { store } = current();
    const stream = freshStream();
    const events = numberedEvents(2);
    const first = await store.append(stream, NO_STREAM, events);
    const again = await store.append(stream, NO_STREAM, events);
    const position = first.kind === 'appended' ? first.position : NaN;
    expect([
      { kind: 'appended', revision: 1, position },
      { kind: 'conflict', actualRevision: 1 },
    ]).toContainEqual(again);
    expect(await collectPages(store.readStream(stream))).toHaveLength(2);
  });

  it('refuses an append above its limit and stores none of its events', async () => {
    const { store, maxAppendBytes } = current();
    const stream = freshStream();
    const append = store.append(stream, NO_STREAM, [
      eventToAppend(),
      eventToAppend({ text: 'x'.repeat(maxAppendBytes ?? 0) }),
    ]);
    if (maxAppendBytes === undefined) expect(await append).toMatchObject({ kind: 'appended' });
    else await expect(append).rejects.toBeInstanceOf(AppendTooLarge);
    expect(await collectPages(store.readStream(stream))).toHaveLength(maxAppendBytes === undefined ? 2 : 0);
    expect(await store.append(freshStream(), NO_STREAM, [eventToAppend()])).toMatchObject({ kind: 'appended' });
  });

  it('closes after its head was read, while a subscription is being created', async () => {
    const { store } = current();
    await store.append(freshStream(), NO_STREAM, [eventToAppend()]);
    await store.head();
    store.subscribe(
      NO_STREAM,
      async () => undefined,
      () => undefined,
    );
    await store.close();
    await expect(store.append(freshStream(), NO_STREAM, [eventToAppend()])).rejects.toThrow(/closed/);
  });

  it('accepts exactly one of many concurrent writers with the same expected revision', async () => {
    const { store } = current();
    const stream = freshStream();
    const writers = Array.from({ length: WRITERS }, (_, n) => [
      eventToAppend({ writer: n }),
      eventToAppend({ writer: n }),
    ]);
    const results = await Promise.all(writers.map((events) => store.append(stream, NO_STREAM, events)));
    const winners = results.flatMap((result, writer) => (result.kind === 'appended' ? [writer] : []));
    expect(winners).toHaveLength(1);
    expect(results.filter((result) => result.kind === 'conflict')).toHaveLength(WRITERS - 1);
    const stored = await collectPages(store.readStream(stream));
    expect(stored.map((event) => event.data.writer)).toEqual([winners[0], winners[0]]);
  });

  it('accepts concurrent appends to many streams, and a conflict does not affect the others', async () => {
    const { store } = current();
    const streams = Array.from({ length: WRITERS }, () => freshStream());
    const before = await store.head();
    const appends = streams.map((stream, n) => store.append(stream, n % 4 === 3 ? 7 : NO_STREAM, numberedEvents(2)));
    const results: AppendResult[] = await Promise.all(appends);
    expect(results.map((result) => result.kind)).toEqual(
      streams.map((_, n) => (n % 4 === 3 ? 'conflict' : 'appended')),
    );
    const stored = await collectPages(store.readAll(before));
    for (const [n, stream] of streams.entries()) {
      const revisions = stored.filter((event) => event.streamId === stream).map((event) => event.revision);
      expect(revisions).toEqual(n % 4 === 3 ? [] : [0, 1]);
    }
  });

  it('accepts consecutive appends to one stream that do not wait for each other', async () => {
    const { store } = current();
    const stream = freshStream();
    const results = await Promise.all(numberedEvents(WRITERS).map((event, n) => store.append(stream, n - 1, [event])));
    expect(results.filter((result) => result.kind === 'appended').length).toBeGreaterThan(0);
    const stored = await collectPages(store.readStream(stream));
    const accepted = results.flatMap((result, n) => (result.kind === 'appended' ? [n] : []));
    expect(stored.map((event) => event.data.n)).toEqual(accepted);
  });

  it('returns exactly the appended events', async () => {
    const { store } = current();
    const stream = freshStream('withDashes-in-it');
    const event: EventToAppend = {
      ...eventToAppend({
        text: 'ünïcödé \u{1F600} "quoted" \\ \n\t \u0000 end',
        empty: '',
        nothing: null,
        truth: [true, false],
        numbers: [0, -1, 1.5, 9_007_199_254_740_991, 1e-9],
        nested: { list: [{ a: [] }, {}], 'key with.dots and $': { deep: [[1], [2, [3]]] } },
      }),
      metadata: {
        commandId: 'command-1',
        correlationId: 'correlation-1',
        causationId: 'causation-1',
        requestId: 'request-1',
        actor: 'agent:7f0c',
        org: 'org-1',
        user: 'jane',
        sourceAddress: '192.0.2.7',
        occurredAt: '2024-05-06T07:08:09.123Z',
      },
    };
    await store.append(stream, NO_STREAM, [event]);
    const [stored] = await collectPages(store.readStream(stream));
    expect(stored).toEqual({
      ...event,
      streamId: stream,
      revision: 0,
      position: expect.any(Number),
      recordedAt: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/),
    });
  });

  it('keeps absent metadata absent', async () => {
    const { store } = current();
    const stream = freshStream();
    const event = eventToAppend();
    await store.append(stream, NO_STREAM, [event]);
    const [stored] = await collectPages(store.readStream(stream));
    expect(Object.keys(stored?.metadata ?? {}).sort()).toEqual(Object.keys(event.metadata).sort());
  });

  it('rejects an append without events', async () => {
    await expect(current().store.append(freshStream(), NO_STREAM, [])).rejects.toThrow(/at least one event/);
  });

  it('settles every accepted append before it is closed, and refuses appends afterwards', async () => {
    const { store } = current();
    const pending = store.append(freshStream(), NO_STREAM, [eventToAppend()]);
    await store.close();
    expect((await pending).kind).toBe('appended');
    await expect(store.append(freshStream(), NO_STREAM, [eventToAppend()])).rejects.toThrow(/closed/);
  });

  it('can be closed twice', async () => {
    const { store } = current();
    await store.close();
    await expect(store.close()).resolves.toBeUndefined();
  });
};

/** Tests the contract of every EventStore. Call it at the top level of a spec. */
export const eventStoreContract = (name: string, open: OpenEventStore): void => {
  describe(`${name} meets the contract of an event store`, () => {
    let opened: Awaited<ReturnType<OpenEventStore>>;
    beforeEach(async () => {
      opened = await open();
    });
    afterEach(() => opened.close());

    const current = (): Awaited<ReturnType<OpenEventStore>> => opened;
    describe('appending', () => appendingContract(current));
    describe('reading', () => readingContract(current));
    describe('subscribing', () => subscribingContract(current));
  });
};
