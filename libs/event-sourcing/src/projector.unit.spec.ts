import { inMemoryReadModels } from '@muster/adapter-in-memory';
import {
  type JsonObject,
  MAX_QUERY_DOCUMENTS,
  type ReadModelChange,
  type ReadModels,
  type RecordedEvent,
  START_OF_STORE,
  type StoredEvent,
} from '@muster/ports';
import { eventually } from '@muster/testing';
import { FEED_TIME } from './feed';
import { type LocalBus, localBus } from './local-bus.fixture.spec';
import { type ProjectEvent, type Projector, type ProjectorOptions, startProjector } from './projector';
import { type Relay, startRelay } from './relay';
import { appendEvents, BusyTurns, type PlainEventStore, plainEventStore } from './stored-events.fixture.spec';

/** Counts the events of each stream in its document. A repeated event changes nothing. */
const count: ProjectEvent<StoredEvent> = async (event, read) => {
  const before = (await read('streams', event.streamId)) as { events: number; last: number } | undefined;
  if (before && before.last >= event.revision) return [];
  const document = { events: (before?.events ?? 0) + 1, last: event.revision };
  return [{ kind: 'put', collection: 'streams', key: event.streamId, document }];
};

describe('projector', () => {
  let store: PlainEventStore;
  let readModels: ReadModels;
  let bus: LocalBus;
  let relay: Relay;
  let errors: Error[];
  const feeds: Projector[] = [];
  const start = async (options: Partial<ProjectorOptions<StoredEvent>> = {}): Promise<Projector> => {
    const feed = await startProjector({
      name: 'counts',
      store,
      requests: bus,
      readModels,
      project: count,
      onError: (error) => errors.push(error),
      ...options,
    });
    feeds.push(feed);
    return feed;
  };
  const counted = async (): Promise<number> =>
    (await readModels.find({ collection: 'streams', where: {} }))
      .map(({ document }) => (document as JsonObject & { events: number }).events)
      .reduce((sum, events) => sum + events, 0);

  beforeEach(async () => {
    store = plainEventStore();
    readModels = inMemoryReadModels();
    bus = localBus();
    errors = [];
    relay = await startRelay({ store, requests: bus, onError: (error) => errors.push(error) });
  });
  afterEach(async () => {
    await Promise.all(feeds.splice(0).map((feed) => feed.close()));
    await relay.close();
  });

  it('projects many events in several turns of the event loop, and commits them together', async () => {
    await appendEvents(store, 100);
    const turns = new BusyTurns();
    const pages: number[] = [];
    const feed = await start({
      project: (event, read) => {
        turns.work();
        return count(event, read);
      },
      onCommitted: (page) => pages.push(page.length),
    });
    await feed.caughtUp;
    turns.end();
    expect(turns.most()).toBeLessThanOrEqual(FEED_TIME.maxMs / 2 + 1);
    expect(pages).toEqual([100]);
    expect(await counted()).toBe(100);
  });

  it('reads its own changes within a page and across pages', async () => {
    await appendEvents(store, 700);
    await (
      await start()
    ).caughtUp;
    expect(await readModels.get('streams', 'sample-3')).toEqual({ events: 100, last: 99 });
    expect(await counted()).toBe(700);
  });

  it('commits each document of a page once, as it is after the page', async () => {
    const { commit } = readModels;
    const commits: (readonly [position: number, events: readonly unknown[]])[] = [];
    const watched: ReadModels = {
      ...readModels,
      commit: (projection, position, changes, last) => {
        commits.push([position, changes.map((change) => change.kind === 'put' && change.document)]);
        return commit(projection, position, changes, last);
      },
    };
    await appendEvents(store, 14);
    await (
      await start({ readModels: watched })
    ).caughtUp;
    expect(commits).toEqual([[13, Array.from({ length: 7 }, () => ({ events: 2, last: 1 }))]]);
  });

  it('returns no document that it has just removed', async () => {
    const seen: unknown[] = [];
    await appendEvents(store, 2);
    const feed = await start({
      project: async (event, read) => {
        seen.push(await read('things', 'x'));
        const thing = { collection: 'things', key: 'x' };
        return event.position === 0
          ? [
              { kind: 'put', ...thing, document: { n: 1 } },
              { kind: 'remove', ...thing },
            ]
          : [];
      },
    });
    await feed.caughtUp;
    expect(seen).toEqual([undefined, undefined]);
    expect(await readModels.get('things', 'x')).toBeUndefined();
  });

  it('commits its checkpoint with its documents and publishes its position', async () => {
    await appendEvents(store, 3);
    await (
      await start()
    ).caughtUp;
    await appendEvents(store, 1);
    await eventually('the new event is counted', async () => (await readModels.checkpoint('counts')) === 3);
    const said = bus.published.filter(({ subject }) => subject === 'projection.v1.counts').map(({ body }) => body);
    expect(said).toEqual([
      { projection: 'counts', position: -1 },
      { projection: 'counts', position: 2 },
      { projection: 'counts', position: 3 },
    ]);
  });

  it('publishes the start of the store before its documents are discarded', async () => {
    const published: unknown[] = [];
    const discarding: ReadModels = {
      ...readModels,
      resume: async (projection, beforeDiscard) => {
        await beforeDiscard?.();
        published.push(...bus.published.filter(({ subject }) => subject === 'projection.v1.counts'));
        return readModels.resume(projection);
      },
    };
    await (
      await start({ readModels: discarding })
    ).caughtUp;
    expect(published).toMatchObject([{ body: { projection: 'counts', position: START_OF_STORE } }]);
  });

  it('publishes no position when no request waits for it', async () => {
    await appendEvents(store, 3);
    await (
      await start({ isAwaited: false })
    ).caughtUp;
    expect(await readModels.checkpoint('counts')).toBe(2);
    expect(bus.published.filter(({ subject }) => subject.startsWith('projection.'))).toEqual([]);
  });

  it('continues from its checkpoint after a restart', async () => {
    await appendEvents(store, 5);
    await (await start()).close();
    await (
      await start()
    ).caughtUp;
    await appendEvents(store, 5);
    const projected: number[] = [];
    await feeds.splice(0).reduce((closing, feed) => closing.then(() => feed.close()), Promise.resolve());
    const before = await readModels.checkpoint('counts');
    const feed = await start({
      project: (event, read) => {
        projected.push(event.position);
        return count(event, read);
      },
    });
    await feed.caughtUp;
    expect(projected).toEqual(Array.from({ length: 9 - before }, (_, n) => before + 1 + n));
    expect(await counted()).toBe(10);
  });

  it('commits nothing of a page whose documents could not be read, and everything after a retry', async () => {
    await appendEvents(store, 10);
    let fails = true;
    const flaky: ReadModels = {
      ...readModels,
      get: async (collection, key) => {
        if (!fails) return readModels.get(collection, key);
        fails = false;
        throw new Error('no answer');
      },
    };
    const feed = await start({ readModels: flaky });
    await eventually('the failure is reported', () => errors.length > 0);
    expect(await readModels.checkpoint('counts')).toBe(-1);
    await feed.caughtUp;
    expect(await counted()).toBe(10);
    expect(feed.parked()).toEqual([]);
  });

  it('pauses a stream that cannot be projected, continues with the others, and resumes it after a restart', async () => {
    const events = await appendEvents(store, 21);
    const sick = events.find(({ revision }) => revision === 1);
    if (!sick) throw new Error('no stream has two events');
    const own = events.filter(({ streamId }) => streamId === sick.streamId).length;
    let isSick = true;
    const project: typeof count = async (event, read) => {
      if (isSick && event.streamId === sick.streamId && event.revision === 1) throw new Error('no row for it');
      return count(event, read);
    };
    const first = await start({ project });
    await first.caughtUp;
    expect(await counted()).toBe(21 - own + 1);
    const parked = { streamId: sick.streamId, revision: 1, reason: expect.stringContaining('no row for it') };
    expect(first.parked()).toEqual([parked]);

    await first.close();
    const feed = await start({ project });
    await feed.caughtUp;
    expect(feed.parked()).toEqual([parked]);

    isSick = false;
    const more = await appendEvents(store, 14);
    await eventually('the parked stream has caught up', async () => (await counted()) === 21 + more.length);
    expect(feed.parked()).toEqual([]);
  });

  it('continues to pause more streams than one query returns after a restart', async () => {
    const count = MAX_QUERY_DOCUMENTS + 1;
    const changes = Array.from({ length: count }, (_, n): ReadModelChange => {
      const document = { streamId: `sample-${n}`, revision: 0, reason: 'no row for it' };
      return { kind: 'put', collection: 'counts_parked', key: `sample-${n}`, document };
    });
    await readModels.commit('counts', 0, changes);
    expect((await start()).parked()).toHaveLength(count);
  });

  it('has the same documents when a commit was stored but reported an error', async () => {
    await appendEvents(store, 10);
    let fails = true;
    const flaky: ReadModels = {
      ...readModels,
      commit: async (projection, position, changes) => {
        await readModels.commit(projection, position, changes);
        if (fails) {
          fails = false;
          throw new Error('connection broke');
        }
      },
    };
    await (
      await start({ readModels: flaky })
    ).caughtUp;
    expect(errors).toHaveLength(1);
    expect(await counted()).toBe(10);
  });

  it('reports each committed page', async () => {
    const result: number[] = [];
    await appendEvents(store, 2);
    const onCommitted = (page: readonly RecordedEvent[]): void =>
      void result.push(...page.map(({ position }) => position));
    await (
      await start({ onCommitted })
    ).caughtUp;
    expect(result).toEqual([0, 1]);
  });
});
