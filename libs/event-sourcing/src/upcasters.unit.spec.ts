import { inMemoryEventStore } from '@muster/adapter-in-memory';
import type { EventStore, JsonObject, RecordedEvent } from '@muster/ports';
import { collectPages, eventToAppend, eventually } from '@muster/testing';
import { upcastingEventStore } from './upcasters';

/** The first shape had one name; today's has two. */
const upcasters = {
  PersonNamed: (data: JsonObject): JsonObject => {
    const [given = '', family = ''] = String(data.name).split(' ');
    return { given, family };
  },
};

describe('a store that brings old events to their shape of today', () => {
  let raw: EventStore;
  let store: EventStore;
  const today = [{ given: 'Ada', family: 'Byron' }, { n: 1 }];
  const dataOf = (events: readonly RecordedEvent[]): JsonObject[] => events.map(({ data }) => data);

  beforeEach(async () => {
    raw = inMemoryEventStore();
    store = upcastingEventStore(raw, upcasters);
    await store.append('sample-1', -1, [eventToAppend({ name: 'Ada Byron' }, 'PersonNamed'), eventToAppend({ n: 1 })]);
  });

  it('does so when a stream is read, from any revision', async () => {
    expect(dataOf(await collectPages(store.readStream('sample-1')))).toEqual(today);
    expect(dataOf(await collectPages(store.readStream('sample-1', 0)))).toEqual(today.slice(1));
  });

  it('does so when everything is read', async () => {
    expect(dataOf(await collectPages(store.readAll(-1)))).toEqual(today);
  });

  it('does so for subscriptions', async () => {
    const seen: RecordedEvent[] = [];
    const subscription = store.subscribe(
      -1,
      async (page) => void seen.push(...page),
      () => undefined,
    );
    await eventually('both arrive', () => seen.length === 2);
    await subscription.close();
    expect(dataOf(seen)).toEqual(today);
  });

  it('leaves what is stored as it is, and all else of an event', async () => {
    const [upcast] = await collectPages(store.readAll(-1));
    const [original] = await collectPages(raw.readAll(-1));
    expect(original?.data).toEqual({ name: 'Ada Byron' });
    expect({ ...upcast, data: null }).toEqual({ ...original, data: null });
  });

  it('is the store itself when there is nothing to bring up', () => {
    expect(upcastingEventStore(raw, {})).toBe(raw);
  });
});
