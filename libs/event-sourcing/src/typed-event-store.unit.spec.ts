import { inMemoryEventStore } from '@muster/adapter-in-memory';
import {
  createEventCodec,
  eventCategory,
  type MusterEvent,
  type RecordedMusterEvent,
  type ServiceName,
  STREAM_OWNERS,
  type StreamCategory,
} from '@muster/contracts';
import { infraEnvDecider } from '@muster/domain';
import {
  AppendTooLarge,
  type EventStore,
  type JsonObject,
  jsonTextOf,
  NO_STREAM,
  START_OF_STORE,
  type StreamId,
  TextTooLong,
} from '@muster/ports';
import { collectPages, eventToAppend, eventually, manualClock, seededIds } from '@muster/testing';
import { createCommandHandler } from './command-handler';
import { startFeed } from './feed';
import { context, register, rename } from './infra-envs.fixture.spec';
import { type LocalBus, localBus } from './local-bus.fixture.spec';
import { startRelay } from './relay';
import { plainEventStore } from './stored-events.fixture.spec';
import {
  ForeignStreamError,
  ownedEventStore,
  TEXT_CHARACTERS_MAX,
  type TypedEventStore,
  typedEventStore,
} from './typed-event-store';

/** An older version stored the name outside of the settings. Current data is not changed. */
const codec = createEventCodec({
  InfraEnvSettingsRevised: ({ name, ...data }: JsonObject) =>
    name === undefined ? data : { ...data, changes: { name } },
});
const nameIn = (event: RecordedMusterEvent): string | undefined =>
  event.type === 'InfraEnvSettingsRevised' ? event.data.changes?.name : undefined;

describe('event of an older version', () => {
  let raw: EventStore;
  let store: TypedEventStore<MusterEvent>;
  let bus: LocalBus;
  const handler = () =>
    createCommandHandler({
      category: eventCategory('infraEnv'),
      decider: infraEnvDecider,
      store,
      clock: manualClock(),
      ids: seededIds(1),
    });
  const storeOld = (revision: number) =>
    raw.append('infraEnv-one', revision, [eventToAppend({ name: 'old' }, 'InfraEnvSettingsRevised')]);

  beforeEach(async () => {
    raw = inMemoryEventStore();
    store = typedEventStore(raw, codec);
    bus = localBus();
    await handler().execute('one', register(), context());
    await storeOld(0);
  });

  it('has the current shape when a stream is read from any revision', async () => {
    expect((await collectPages(store.readStream('infraEnv-one'))).map(nameIn)).toEqual([undefined, 'old']);
    expect((await collectPages(store.readStream('infraEnv-one', 0))).map(nameIn)).toEqual(['old']);
  });

  it('has the current shape for a decider', async () => {
    expect((await handler().load('one')).state.settings.name).toBe('old');
    expect(await handler().execute('one', rename('old'), context())).toMatchObject({ revision: 1 });
  });

  it('has the current shape when a feed catches up and when the relay publishes it', async () => {
    const relay = await startRelay({ store: raw, requests: bus, onError: fail });
    const seen: RecordedMusterEvent[] = [];
    const onPage = async (page: readonly RecordedMusterEvent[]) => void seen.push(...page);
    const feed = startFeed({ name: 'test', store, requests: bus, fromPosition: START_OF_STORE, onPage, onError: fail });
    await feed.caughtUp;
    expect(seen.map(nameIn)).toEqual([undefined, 'old']);
    await storeOld(1);
    await eventually('the live event arrives', () => seen.length === 3);
    expect(seen.map(nameIn)).toEqual([undefined, 'old', 'old']);
    await feed.close();
    await relay.close();
  });

  it('has the current shape for a subscription', async () => {
    const seen: RecordedMusterEvent[] = [];
    const subscription = store.subscribe(START_OF_STORE, async (page) => void seen.push(...page), fail);
    await eventually('both arrive', () => seen.length === 2);
    await subscription.close();
    expect(seen.map(nameIn)).toEqual([undefined, 'old']);
  });

  it('is not changed in the store', async () => {
    const [, upcast] = await collectPages(store.readAll(START_OF_STORE));
    const [, original] = await collectPages(raw.readAll(START_OF_STORE));
    expect(original?.data).toEqual({ name: 'old' });
    expect({ ...upcast, data: null }).toEqual({ ...original, data: null });
  });
});

describe('event of a newer version', () => {
  it('counts as a revision of its stream and does not change the state', async () => {
    const raw = inMemoryEventStore();
    const store = typedEventStore(raw, codec);
    await raw.append('infraEnv-one', NO_STREAM, [eventToAppend({}, 'InfraEnvDreamt')]);
    const handler = createCommandHandler({
      category: eventCategory('infraEnv'),
      decider: infraEnvDecider,
      store,
      clock: manualClock(),
      ids: seededIds(1),
    });
    expect(await handler.execute('one', register(), context())).toMatchObject({ revision: 1 });
  });
});

function fail(error: Error): never {
  throw error;
}

const CATEGORIES = Object.keys(STREAM_OWNERS) as StreamCategory[];
const SERVICES = [...new Set(Object.values(STREAM_OWNERS))];
const pairs = (owned: boolean): [ServiceName, StreamCategory][] =>
  SERVICES.flatMap((service) =>
    CATEGORIES.filter((category) => (STREAM_OWNERS[category] === service) === owned).map(
      (category): [ServiceName, StreamCategory] => [service, category],
    ),
  );

describe('store for one service', () => {
  it.each(pairs(true))('permits %s to append to %s streams', async (service, category) => {
    const store = plainEventStore();
    const result = await ownedEventStore(store, service, STREAM_OWNERS).append(`${category}-1`, -1, [eventToAppend()]);
    expect(result.kind).toBe('appended');
  });

  it.each(pairs(false))('refuses appends of %s to %s streams', async (service, category) => {
    const store = plainEventStore();
    const appending = ownedEventStore(store, service, STREAM_OWNERS).append(`${category}-1`, -1, [eventToAppend()]);
    await expect(appending).rejects.toThrow(ForeignStreamError);
    await expect(appending).rejects.toThrow(`${category}-1: only ${STREAM_OWNERS[category]} writes`);
    expect(await store.head()).toBe(START_OF_STORE);
  });

  it.each<StreamId>(['invented-1', 'Cluster-1', '-1', 'constructor-1', 'cluster.x-1'])(
    'refuses every append to %s, which has no owner',
    async (streamId) => {
      for (const service of SERVICES)
        await expect(
          ownedEventStore(plainEventStore(), service, STREAM_OWNERS).append(streamId, -1, [eventToAppend()]),
        ).rejects.toThrow('no service owns that category');
    },
  );

  it('reads events of other services', async () => {
    const store = plainEventStore();
    await store.append('inventory-1', -1, [eventToAppend({ n: 1 })]);
    const owned = ownedEventStore(store, 'registration', STREAM_OWNERS);
    expect(await owned.head()).toBe(0);
    expect(await collectPages(owned.readStream('inventory-1'))).toHaveLength(1);
    expect(await collectPages(owned.readAll(-1))).toHaveLength(1);
  });
});

describe('append', () => {
  const revised = (name: string) =>
    ({ id: 'e1', type: 'InfraEnvSettingsRevised', data: { changes: { name }, pullSecretReplaced: false } }) as const;
  const append = (...names: readonly string[]) => {
    const store: TypedEventStore<MusterEvent> = typedEventStore(inMemoryEventStore(), codec);
    return store.append(
      'infraEnv-one',
      NO_STREAM,
      names.map((name, index) => ({ ...eventToAppend({}, 'x'), ...revised(name), id: `e${index}` })),
    );
  };

  it.each([
    ['many events', Array.from({ length: 60 }, () => 'a'.repeat(5_000))],
    ['the metadata of many small events', Array.from({ length: 2_000 }, () => 'a')],
    ['characters that take more than one byte', Array.from({ length: 4 }, () => '\u0000'.repeat(12_000))],
  ])('of more than 256 KiB is refused: %s', async (_, names) => {
    await expect(append(...names)).rejects.toThrow(AppendTooLarge);
    await expect(append(...names)).rejects.toThrow(/The events for infraEnv-one are larger than the 262144 bytes/);
  });

  it('of one text of 16 KiB is stored, and of a longer one is refused with its place', async () => {
    expect(await append('a'.repeat(TEXT_CHARACTERS_MAX))).toMatchObject({ kind: 'appended' });
    const tooLong = append('a', 'a'.repeat(TEXT_CHARACTERS_MAX + 1));
    await expect(tooLong).rejects.toThrow(TextTooLong);
    await expect(tooLong).rejects.toThrow('name is too long to be stored: it has more than 16384 characters');
  });

  it('keeps the text of the data for the store', async () => {
    const { metadata, ...others } = eventToAppend({}, 'x');
    const event = { ...others, ...revised('a'), metadata: { ...metadata, requestId: undefined } };
    const store: TypedEventStore<MusterEvent> = typedEventStore(inMemoryEventStore(), codec);
    const stringify = jest.spyOn(JSON, 'stringify');
    await store.append('infraEnv-one', NO_STREAM, [event]);
    const { length } = stringify.mock.calls;
    expect(jsonTextOf(codec.toStored(event).data)).toBe('{"changes":{"name":"a"},"pullSecretReplaced":false}');
    expect(stringify.mock.calls).toHaveLength(length);
    stringify.mockRestore();
  });

  it('of less is stored', async () => {
    expect(await append(...Array.from({ length: 20 }, () => 'a'.repeat(12_000)))).toMatchObject({ kind: 'appended' });
    expect(await append(...Array.from({ length: 3 }, () => '\u0000'.repeat(13_000)))).toMatchObject({
      kind: 'appended',
    });
  });
});
