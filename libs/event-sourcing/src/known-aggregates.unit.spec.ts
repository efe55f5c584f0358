import { inMemoryEventStore } from '@muster/adapter-in-memory';
import { infraEnvDecider, type InfraEnvState } from '@muster/domain';
import { type EventStore, START_OF_STORE } from '@muster/ports';
import { collectPages } from '@muster/testing';
import type { KnownAggregate } from './aggregate';
import { context, deregister, infraEnvs, register, rename, rotate } from './infra-envs.fixture.spec';

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

  describe('and a command whose id was created after a position', () => {
    /** An id that no event up to the position has. */
    const unused = (unusedUpTo: number, commandId?: string) => ({ ...context(commandId), unusedUpTo });
    const stored = () => collectPages(store.readStream('infraEnv-one'));

    beforeEach(async () => {
      known = { ...(await stateNow()), isCurrent: true };
    });

    it('decides it on the state of the view without a read, and stores no position with it', async () => {
      const handler = restarted();
      expect(await handler.handle('one', rename('next'), unused(201))).toMatchObject({ kind: 'stored', revision: 202 });
      expect(await handler.handle('one', rename('again'), unused(202))).toMatchObject({ revision: 203 });
      expect(trips).toEqual(['append after 201', 'append after 202']);
      expect((await stored()).filter(({ metadata }) => 'unusedUpTo' in metadata)).toEqual([]);
    });

    it('reads when the view has an event after the position', async () => {
      expect(await restarted().handle('one', rename('next'), unused(200))).toMatchObject({ revision: 202 });
      expect(trips).toEqual(['read after 73', 'append after 201']);
    });

    it('decides it again after a conflict', async () => {
      await infraEnvs(store).handle('one', rename('other'), context());
      // The view still has this name.
      const result = await restarted().handle('one', rename('next'), unused(202));
      expect(result).toMatchObject({ revision: 203, state: { settings: { name: 'next' } } });
      expect(trips).toEqual(['append after 201', 'read after 73', 'append after 202']);
    });

    it.each([true, false])(
      'reads the later events before an answer without events (sole writer: %s)',
      async (alone) => {
        await infraEnvs(store).handle('one', rename('other'), context());
        const handler = infraEnvs({ ...counted(), isSoleWriter: alone }, { known: () => known, repeatableEvents: 128 });
        // The view still has this name.
        expect(await handler.handle('one', rename('known'), unused(202))).toMatchObject({ revision: 203 });
        expect(trips).toEqual(['read after 201', 'append after 202']);
      },
    );

    it('bases a refusal on the store', async () => {
      await infraEnvs(store).handle('one', deregister, context());
      const handler = infraEnvs({ ...counted(), isSoleWriter: true }, { known: () => known });
      expect(await handler.handle('one', register(), unused(202))).toMatchObject({
        kind: 'refused',
        state: { status: 'deregistered' },
      });
      expect(trips).toEqual(['read after 201']);
    });

    it('recognizes its repetition before and after the view has its event, also on another replica', async () => {
      const again = unused(201, 'again');
      const [here, there] = [restarted(), restarted()];
      await here.handle('one', rename('next'), again);
      trips = [];
      for (const handler of [here, there, restarted()])
        expect(await handler.handle('one', rename('next'), again)).toMatchObject({ isRepeated: true, revision: 202 });
      const byConflict = ['append after 201', 'read after 73'];
      expect(trips).toEqual(['read after 202', ...byConflict, ...byConflict]);
      known = { ...(await stateNow()), isCurrent: true };
      await infraEnvs(store).handle('one', rename('later'), context());
      expect(await restarted().handle('one', rename('next'), again)).toMatchObject({ isRepeated: true, revision: 202 });
      expect(await stored()).toHaveLength(204);
    });

    it('recognizes the repetition of an earlier command afterwards, which is read once', async () => {
      const handler = restarted();
      await handler.handle('one', rename('next'), unused(201));
      trips = [];
      for (const _ of [1, 2])
        expect(await handler.handle('one', rename('other'), context('last'))).toMatchObject({
          isRepeated: true,
          revision: 201,
        });
      expect(await handler.handle('one', rename('other'), context())).toMatchObject({ revision: 203 });
      // Another process may write, so an answer without events follows a read.
      expect(trips).toEqual(['read after 74', 'read after 202', 'append after 202']);
    });

    it('recognizes the repetition of its own command after it has read the earlier ones', async () => {
      const handler = infraEnvs(counted(), { known: () => known });
      const before = Array.from({ length: 1_100 }, (_, number) => unused(201 + number, `own-${number}`));
      for (const own of before) await handler.handle('one', rotate, own);
      expect(await handler.handle('one', rotate, context())).toMatchObject({ revision: 1_302 });
      const repeated = await handler.handle('one', rotate, before.at(-1) ?? context());
      expect(repeated).toMatchObject({ isRepeated: true, revision: 1_301 });
    });
  });

  it('reads the stream from the start when the view does not know it', async () => {
    expect(await restarted().load('one')).toMatchObject({ revision: 201 });
    expect(trips).toEqual([`read after ${START_OF_STORE}`]);
    expect((await stateNow()).state).not.toEqual(infraEnvDecider.initialState());
  });
});
