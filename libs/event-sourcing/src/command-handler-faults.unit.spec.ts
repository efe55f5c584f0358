import { inMemoryEventStore } from '@muster/adapter-in-memory';
import { type EventStore, Unavailable } from '@muster/ports';
import { collectPages } from '@muster/testing';
import { context, infraEnvs, register, rotate } from './infra-envs.fixture.spec';

describe('a command handler', () => {
  let store: EventStore;
  const stored = (id = 'one') => collectPages(store.readStream(`infraEnv-${id}`));

  beforeEach(() => {
    store = inMemoryEventStore();
  });

  describe('command handler on a store that is not available', () => {
    const away = (isOutcomeUnknown: boolean) => new Unavailable('A store at a:1', 'reset', { isOutcomeUnknown });
    /** Fails the given number of appends. Appends with an unknown outcome are stored. */
    const failing = (failures: number, isStored: boolean): EventStore & { readonly ids: string[]; recover(): void } => {
      const ids: string[] = [];
      let failuresMax = failures;
      return {
        ...store,
        ids,
        recover: () => (failuresMax = 0),
        append: async (streamId, expected, events) => {
          ids.push(...events.map(({ id }) => id));
          if (ids.length > failuresMax) return store.append(streamId, expected, events);
          if (isStored && ids.length === 1) await store.append(streamId, expected, events);
          throw away(isStored);
        },
      };
    };

    it('repeats the append with the same event ids until the store is available', async () => {
      const flaky = failing(3, false);
      expect(await infraEnvs(flaky).handle('one', register(), context())).toMatchObject({
        kind: 'stored',
        revision: 0,
      });
      expect(flaky.ids).toHaveLength(4);
      expect(new Set(flaky.ids).size).toBe(1);
    });

    it('returns the first result when the append was stored and its answer was lost', async () => {
      const result = await infraEnvs(failing(1, true)).handle('one', register(), context('mine'));
      expect(result).toMatchObject({ kind: 'stored', revision: 0, position: 0 });
      expect(await stored()).toHaveLength(1);
    });

    it('throws with an unknown outcome after the deadline, and a repetition returns the first result', async () => {
      const flaky = failing(100, true);
      const handler = infraEnvs(flaky, { deadlineMs: 150 });
      const failed = handler.handle('one', register(), context('mine'));
      await expect(failed).rejects.toMatchObject({ server: 'A store at a:1', isOutcomeUnknown: true });
      flaky.recover();
      const again = await handler.handle('one', register(), context('mine'));
      expect(again).toMatchObject({ kind: 'stored', revision: 0, position: 0, events: [] });
      expect(await stored()).toHaveLength(1);
    });

    it('throws after its deadline with the outcome that nothing was stored', async () => {
      const handler = infraEnvs(failing(100, false), { deadlineMs: 150 });
      await expect(handler.handle('one', register(), context())).rejects.toMatchObject({ isOutcomeUnknown: false });
      expect(await stored()).toEqual([]);
    });

    it('throws immediately when the store refuses the process', async () => {
      let reads = 0;
      const refusing: EventStore = {
        ...store,
        append: () => {
          reads += 1;
          return Promise.reject(new Unavailable('A store at a:1', 'access denied', { isRefused: true }));
        },
      };
      await expect(infraEnvs(refusing).handle('one', register(), context())).rejects.toMatchObject({ isRefused: true });
      expect(reads).toBe(1);
    });

    it('repeats the read while the store is not available', async () => {
      await infraEnvs(store).handle('one', register(), context());
      let failures = 2;
      const flaky: EventStore = {
        ...store,
        readStream: (streamId, after) => {
          if (failures-- > 0) throw away(false);
          return store.readStream(streamId, after);
        },
      };
      expect(await infraEnvs(flaky).handle('one', rotate, context())).toMatchObject({ kind: 'stored', revision: 1 });
    });

    it('waits for an event that the store counts and does not return yet', async () => {
      await infraEnvs(store).handle('one', register(), context());
      await infraEnvs(store).handle('one', rotate, context());
      let hiddenReads = 2;
      const lagging: EventStore = {
        ...store,
        readStream: async function* (streamId, after) {
          const events = await collectPages(store.readStream(streamId, after));
          yield hiddenReads-- > 0 ? events.slice(0, 1) : events;
        },
      };
      const result = await infraEnvs(lagging).handle('one', rotate, context());
      expect(result).toMatchObject({ kind: 'stored', revision: 2, state: { signingKeyGeneration: 2 } });
    });

    it('throws when the store never returns an event', async () => {
      await infraEnvs(store).handle('one', register(), context());
      await infraEnvs(store).handle('one', rotate, context());
      const lagging: EventStore = {
        ...store,
        readStream: async function* (streamId, after) {
          yield (await collectPages(store.readStream(streamId, after))).slice(0, 1);
        },
      };
      const refused = infraEnvs(lagging, { deadlineMs: 150 }).handle('one', rotate, context());
      await expect(refused).rejects.toBeInstanceOf(Unavailable);
      expect(await stored()).toHaveLength(2);
    });
  });
});
