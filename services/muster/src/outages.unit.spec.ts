import { PassThrough } from 'node:stream';
import { inMemoryEventStore, inMemoryObjectStore } from '@muster/adapter-in-memory';
import { type EventStore, type Requests, Unavailable } from '@muster/ports';
import { collectPages, eventToAppend } from '@muster/testing';
import { announceGateway, Gateways, Outage, watchEventStore, watchObjectAreas } from './outages';
import { storeProbe } from './probes';

const SERVER = 'EventStoreDB at 10.0.0.5:2113';
const away = () => new Unavailable(SERVER, 'read ECONNRESET', { isOutcomeUnknown: true });

describe('an outage of the event store', () => {
  let isAway: boolean;
  let lines: string[];
  let outage: Outage;
  let store: EventStore;
  let inner: EventStore;

  beforeEach(() => {
    jest.useFakeTimers();
    isAway = false;
    lines = [];
    inner = inMemoryEventStore();
    const unlessAway = <Given extends unknown[], Result>(call: (...given: Given) => Promise<Result>) => {
      return (...given: Given): Promise<Result> => (isAway ? Promise.reject(away()) : call(...given));
    };
    const flaky: EventStore = {
      ...inner,
      append: unlessAway(inner.append),
      head: unlessAway(inner.head),
      readAll: async function* (after) {
        if (isAway) throw away();
        yield* inner.readAll(after);
      },
    };
    outage = new Outage({
      part: 'event store',
      setting: 'EVENTSTORE_URL',
      report: (line) => lines.push(line),
      check: () => flaky.head(),
    });
    store = watchEventStore(flaky, outage);
  });
  afterEach(() => {
    outage.close();
    jest.useRealTimers();
  });

  it('fails the operations that wait for the server, and later ones, when the process ends', async () => {
    let isEnded = false;
    const silent: EventStore = {
      ...inner,
      head: () => new Promise<number>(() => undefined),
      readAll: async function* () {
        yield [];
        try {
          await new Promise<never>(() => undefined);
        } finally {
          isEnded = true;
        }
      },
    };
    const frozen = watchEventStore(silent, outage);
    const [head, pages] = [frozen.head(), collectPages(frozen.readAll(-1))];
    outage.giveUp();
    outage.failed({ server: SERVER, reason: 'no answer within 4 s' });
    for (const operation of [head, pages, frozen.head()])
      await expect(operation).rejects.toMatchObject({ reason: 'the process ends', isRefused: true });
    expect(isEnded).toBe(false);
  });

  it('logs one line when the server becomes unavailable and one when it is available again, with the duration and the failed commands', async () => {
    isAway = true;
    for (let n = 0; n < 5; n += 1)
      await expect(store.append('note-1', -1, [eventToAppend()])).rejects.toBeInstanceOf(Unavailable);
    await expect(collectPages(store.readAll(-1))).rejects.toBeInstanceOf(Unavailable);
    outage.commandFailed(SERVER);
    outage.commandFailed(SERVER);
    outage.commandFailed('another server');
    await jest.advanceTimersByTimeAsync(7_000);
    isAway = false;
    await store.append('note-1', -1, [eventToAppend()]);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(lines).toEqual([
      `${SERVER} (EVENTSTORE_URL) is not available: read ECONNRESET`,
      `${SERVER} (EVENTSTORE_URL) is available again after 7 s; 2 commands failed meanwhile`,
    ]);
  });

  it('ends with a periodic check when no request is sent', async () => {
    isAway = true;
    await expect(store.head()).rejects.toBeInstanceOf(Unavailable);
    await jest.advanceTimersByTimeAsync(3_000);
    expect(outage.reason).toBe(`${SERVER} (EVENTSTORE_URL) has not been available for 3 s: read ECONNRESET`);
    isAway = false;
    await jest.advanceTimersByTimeAsync(1_000);
    expect(outage.reason).toBeUndefined();
    expect(lines).toHaveLength(2);
  });

  it('ends the time since which the server is available', async () => {
    expect(outage.availableSinceMs).toBe(-Infinity);
    isAway = true;
    await expect(store.head()).rejects.toBeInstanceOf(Unavailable);
    await jest.advanceTimersByTimeAsync(2_500);
    expect(outage.availableSinceMs).toBe(Date.now());
    isAway = false;
    await jest.advanceTimersByTimeAsync(500);
    const endedAtMs = Date.now();
    await jest.advanceTimersByTimeAsync(7_000);
    expect(outage.availableSinceMs).toBe(endedAtMs);
  });

  it('is part of the readiness report until it ends', async () => {
    const { store: probed, probe } = storeProbe(store, outage);
    isAway = true;
    await expect(probed.append('note-1', -1, [eventToAppend()])).rejects.toBeInstanceOf(Unavailable);
    expect(await probe.check()).toMatch(/^EventStoreDB at 10\.0\.0\.5:2113 \(EVENTSTORE_URL\) has not been available/);
    isAway = false;
    await jest.advanceTimersByTimeAsync(1_000);
    expect(await probe.check()).toBeUndefined();
  });

  it('is noticed by the readiness report of an idle process', async () => {
    expect(await outage.probe.check()).toBeUndefined();
    isAway = true;
    expect(await outage.probe.check()).toMatch(
      /^EventStoreDB at 10\.0\.0\.5:2113 \(EVENTSTORE_URL\) has not been available/,
    );
    expect(lines).toEqual([`${SERVER} (EVENTSTORE_URL) is not available: read ECONNRESET`]);
  });

  describe('in which reads are answered and changes are not', () => {
    let fail: (error: Error) => void;
    let isFailing: boolean;
    const models = () =>
      outage.watch({
        get: () => Promise.resolve('document'),
        resume: () => Promise.resolve(7),
        commit: () => (isFailing ? new Promise((_, reject) => void (fail = reject)) : Promise.resolve()),
      });
    beforeEach(() => (isFailing = true));

    it('is one outage until a change is answered', async () => {
      const { get, resume, commit } = models();
      for (let attempt = 0; attempt < 5; attempt += 1) {
        await resume();
        const committed = commit();
        await jest.advanceTimersByTimeAsync(4_000);
        await get();
        fail(away());
        await expect(committed).rejects.toBeInstanceOf(Unavailable);
        await jest.advanceTimersByTimeAsync(500);
        await get();
        expect(outage.reason).toMatch(/read ECONNRESET$/);
      }
      expect(lines).toHaveLength(1);
      isFailing = false;
      await commit();
      expect(outage.reason).toBeUndefined();
      expect(lines).toHaveLength(2);
    });

    it('ends with a check when nothing is changed any more', async () => {
      const committed = models().commit();
      fail(away());
      await expect(committed).rejects.toBeInstanceOf(Unavailable);
      await jest.advanceTimersByTimeAsync(2_000);
      expect(outage.reason).toBeUndefined();
    });
  });

  it('starts when a body ends with an error of the server', async () => {
    const body = new PassThrough();
    const objects = outage.watch({ open: () => Promise.resolve(body) });
    expect(await objects.open()).toBe(body);
    expect(outage.reason).toBeUndefined();
    body.destroy(away());
    await jest.advanceTimersByTimeAsync(0);
    expect(outage.reason).toMatch(/read ECONNRESET$/);
  });

  it('is not ended by opening an area of objects, which asks no server', async () => {
    const names = jest.fn(() => Promise.reject(away()));
    const areas = watchObjectAreas({ area: () => Promise.resolve(inMemoryObjectStore()), names }, outage);
    await expect(areas.names()).rejects.toBeInstanceOf(Unavailable);
    await areas.area('a');
    expect(outage.reason).toBeDefined();
  });

  it('does not start when an append fails for another reason', async () => {
    const refusing: EventStore = { ...inner, append: () => Promise.reject(new Error('the disk is full')) };
    await expect(watchEventStore(refusing, outage).append('note-1', -1, [])).rejects.toThrow('the disk is full');
    expect(outage.reason).toBeUndefined();
    expect(lines).toEqual([]);
  });
});

describe('the gateways', () => {
  beforeEach(() => jest.useFakeTimers());
  afterEach(() => jest.useRealTimers());

  /** A bus that delivers within this process, until it is cut. */
  const createBus = (): Pick<Requests, 'publish' | 'subscribe'> & { cut(): void } => {
    const listeners: Parameters<Requests['subscribe']>[1][] = [];
    let isCut = false;
    return {
      publish: (subject, body) => {
        if (!isCut) for (const listener of listeners) void listener({ subject, body, headers: {} });
      },
      subscribe: (_, listener) => {
        listeners.push(listener);
        return { unsubscribe: () => undefined };
      },
      cut: () => void (isCut = true),
    };
  };

  it('are available since the first of them serves hosts, also when another one ends', async () => {
    const bus = createBus();
    const gateways = new Gateways(bus);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(gateways.availableSinceMs).toBe(Date.now());
    const startedAtMs = Date.now();
    announceGateway(bus);
    const endSecond = announceGateway(bus);
    await jest.advanceTimersByTimeAsync(60_000);
    endSecond();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(gateways.availableSinceMs).toBe(startedAtMs);
  });

  it('are available again since the first announcement after none of them served hosts', async () => {
    const bus = createBus();
    const gateways = new Gateways(bus);
    const end = announceGateway(bus);
    await jest.advanceTimersByTimeAsync(60_000);
    end();
    await jest.advanceTimersByTimeAsync(600_000);
    expect(gateways.availableSinceMs).toBe(Date.now());
    const returnedAtMs = Date.now();
    announceGateway(bus);
    await jest.advanceTimersByTimeAsync(60_000);
    expect(gateways.availableSinceMs).toBe(returnedAtMs);
  });

  it('are not available to a process that did not receive announcements', async () => {
    const bus = createBus();
    const gateways = new Gateways(bus);
    announceGateway(bus);
    bus.cut();
    await jest.advanceTimersByTimeAsync(60_000);
    expect(gateways.availableSinceMs).toBe(Date.now());
  });
});
