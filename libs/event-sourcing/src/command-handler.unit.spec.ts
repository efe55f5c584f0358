import { inMemoryEventStore } from '@muster/adapter-in-memory';
import type { InfraEnvEvent } from '@muster/contracts';
import { type InfraEnvCommand, infraEnvDecider, type InfraEnvState } from '@muster/domain';
import { type EventStore, NO_STREAM, START_OF_STORE } from '@muster/ports';
import { collectPages, manualClock, seededIds } from '@muster/testing';
import { context, deregister, infraEnvs, register, rename, rotate } from './infra-envs.fixture.spec';

/** Returns a store that runs a function of the test before each append. */
const beforeAppend = (store: EventStore, act: () => Promise<void>): EventStore => ({
  ...store,
  append: async (streamId, expected, events) => {
    await act();
    return store.append(streamId, expected, events);
  },
});

describe('command handler', () => {
  let store: EventStore;
  const stored = (id = 'one') => collectPages(store.readStream(`infraEnv-${id}`));
  const typesStored = async (id = 'one'): Promise<string[]> => (await stored(id)).map(({ type }) => type);

  beforeEach(() => {
    store = inMemoryEventStore();
  });

  it('stores the decided events with the caller in their metadata and returns the resulting state', async () => {
    const handler = infraEnvs(store, { clock: manualClock(Date.UTC(2024, 5, 1)), ids: seededIds(7) });
    const asked = {
      commandId: 'c-1',
      correlationId: 'r-1',
      causationId: 'e-1',
      actor: 'ann',
      org: 'acme',
      user: 'ann',
      requestId: 'q-1',
      sourceAddress: '192.0.2.1',
    };
    const result = await handler.handle('one', register(), asked);
    expect(result).toMatchObject({ kind: 'stored', revision: 0, position: 0, state: { status: 'registered' } });
    const [event] = await stored();
    expect(event).toMatchObject({ id: seededIds(7).uuid(), type: 'InfraEnvRegistered', revision: 0 });
    expect(event?.metadata).toEqual({ ...asked, occurredAt: '2024-06-01T00:00:00.000Z' });
  });

  it('folds stored events of another handler before it decides', async () => {
    await infraEnvs(store).handle('one', register(), context());
    await infraEnvs(store).handle('one', rotate, context());
    const result = await infraEnvs(store).handle('one', rotate, context());
    expect(result).toMatchObject({ kind: 'stored', revision: 2, state: { signingKeyGeneration: 2 } });
  });

  it('has the same state after a command as a handler that reads the store', async () => {
    const handler = infraEnvs(store);
    await handler.handle('one', register(), context());
    await handler.handle('one', rename('other'), context());
    expect(await handler.load('one')).toEqual(await infraEnvs(store).load('one'));
  });

  it('returns the initial state for an aggregate that does not exist', async () => {
    expect(await infraEnvs(store).load('none')).toMatchObject({
      state: infraEnvDecider.initialState(),
      revision: NO_STREAM,
      position: START_OF_STORE,
    });
  });

  it('stores nothing and returns the refusal when the decider refuses', async () => {
    const result = await infraEnvs(store).handle('one', rotate, context());
    expect(result).toMatchObject({
      kind: 'refused',
      refusal: { code: 'not-found' },
      state: { status: 'unregistered' },
    });
    expect(await store.head()).toBe(START_OF_STORE);
  });

  it('stores the events of several commands with one append, each decided on the state after the previous one', async () => {
    const handler = infraEnvs(store);
    const result = await handler.handle('one', [register(), rename('other'), rotate], context('c-1'));
    expect(result).toMatchObject({ revision: 2, state: { signingKeyGeneration: 1, settings: { name: 'other' } } });
    expect((await stored()).map(({ metadata }) => metadata.commandId)).toEqual(['c-1', 'c-1', 'c-1']);
    expect(await handler.handle('one', [rotate, rotate], context('c-1'))).toMatchObject({ events: [], revision: 2 });
  });

  it('passes the state after the previous commands to a generator of commands', async () => {
    const names: (string | undefined)[] = [];
    const result = await infraEnvs(store).handle(
      'one',
      function* (current) {
        names.push(current().settings.name);
        yield register();
        names.push(current().settings.name);
        yield rename(`${current().settings.name} of mine`);
      },
      context(),
    );
    expect(names).toEqual([undefined, 'lab']);
    expect(result).toMatchObject({ revision: 1, state: { settings: { name: 'lab of mine' } } });
  });

  it('stores none of several commands when the last one is refused', async () => {
    const handler = infraEnvs(store);
    const result = await handler.handle('one', [register(), deregister, rotate], context());
    expect(result).toMatchObject({ kind: 'refused', state: { status: 'unregistered' } });
    expect(await store.head()).toBe(START_OF_STORE);
  });

  it('stores nothing and returns the current position when nothing changes', async () => {
    const handler = infraEnvs(store);
    await handler.handle('one', register(), context());
    const result = await handler.handle('one', rename('lab'), context());
    expect(result).toMatchObject({ kind: 'stored', events: [], revision: 0, position: 0 });
    expect(await typesStored()).toEqual(['InfraEnvRegistered']);
  });

  it('runs beforeAppend of an accepted command before its events are stored, and of no other command', async () => {
    const handler = infraEnvs(store);
    const prepared: number[] = [];
    const prepare = async (): Promise<void> => void prepared.push((await stored()).length);
    await handler.handle('one', register(), context(), prepare);
    await handler.handle('one', register(), context(), prepare);
    expect(prepared).toEqual([0]);
  });

  describe('store operations of a command handler', () => {
    const counting = (isSoleWriter: boolean) => {
      const trips: string[] = [];
      const counted: EventStore = {
        ...store,
        isSoleWriter,
        append: (streamId, expected, events) => {
          trips.push('append');
          return store.append(streamId, expected, events);
        },
        readStream: (streamId, after) => {
          trips.push('read');
          return store.readStream(streamId, after);
        },
      };
      return { trips, handler: infraEnvs(counted) };
    };

    it('are one append for a new aggregate and one for each later change', async () => {
      const { trips, handler } = counting(false);
      await handler.handle('one', register(), context());
      await handler.handle('one', rotate, context());
      expect(trips).toEqual(['append', 'append']);
    });

    it('are one read for a result without events when other processes write, and none otherwise', async () => {
      const [beside, alone] = [counting(false), counting(true)];
      await beside.handler.handle('one', register(), context());
      await beside.handler.handle('one', rename('lab'), context());
      await alone.handler.handle('two', register('two'), context());
      await alone.handler.handle('two', rename('lab'), context());
      expect([beside.trips, alone.trips]).toEqual([['append', 'read'], ['append']]);
    });

    it('are one read for a missing aggregate, and only one when no other process writes', async () => {
      const { trips, handler } = counting(true);
      await handler.load('one');
      await handler.load('one');
      await handler.handle('one', register(), context());
      expect(trips).toEqual(['read', 'append']);
    });

    it('are a failed append and a read for a change of an aggregate that is not cached', async () => {
      await infraEnvs(store).handle('one', register(), context('first'));
      const { trips, handler } = counting(true);
      expect(await handler.handle('one', register(), context('first'))).toMatchObject({ position: 0, events: [] });
      expect(trips).toEqual(['append', 'read']);
      expect(await stored()).toHaveLength(1);
    });

    it('are a read before beforeAppend, which a refused command must not run', async () => {
      await infraEnvs(store).handle('one', register(), context());
      await infraEnvs(store).handle('one', deregister, context());
      const { trips, handler } = counting(true);
      const prepared = jest.fn(async () => undefined);
      expect(await handler.handle('one', register(), context(), prepared)).toMatchObject({ kind: 'refused' });
      expect([trips, prepared.mock.calls.length]).toEqual([['read'], 0]);
    });

    it('are no read before a beforeAppend that replaces nothing', async () => {
      const { trips, handler } = counting(true);
      const prepared = jest.fn(async () => undefined);
      await handler.handle('one', register(), context(), { replacesNothing: prepared });
      expect([trips, prepared.mock.calls.length]).toEqual([['append'], 1]);
    });
  });

  it('are sequential for one aggregate, in the order of the commands', async () => {
    const appends: string[] = [];
    const slow: EventStore = {
      ...store,
      append: async (streamId, expected, events) => {
        appends.push(`begin ${events[0]?.metadata.commandId}`);
        await new Promise((resolve) => setTimeout(resolve, 2));
        appends.push(`end ${events[0]?.metadata.commandId}`);
        return store.append(streamId, expected, events);
      },
    };
    const handler = infraEnvs(slow);
    await Promise.all([
      handler.handle('one', register(), context('a')),
      handler.handle('one', rotate, context('b')),
      handler.handle('one', rotate, context('c')),
    ]);
    expect(appends).toEqual(['begin a', 'end a', 'begin b', 'end b', 'begin c', 'end c']);
    expect((await stored()).map(({ metadata }) => metadata.commandId)).toEqual(['a', 'b', 'c']);
  });

  it('are concurrent for different aggregates', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    const handler = infraEnvs({
      ...store,
      append: async (streamId, expected, events) => {
        if (streamId === 'infraEnv-slow') await gate;
        return store.append(streamId, expected, events);
      },
    });
    const slow = handler.handle('slow', register('slow'), context());
    expect(await handler.handle('quick', register('quick'), context())).toMatchObject({ kind: 'stored' });
    release();
    expect(await slow).toMatchObject({ kind: 'stored' });
  });

  it('continue with the next command after a failure', async () => {
    let fails = true;
    const handler = infraEnvs(
      beforeAppend(store, async () => {
        if (fails) throw new Error('disk is full');
      }),
    );
    const broken = handler.handle('one', register(), context());
    const next = handler.handle('one', register(), context());
    await expect(broken).rejects.toThrow('disk is full');
    await expect(next).rejects.toThrow('disk is full');
    fails = false;
    expect(await handler.handle('one', register(), context())).toMatchObject({ kind: 'stored', revision: 0 });
  });

  it('lead to the same results with a cache of one aggregate as with a large one', async () => {
    const small = infraEnvs(store, { cachedAggregates: 1 });
    const ids = ['one', 'two', 'three'];
    for (const id of ids) await small.handle(id, register(id), context(`register-${id}`));
    for (const id of [...ids, ...ids]) await small.handle(id, rotate, context());
    for (const id of ids) {
      expect(await small.handle(id, register(id), context(`register-${id}`))).toMatchObject({
        revision: 0,
        events: [],
      });
      expect((await small.load(id)).state.signingKeyGeneration).toBe(2);
    }
  });

  it('throw for an event whose data has another shape than its contract', async () => {
    const handler = infraEnvs(store, {
      decider: {
        ...infraEnvDecider,
        decide: () => ({
          kind: 'accepted',
          events: [{ type: 'InfraEnvRegistered', data: { infraEnvIdentifier: 'x' } } as never as InfraEnvEvent],
        }),
      },
    });
    await expect(handler.handle('one', register(), context())).rejects.toThrow(
      /InfraEnvRegistered.*infraEnvIdentifier/,
    );
    expect(await store.head()).toBe(START_OF_STORE);
  });

  it('store all events of one decision or none of them', async () => {
    const two = (command: InfraEnvCommand, state: InfraEnvState) => {
      const decision = infraEnvDecider.decide(command, state);
      if (decision.kind === 'refused') return decision;
      return { ...decision, events: [...decision.events, ...decision.events] };
    };
    const there = infraEnvs(store);
    await there.handle('one', register(), context());
    let interruptions = 1;
    const here = infraEnvs(
      beforeAppend(store, async () => {
        if (interruptions-- > 0) await there.handle('one', rotate, context());
      }),
      { decider: { ...infraEnvDecider, decide: two } },
    );
    const result = await here.handle('one', rotate, context('double'));
    expect(result).toMatchObject({ revision: 3, state: { signingKeyGeneration: 3 } });
    expect((await stored()).filter(({ metadata }) => metadata.commandId === 'double')).toHaveLength(2);
  });
});
