import { type EventStore, NO_STREAM, type RecordedEvent, Unavailable } from '@muster/ports';
import { collectPages, eventStoreContract, eventToAppend, eventually, needsServer } from '@muster/testing';
import { eventStoreDbEventStore } from './event-store';
import { type GrpcStore, startGrpcStore } from '@muster/testing/grpc-store';

const MAX_APPEND_BYTES = 1024 ** 2;
/** Short, so that a test of a frozen node does not wait long. On a busy machine, an answer may take longer. */
const OPERATION_TIMEOUT_MS = 1_000;
/** For operations that a server answers. */
const PATIENT_TIMEOUT_MS = 20_000;
const STREAM = 'sample-1';

needsServer('EVENTSTORE_URL', 'esdb://127.0.0.1:2113?tls=false', 'EventStoreDB', (url) =>
  eventStoreContract('EventStoreDB', async () => {
    const store = eventStoreDbEventStore({ url });
    const reopen = async (): Promise<EventStore> => {
      await store.close();
      return eventStoreDbEventStore({ url });
    };
    return { store, reopen, close: () => store.close(), maxAppendBytes: MAX_APPEND_BYTES };
  }),
);

eventStoreContract('protocol of EventStoreDB', async () => {
  const server = await startGrpcStore();
  const options = { url: server.url, operationTimeoutMs: PATIENT_TIMEOUT_MS };
  const store = eventStoreDbEventStore(options);
  const opened = [store];
  const reopen = async (): Promise<EventStore> => {
    await store.close();
    opened.push(eventStoreDbEventStore(options));
    return opened[1] ?? store;
  };
  const close = async (): Promise<void> => {
    for (const one of opened) await one.close();
    await server.close();
  };
  return { store, reopen, close, maxAppendBytes: MAX_APPEND_BYTES };
});

describe('pages of long events', () => {
  it('have a limited length and all events, on one connection', async () => {
    const server = await startGrpcStore();
    const store = eventStoreDbEventStore({ url: server.url, operationTimeoutMs: PATIENT_TIMEOUT_MS });
    try {
      const appended = Array.from({ length: 24 }, (_, n) => eventToAppend({ n, text: 'x'.repeat(300 * 1024) }));
      for (const [n, event] of appended.entries()) await store.append(STREAM, n - 1, [event]);
      for (const read of [() => store.readAll(-1), () => store.readStream(STREAM)]) {
        const pages: (readonly RecordedEvent[])[] = [];
        for await (const page of read()) pages.push(page);
        expect(pages.flat().map(({ data }) => data['n'])).toEqual(appended.map((_, n) => n));
        expect(Math.max(...pages.map(({ length }) => length))).toBeLessThanOrEqual(8);
      }
      await store.append('sample-2', NO_STREAM, [eventToAppend()]);
      expect(server.appendStreams).toBe(1);
    } finally {
      await store.close();
      await server.close();
    }
  });
});

describe('event store on an EventStoreDB server that is not available', () => {
  let server: GrpcStore;
  let store: EventStore;
  beforeEach(async () => {
    server = await startGrpcStore();
    store = eventStoreDbEventStore({ url: server.url, operationTimeoutMs: OPERATION_TIMEOUT_MS });
    const events = [eventToAppend()];
    await untilAnswered(() => store.append('sample-0', NO_STREAM, events));
  });
  afterEach(async () => {
    await store.close();
    await server.close();
  });

  const failureOf = async (work: Promise<unknown>): Promise<Unavailable> => {
    const error: unknown = await work.then(
      () => undefined,
      (reason: unknown) => reason,
    );
    if (error instanceof Unavailable) return error;
    throw new Error(`not an Unavailable: ${String(error)}`);
  };
  it('fails reads in progress when the client is replaced, instead of returning what arrived', async () => {
    server.freeze();
    const sentMs = performance.now();
    const first = failureOf(store.head());
    await eventually('the first read times out before the others', () => performance.now() - sentMs > 50);
    const others = [store.head(), collectPages(store.readStream('sample-0')), collectPages(store.readAll(-1))];
    for (const read of [first, ...others.map(failureOf)]) expect((await read).server).toContain('EventStoreDB');
  });

  /** Repeats the operation until it is answered. The client detects the return of the server at its own intervals. */
  const untilAnswered = async <Result>(operation: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      try {
        return await operation();
      } catch (error) {
        if (!(error instanceof Unavailable)) throw error;
        await new Promise((resolve) => setTimeout(resolve, 50));
      }
    }
  };
  const appendUntilAnswered = (events = [eventToAppend()], to = store): ReturnType<EventStore['append']> =>
    untilAnswered(() => to.append(STREAM, NO_STREAM, events));
  const patientStore = (): EventStore =>
    eventStoreDbEventStore({ url: server.url, operationTimeoutMs: PATIENT_TIMEOUT_MS });

  it('throws Unavailable with the address, and works again when the server returns', async () => {
    await server.refuse();
    const failure = await failureOf(store.append(STREAM, NO_STREAM, [eventToAppend()]));
    expect(failure.server).toBe(`EventStoreDB at ${server.url.slice('esdb://'.length).split('?')[0]}`);
    await failureOf(store.head());
    await failureOf(collectPages(store.readStream('sample-0')));
    await failureOf(collectPages(store.readAll(-1)));
    await server.recover();
    expect(await appendUntilAnswered()).toMatchObject({ kind: 'appended', revision: 0 });
    expect(await untilAnswered(() => collectPages(store.readStream('sample-0')))).toHaveLength(1);
  });

  it('detects a frozen node and reconnects', async () => {
    server.freeze();
    expect(await failureOf(store.append(STREAM, NO_STREAM, [eventToAppend()]))).toMatchObject({
      isOutcomeUnknown: true,
      isRefused: false,
    });
    await failureOf(store.head());
    await server.recover();
    expect(await appendUntilAnswered()).toMatchObject({ kind: 'appended', revision: 0 });
  });

  it('stores an append once when its answer was lost', async () => {
    const events = [eventToAppend({ n: 1 })];
    server.loseNextAnswer();
    expect((await failureOf(store.append(STREAM, NO_STREAM, events))).isOutcomeUnknown).toBe(true);
    expect(await appendUntilAnswered(events)).toMatchObject({ kind: 'appended', revision: 0 });
    expect(await untilAnswered(() => collectPages(store.readStream(STREAM)))).toHaveLength(1);
  });

  it('stores an append once when its connection was reset', async () => {
    const events = [eventToAppend({ n: 1 })];
    const appendsBefore = server.appends;
    server.loseNextAnswer();
    const first = failureOf(store.append(STREAM, NO_STREAM, events));
    while (server.appends === appendsBefore) await new Promise((resolve) => setImmediate(resolve));
    server.reset();
    expect((await first).isOutcomeUnknown).toBe(true);
    expect(await appendUntilAnswered(events)).toMatchObject({ kind: 'appended', revision: 0 });
    expect(await untilAnswered(() => collectPages(store.readStream(STREAM)))).toHaveLength(1);
  });

  it('waits for a server that is not ready', async () => {
    const patient = patientStore();
    server.setReady(false);
    const refused = await failureOf(patient.append(STREAM, NO_STREAM, [eventToAppend()]));
    expect(refused.reason).toMatch(/Server Is Not Ready/);
    server.setReady(true);
    expect(await appendUntilAnswered([eventToAppend()], patient)).toMatchObject({ kind: 'appended' });
    await patient.close();
  });

  it('delivers events that were appended before a restarted subscription', async () => {
    /** Resolves with the first page that contains the stream. Subscribes again when the server does not answer. */
    const pageWith = (stream: string, after: number): Promise<readonly RecordedEvent[]> =>
      new Promise((resolve) => {
        let isFound = false;
        const onPage = async (page: readonly RecordedEvent[]): Promise<void> => {
          isFound ||= page.some(({ streamId }) => streamId === stream);
          if (isFound) resolve(page);
        };
        const subscribe = (): void => {
          if (!isFound) store.subscribe(after, onPage, subscribe);
        };
        subscribe();
      });
    const [first] = await pageWith('sample-0', -1);
    server.freeze();
    await failureOf(store.append(STREAM, NO_STREAM, [eventToAppend()]));
    await server.recover();
    await appendUntilAnswered();
    await pageWith(STREAM, 0);
    expect(first?.streamId).toBe('sample-0');
  });

  it('fails appends of several MiB to a frozen node, and sends no append after its failure', async () => {
    server.freeze();
    const text = 'x'.repeat(64 * 1024);
    const appends = Array.from({ length: 64 }, (_, n) =>
      failureOf(store.append(`sample-${n + 1}`, NO_STREAM, [eventToAppend({ text })])),
    );
    await Promise.all(appends);
    await server.recover();
    expect(await appendUntilAnswered()).toMatchObject({ kind: 'appended' });
    expect(await untilAnswered(() => collectPages(store.readAll(-1)))).toHaveLength(2);
  });

  it('appends several MiB at the same time, and appends that are larger than the limit for appends in flight', async () => {
    const patient = patientStore();
    const sizes = [...Array<number>(48).fill(64), 900, ...Array<number>(16).fill(1), 900, 900];
    const results = await Promise.all(
      sizes.map((kib, n) =>
        patient.append(`sample-${n + 1}`, NO_STREAM, [eventToAppend({ text: 'x'.repeat(kib * 1024) })]),
      ),
    );
    await patient.close();
    expect(results.filter(({ kind }) => kind === 'appended')).toHaveLength(sizes.length);
  });

  it('fails no append to the new leader when the previous leader stops', async () => {
    const leader = await startGrpcStore();
    try {
      server.resignTo(leader);
      await untilAnswered(() => store.head());
      await appendUntilAnswered();
      const appendsBefore = leader.appends;
      leader.loseNextAnswer();
      const pending = failureOf(store.append('sample-2', NO_STREAM, [eventToAppend()]));
      while (leader.appends === appendsBefore) await new Promise((resolve) => setImmediate(resolve));
      await server.close();
      expect((await pending).reason).toBe('no answer within 1 s');
    } finally {
      await leader.close();
    }
  });

  it('opens a new connection when the connection is silent', async () => {
    server.silence();
    await failureOf(store.head());
    expect(await untilAnswered(() => store.head())).toBe(0);
  });

  it('appends to a server whose clock is ahead', async () => {
    server.setClockAhead(3_600_000);
    expect(await appendUntilAnswered()).toMatchObject({ kind: 'appended' });
  });

  it('closes while the server is frozen and an append is pending', async () => {
    await untilAnswered(() => store.head());
    server.freeze();
    const waiting = failureOf(store.append(STREAM, NO_STREAM, [eventToAppend()]));
    await store.close();
    await waiting;
  });
});
