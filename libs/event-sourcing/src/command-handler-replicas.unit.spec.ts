import { inMemoryEventStore } from '@muster/adapter-in-memory';
import { type EventStore } from '@muster/ports';
import { collectPages } from '@muster/testing';
import { context, deregister, infraEnvs, register, rename, rotate } from './infra-envs.fixture.spec';

/** Returns a store that runs a function of the test before each append. */
const beforeAppend = (store: EventStore, act: () => Promise<void>): EventStore => ({
  ...store,
  append: async (streamId, expected, events) => {
    await act();
    return store.append(streamId, expected, events);
  },
});

describe('command handlers of several replicas', () => {
  let store: EventStore;
  const stored = (id = 'one') => collectPages(store.readStream(`infraEnv-${id}`));

  beforeEach(() => {
    store = inMemoryEventStore();
  });

  describe('repeated command id', () => {
    it('stores nothing and returns the position of the first result', async () => {
      const handler = infraEnvs(store);
      await handler.handle('one', register(), context());
      const first = await handler.handle('one', rotate, context('again'));
      await handler.handle('one', rotate, context());
      const second = await handler.handle('one', rotate, context('again'));
      expect(first).toMatchObject({ kind: 'stored', position: 1, revision: 1 });
      expect(second).toMatchObject({ kind: 'stored', position: 1, revision: 1, events: [], isRepeated: true });
      expect(first).not.toHaveProperty('isRepeated');
      expect(await stored()).toHaveLength(3);
    });

    it('stores nothing after a restart', async () => {
      await infraEnvs(store).handle('one', register(), context('first'));
      const result = await infraEnvs(store).handle('one', register(), context('first'));
      expect(result).toMatchObject({ kind: 'stored', position: 0, events: [] });
    });

    it('stores nothing on another replica that has not read the first result', async () => {
      const here = infraEnvs(store);
      const there = infraEnvs(store);
      await here.handle('one', register(), context());
      await there.load('one');
      await here.handle('one', deregister, context('again'));
      expect(await there.handle('one', deregister, context('again'))).toMatchObject({ kind: 'stored', position: 1 });
      expect(await stored()).toHaveLength(2);
    });

    it('is a different command on another aggregate', async () => {
      const handler = infraEnvs(store);
      await handler.handle('one', register('one'), context('same'));
      const result = await handler.handle('two', register('two'), context('same'));
      expect(result).toMatchObject({ kind: 'stored', revision: 0, position: 1 });
    });

    it('is executed again when the command was refused the first time', async () => {
      const handler = infraEnvs(store);
      await handler.handle('one', rotate, context('again'));
      await handler.handle('one', register(), context());
      expect(await handler.handle('one', rotate, context('again'))).toMatchObject({ kind: 'stored', revision: 1 });
    });
  });

  describe('concurrent replica', () => {
    it('causes a second decision on its stored events, and both commands succeed', async () => {
      const there = infraEnvs(store);
      let interruptions = 2;
      const here = infraEnvs(
        beforeAppend(store, async () => {
          if (interruptions-- > 0) await there.handle('one', rotate, context());
        }),
      );
      await there.handle('one', register(), context());
      const result = await here.handle('one', rotate, context());
      expect(result).toMatchObject({ kind: 'stored', revision: 3, state: { signingKeyGeneration: 3 } });
    });

    it('causes an error after the maximum number of conflicts, without a stored event', async () => {
      const there = infraEnvs(store);
      let rounds = 0;
      const here = infraEnvs(
        beforeAppend(store, async () => {
          rounds += 1;
          await there.handle('one', rotate, context());
        }),
      );
      await there.handle('one', register(), context());
      await expect(here.handle('one', rotate, context('mine'))).rejects.toThrow(
        'infraEnv-one had concurrent writers in 5 attempts. Retry the request.',
      );
      expect(rounds).toBe(5);
      expect((await stored()).map(({ metadata }) => metadata.commandId)).not.toContain('mine');
    });

    it('causes a refusal that is based on the store and not on the cache', async () => {
      const here = infraEnvs(store);
      const there = infraEnvs(store);
      await here.handle('one', register(), context());
      await there.load('one');
      await here.handle('one', deregister, context());
      const refused = await there.handle('one', register(), context());
      expect(refused).toMatchObject({ kind: 'refused', state: { status: 'deregistered' } });
    });

    it('causes a change that the cache alone would consider unnecessary', async () => {
      const here = infraEnvs(store);
      const there = infraEnvs(store);
      await here.handle('one', register(), context());
      await there.load('one');
      await here.handle('one', rename('elsewhere'), context());
      expect(await there.handle('one', rename('lab'), context())).toMatchObject({ kind: 'stored', revision: 2 });
    });

    it('updates the cache through the events of a feed', async () => {
      const here = infraEnvs(store);
      const there = infraEnvs(store);
      await here.handle('one', register(), context());
      await there.load('one');
      await here.handle('one', rotate, context());
      await here.handle('one', rotate, context());
      for (const event of await stored()) there.observe(event);
      expect(await there.load('one')).toMatchObject({ revision: 2, state: { signingKeyGeneration: 2 } });
    });

    it('causes a read when the feed delivers an event after a missed one', async () => {
      const here = infraEnvs(store);
      const there = infraEnvs(store);
      await here.handle('one', register(), context());
      await there.load('one');
      await here.handle('one', rotate, context());
      await here.handle('one', rotate, context());
      const last = (await stored())[2];
      if (last) there.observe(last);
      expect(await there.load('one')).toMatchObject({ revision: 2, state: { signingKeyGeneration: 2 } });
    });

    it('does not affect events of other categories', async () => {
      const handler = infraEnvs(store);
      await handler.handle('one', register(), context());
      const [event] = await stored();
      if (event) handler.observe({ ...event, streamId: 'cluster-one', revision: 1 });
      expect(await handler.load('one')).toMatchObject({ revision: 0 });
    });
  });

  it('causes a new fold when the outcome of an append is unknown', async () => {
    let breaks = true;
    const handler = infraEnvs({
      ...store,
      append: async (streamId, expected, events) => {
        const result = await store.append(streamId, expected, events);
        if (breaks && events[0]?.type === 'ImageSigningKeyRotated') throw new Error('connection broke');
        return result;
      },
    });
    await handler.handle('one', register(), context());
    await expect(handler.handle('one', rotate, context('unknown'))).rejects.toThrow('connection broke');
    breaks = false;
    const again = await handler.handle('one', rotate, context('unknown'));
    expect(again).toMatchObject({ kind: 'stored', position: 1, events: [], state: { signingKeyGeneration: 1 } });
    expect(await handler.handle('one', rotate, context())).toMatchObject({ state: { signingKeyGeneration: 2 } });
  });

  it('is not overwritten by an older read of the stream', async () => {
    let release = (): void => undefined;
    const gate = new Promise<void>((resolve) => (release = resolve));
    let held = true;
    const handler = infraEnvs({
      ...store,
      readStream: async function* (streamId, after) {
        const pages = await collectPages(store.readStream(streamId, after));
        if (held) {
          held = false;
          await gate;
        }
        yield pages;
      },
    });
    await infraEnvs(store).handle('one', register(), context());
    const early = handler.load('one');
    await handler.handle('one', rotate, context());
    release();
    expect((await early).state.signingKeyGeneration).toBe(0);
    expect((await handler.load('one')).state.signingKeyGeneration).toBe(1);
  });
});
