import { inMemoryEventStore } from '@muster/adapter-in-memory';
import {
  type EventStore,
  jsonLengthOf,
  type JsonObject,
  jsonTextOf,
  keepJsonText,
  type RecordedEvent,
} from '@muster/ports';
import { eventually } from '@muster/testing';
import { type LocalBus, localBus } from './local-bus.fixture.spec';
import { type Relay, startRelay } from './relay';
import { HEAD_BEACON } from './shared-events';
import { appendEvents } from './stored-events.fixture.spec';

describe('relay', () => {
  let store: EventStore;
  let bus: LocalBus;
  let errors: Error[];
  let relay: Relay;
  const start = async (options: Partial<Parameters<typeof startRelay>[0]> = {}): Promise<void> => {
    relay = await startRelay({ store, requests: bus, onError: (error) => errors.push(error), ...options });
  };
  const facts = (): JsonObject[] =>
    bus.published.filter(({ subject }) => subject !== HEAD_BEACON).map(({ body }) => body as JsonObject);
  const chain = (): unknown[] => facts().map(({ previous, position }) => [previous, position]);

  beforeEach(() => {
    store = inMemoryEventStore();
    bus = localBus();
    errors = [];
  });
  afterEach(() => relay.close());

  it('publishes a copy of each new event under its category with the position of the previous event', async () => {
    await appendEvents(store, 3);
    await start();
    const events = await appendEvents(store, 3);
    await eventually('all events are published', () => facts().length === 3);
    expect(chain()).toEqual([
      [2, 3],
      [3, 4],
      [4, 5],
    ]);
    expect(facts().map(({ previous: _, ...event }) => event as unknown as RecordedEvent)).toEqual(events);
    // On a busy machine, a beacon may be published before.
    expect(bus.published.find(({ subject }) => subject !== HEAD_BEACON)?.subject).toBe('event.v1.sample');
  });

  it('publishes the text of the data that was stored, and keeps it no longer', async () => {
    const texts: string[] = [];
    const data: JsonObject[] = [];
    const writing: EventStore = {
      ...store,
      subscribe: (after, onPage, onError) =>
        store.subscribe(
          after,
          async (page) => {
            for (const event of page) {
              data.push(event.data);
              keepJsonText(event.data, '{"stored":true}');
            }
            return onPage(page);
          },
          onError,
        ),
    };
    const publish: LocalBus['publish'] = (subject, body) => {
      if (subject !== HEAD_BEACON) texts.push(jsonTextOf(body));
    };
    await start({ store: writing, requests: { ...bus, publish } });
    const [event] = await appendEvents(store, 1);
    await eventually('the event is published', () => texts.length === 1);
    expect(JSON.parse(texts[0] ?? '')).toEqual({ previous: -1, ...event, data: { stored: true } });
    expect(data.map(jsonTextOf)).toEqual([JSON.stringify(event?.data)]);
  });

  it('publishes the length of the text with each event, for consumers in this process', async () => {
    const lengths: unknown[] = [];
    const publish: LocalBus['publish'] = (subject, body) => {
      if (subject !== HEAD_BEACON) lengths.push(jsonLengthOf(body), JSON.stringify(body).length);
    };
    await start({ requests: { ...bus, publish } });
    await appendEvents(store, 1);
    await eventually('the event is published', () => lengths.length === 2);
    expect(lengths[0]).toBe(lengths[1]);
  });

  it('publishes a beacon for an empty store', async () => {
    await start();
    await eventually('a beacon is published', () => bus.published.length > 0);
    expect(bus.published[0]).toMatchObject({ subject: HEAD_BEACON, body: { position: -1 } });
  });

  it('publishes a beacon soon after the last event', async () => {
    await start();
    await appendEvents(store, 2);
    const isBeaconOfLast = ({ subject, body }: (typeof bus.published)[number]): boolean =>
      subject === HEAD_BEACON && (body as JsonObject).position === 1;
    await eventually('a beacon is published', () => bus.published.some(isBeaconOfLast));
    expect(facts()).toHaveLength(2);
  });

  it('publishes a beacon every 3 s also long after the last event, which an outage of the bus may have lost', async () => {
    jest.useFakeTimers({ doNotFake: ['setImmediate', 'queueMicrotask', 'nextTick'] });
    try {
      await start();
      await appendEvents(store, 1);
      await jest.advanceTimersByTimeAsync(600_000);
      const before = bus.published.length;
      await jest.advanceTimersByTimeAsync(3_000);
      expect(bus.published.slice(before)).toMatchObject([{ subject: HEAD_BEACON, body: { position: 0 } }]);
    } finally {
      jest.useRealTimers();
    }
  });

  it('continues after an event that the bus refuses, which leaves a gap for consumers', async () => {
    const picky: LocalBus = {
      ...bus,
      publish: (subject, body, headers) => {
        if ((body as JsonObject).position === 1 && subject !== HEAD_BEACON) throw new Error('too large');
        bus.publish(subject, body, headers);
      },
    };
    await start({ requests: picky });
    await appendEvents(store, 3);
    await eventually('the other events are published', () => facts().length === 2);
    expect(chain()).toEqual([
      [-1, 0],
      [1, 2],
    ]);
    expect(errors.map(({ message }) => message)).toEqual(['too large']);
  });

  it('continues from the same position after an error of the store', async () => {
    let failures = 1;
    const flaky: EventStore = {
      ...store,
      subscribe: (after, onPage, onError) =>
        store.subscribe(
          after,
          async (page) => {
            if (failures-- > 0) throw new Error('store is away');
            return onPage(page);
          },
          onError,
        ),
    };
    await start({ store: flaky });
    await appendEvents(store, 2);
    await eventually('all events are published', () => facts().length === 2);
    expect(chain()).toEqual([
      [-1, 0],
      [0, 1],
    ]);
    expect(errors.map(({ message }) => message)).toEqual(['store is away']);
  });

  it('publishes nothing after it was closed', async () => {
    await start();
    await relay.close();
    const before = bus.published.length;
    await appendEvents(store, 2);
    await new Promise((resolve) => setTimeout(resolve, 250));
    expect(bus.published).toHaveLength(before);
  });
});
