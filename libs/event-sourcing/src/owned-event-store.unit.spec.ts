import { type ServiceName, STREAM_OWNERS, type StreamCategory } from '@muster/contracts';
import { START_OF_STORE, type StreamId } from '@muster/ports';
import { collectPages, eventToAppend } from '@muster/testing';
import { ForeignStreamError, ownedEventStore } from './owned-event-store';
import { plainEventStore } from './stored-events.fixture.spec';

const CATEGORIES = Object.keys(STREAM_OWNERS) as StreamCategory[];
const SERVICES = [...new Set(Object.values(STREAM_OWNERS))];
const pairs = (owned: boolean): [ServiceName, StreamCategory][] =>
  SERVICES.flatMap((service) =>
    CATEGORIES.filter((category) => (STREAM_OWNERS[category] === service) === owned).map(
      (category): [ServiceName, StreamCategory] => [service, category],
    ),
  );

describe('the store as one service sees it', () => {
  it.each(pairs(true))('lets %s append to %s streams', async (service, category) => {
    const store = plainEventStore();
    const result = await ownedEventStore(store, service, STREAM_OWNERS).append(`${category}-1`, -1, [eventToAppend()]);
    expect(result.kind).toBe('appended');
  });

  it.each(pairs(false))('keeps %s from appending to %s streams', async (service, category) => {
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

  it('shows what others have stored', async () => {
    const store = plainEventStore();
    await store.append('inventory-1', -1, [eventToAppend({ n: 1 })]);
    const owned = ownedEventStore(store, 'registration', STREAM_OWNERS);
    expect(await owned.head()).toBe(0);
    expect(await collectPages(owned.readStream('inventory-1'))).toHaveLength(1);
    expect(await collectPages(owned.readAll(-1))).toHaveLength(1);
  });
});
