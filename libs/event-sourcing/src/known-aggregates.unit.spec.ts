import { inMemoryEventStore } from '@muster/adapter-in-memory';
import { infraEnvDecider, type InfraEnvState } from '@muster/domain';
import { type EventStore, START_OF_STORE } from '@muster/ports';
import type { KnownAggregate } from './aggregate';
import { context, infraEnvs, register, rename, rotate } from './infra-envs.fixture.spec';

describe('a command handler with a view of the same fold', () => {
  let store: EventStore;
  let trips: string[];
  let known: KnownAggregate<InfraEnvState> | undefined;
  const counted = (): EventStore => ({
    ...store,
    append: (streamId, expected, events) => {
      trips.push(`append after ${expected}`);
      return store.append(streamId, expected, events);
    },
    readStream: (streamId, after) => {
      trips.push(`read after ${after}`);
      return store.readStream(streamId, after);
    },
  });
  /** A handler after a restart, whose cache is empty. */
  const restarted = () =>
    infraEnvs(counted(), { known: (id) => (id === 'one' ? known : undefined), repeatableEvents: 128 });
  const stateNow = async () => infraEnvs(store).load('one');

  beforeEach(async () => {
    store = inMemoryEventStore();
    trips = [];
    known = undefined;
    const before = infraEnvs(store);
    await before.handle('one', register(), context());
    for (let round = 0; round < 200; round += 1) await before.handle('one', rotate, context());
    await before.handle('one', rename('known'), context('last'));
  });

  it('returns the state of the view without a read while it includes every event', async () => {
    known = { ...(await stateNow()), isCurrent: true };
    expect(await restarted().load('one')).toMatchObject({ revision: 201, state: { settings: { name: 'known' } } });
    expect(trips).toEqual([]);
  });

  it('reads few events before the state of the view, and those after it', async () => {
    known = { ...(await stateNow()), isCurrent: false };
    await infraEnvs(store).handle('one', rename('later'), context());
    const handler = restarted();
    expect(await handler.load('one')).toMatchObject({ revision: 202, state: { settings: { name: 'later' } } });
    expect(await handler.load('one')).toMatchObject({ revision: 202, position: 202 });
    expect(trips).toEqual(['read after 73']);
  });

  it('decides a command on the state of the view, instead of an append that conflicts', async () => {
    known = { ...(await stateNow()), isCurrent: true };
    expect(await restarted().handle('one', rename('next'), context())).toMatchObject({ kind: 'stored', revision: 202 });
    expect(trips).toEqual(['read after 73', 'append after 201']);
  });

  it('decides commands that are never repeated without a read, and again after a conflict', async () => {
    known = { ...(await stateNow()), isCurrent: false };
    const handlerOf = () => infraEnvs(counted(), { known: () => known, repeatableEvents: 0, cachedAggregates: 0 });
    expect(await handlerOf().handle('one', rename('next'), context())).toMatchObject({ kind: 'stored', revision: 202 });
    expect(trips).toEqual(['append after 201']);
    trips = [];
    expect(await handlerOf().handle('one', rename('last'), context())).toMatchObject({
      kind: 'stored',
      revision: 203,
      state: { settings: { name: 'last' } },
    });
    expect(trips).toEqual(['append after 201', 'read after 201', 'append after 202']);
  });

  it('reads the later events before a result without events when other processes write', async () => {
    known = { ...(await stateNow()), isCurrent: true };
    await infraEnvs(store).handle('one', rename('other'), context());
    const handler = infraEnvs(counted(), { known: () => known, repeatableEvents: 0 });
    // The view still has this name.
    expect(await handler.handle('one', rename('known'), context())).toMatchObject({ kind: 'stored', revision: 203 });
    expect(trips).toEqual(['read after 201', 'append after 202']);
  });

  it('recognizes the repetition of a command whose events the state includes', async () => {
    known = { ...(await stateNow()), isCurrent: true };
    expect(await restarted().handle('one', rename('other'), context('last'))).toMatchObject({
      isRepeated: true,
      revision: 201,
    });
    expect(trips).toEqual(['read after 73']);
  });

  it('recognizes as many commands as one that was not restarted, unless the option is set', async () => {
    await infraEnvs(store).handle('one', rename('first'), context('early'));
    const others = infraEnvs(store);
    for (let round = 0; round < 1_000; round += 1) await others.handle('one', rotate, context());
    known = { ...(await stateNow()), isCurrent: true };
    const repeat = (handler: ReturnType<typeof infraEnvs>) => handler.handle('one', rename('other'), context('early'));
    expect(await repeat(others)).toMatchObject({ isRepeated: true });
    expect(await repeat(infraEnvs(store, { known: () => known }))).toMatchObject({ isRepeated: true });
    expect(await repeat(restarted())).not.toHaveProperty('isRepeated');
  });

  it('reads the stream from the start when the view does not know it', async () => {
    expect(await restarted().load('one')).toMatchObject({ revision: 201 });
    expect(trips).toEqual([`read after ${START_OF_STORE}`]);
    expect((await stateNow()).state).not.toEqual(infraEnvDecider.initialState());
  });
});
