import { inMemoryReadModels } from '@muster/adapter-in-memory';
import { parseStreamId, type ReadModels, type StoredEvent } from '@muster/ports';
import { eventToAppend, eventually } from '@muster/testing';
import { type LocalBus, localBus } from './local-bus.fixture.spec';
import { type ProjectEvent, type Projector, type ProjectorOptions, startProjector } from './projector';
import { type Relay, startRelay } from './relay';
import { appendEvents, type PlainEventStore, plainEventStore } from './stored-events.fixture.spec';

/** Counts the events of each stream in its document. A repeated event is counted again. */
const count: ProjectEvent<StoredEvent> = async ({ streamId }, read) => {
  const before = await read<{ events: number }>('streams', streamId);
  return [{ kind: 'put', collection: 'streams', key: streamId, document: { events: (before?.events ?? 0) + 1 } }];
};

describe('a projector that handles a page again', () => {
  let store: PlainEventStore;
  let readModels: ReadModels;
  let bus: LocalBus;
  let relay: Relay;
  let errors: string[];
  const feeds: Projector[] = [];
  const start = async (options: Partial<ProjectorOptions<StoredEvent>> = {}): Promise<Projector> => {
    const onError = ({ message }: Error): void => void errors.push(message);
    const feed = await startProjector({
      name: 'counts',
      store,
      requests: bus,
      readModels,
      project: count,
      onError,
      ...options,
    });
    feeds.push(feed);
    await feed.caughtUp;
    return feed;
  };
  const appendTo = (streamId: 'sick-1' | 'near-1' | 'well-2', revision: number) =>
    store.append(streamId, revision - 1, [eventToAppend({ n: revision })]);
  const failOnce = (): (() => void) => {
    let fails = true;
    return () => {
      if (!fails) return;
      fails = false;
      throw new Error('no answer');
    };
  };

  beforeEach(async () => {
    store = plainEventStore();
    readModels = inMemoryReadModels();
    bus = localBus();
    errors = [];
    relay = await startRelay({ store, requests: bus, onError: ({ message }) => errors.push(message) });
  });
  afterEach(async () => {
    await Promise.all(feeds.splice(0).map((feed) => feed.close()));
    await relay.close();
  });

  describe('with a stream that an earlier release parked', () => {
    beforeEach(async () => {
      for (const revision of [0, 1, 2, 3]) await appendTo('sick-1', revision);
      const project: typeof count = async (event, read) => {
        if (event.revision === 1) throw new Error('no row for it');
        return count(event, read);
      };
      const before = await start({ project });
      await before.close();
      expect(await readModels.get('streams', 'sick-1')).toEqual({ events: 1 });
      await appendTo('sick-1', 4);
      await appendTo('well-2', 0);
    });
    const expectResumed = async (flaky: ReadModels): Promise<void> => {
      const feed = await start({ readModels: flaky });
      expect(errors).toContainEqual(expect.stringContaining('no answer'));
      expect(await readModels.get('streams', 'sick-1')).toEqual({ events: 5 });
      expect(feed.parked()).toEqual([]);
      expect(await readModels.find({ collection: 'counts_parked', where: {} })).toEqual([]);
    };

    it('resumes the stream from where it was parked after a commit failed', async () => {
      const attempt = failOnce();
      const commit: ReadModels['commit'] = async (...given) => {
        attempt();
        return readModels.commit(...given);
      };
      await expectResumed({ ...readModels, commit });
    });

    it('resumes the stream from where it was parked after a later document could not be read', async () => {
      const attempt = failOnce();
      const get: ReadModels['get'] = async (collection, key) => {
        if (key === 'well-2') attempt();
        return readModels.get(collection, key);
      };
      await expectResumed({ ...readModels, get });
    });
  });

  describe('whose other streams have events', () => {
    let isSick: boolean;
    let attempts: number;
    let others: number;
    beforeEach(() => {
      isSick = true;
      attempts = 0;
      others = 0;
    });
    const project: typeof count = async (event, read) => {
      if (event.streamId !== 'sick-1' || event.revision !== 1) return count(event, read);
      attempts += 1;
      if (isSick) throw new Error('no row for it');
      return count(event, read);
    };
    const appendToAnother = async (feed: Projector): Promise<void> => {
      await appendTo('well-2', others);
      others += 1;
      const head = await store.head();
      await eventually('the event is projected', async () => (await readModels.checkpoint('counts')) === head);
      await eventually('the page is handled', () => feed.position() === head);
    };

    it('resumes a parked stream after a start', async () => {
      for (const revision of [0, 1, 2]) await appendTo('sick-1', revision);
      const before = await start({ project });
      await before.close();
      isSick = false;
      const feed = await start({ project });
      await appendToAnother(feed);
      expect(await readModels.get('streams', 'sick-1')).toEqual({ events: 3 });
      expect(feed.parked()).toEqual([]);
      expect(await readModels.find({ collection: 'counts_parked', where: {} })).toEqual([]);
    });

    it('tries a parked stream again after a minute and then after twice the time, and reports it once', async () => {
      let now = 0;
      const feed = await start({ project, nowMs: () => now });
      for (const revision of [0, 1]) await appendTo('sick-1', revision);
      const attemptsAt = async (seconds: number): Promise<number> => {
        now = seconds * 1_000;
        await appendToAnother(feed);
        return attempts;
      };
      const seen: number[] = [];
      for (const seconds of [0, 59, 60, 179, 180]) seen.push(await attemptsAt(seconds));
      expect(seen).toEqual([1, 1, 2, 2, 3]);
      expect(errors).toEqual([expect.stringContaining('no row for it')]);
      expect(feed.parked()).toHaveLength(1);
    });

    it('projects the later events of a resumed stream once', async () => {
      let now = 0;
      const feed = await start({ project, nowMs: () => now });
      for (const revision of [0, 1, 2]) await appendTo('sick-1', revision);
      await appendToAnother(feed);
      isSick = false;
      now = 60_000;
      await appendToAnother(feed);
      await appendTo('sick-1', 3);
      await appendToAnother(feed);
      expect(await readModels.get('streams', 'sick-1')).toEqual({ events: 4 });
    });
  });

  describe('with two streams of one id, which change one document', () => {
    let isSick: boolean;
    beforeEach(() => void (isSick = true));
    /** As the views do, skips an event that is older than the last one of the document. */
    const list: ProjectEvent<StoredEvent> = async ({ streamId, revision, position }, read) => {
      if (isSick && streamId === 'sick-1' && revision === 1) throw new Error('no row for it');
      const key = parseStreamId(streamId).id;
      const before = await read<{ events: readonly string[]; last: number }>('subjects', key);
      if (before && before.last >= position) return [];
      const events = [...(before?.events ?? []), `${streamId}@${revision}`];
      return [{ kind: 'put', collection: 'subjects', key, document: { events, last: position } }];
    };
    const ALL = ['sick-1@0', 'near-1@0', 'sick-1@1', 'near-1@1', 'sick-1@2', 'near-1@2'];
    const appendBoth = async (n: number) => [await appendTo('sick-1', n), await appendTo('near-1', n)];
    const documentOf = async (key: string) => (await readModels.get<{ events: unknown }>('subjects', key))?.events;

    it('pauses both, and projects the events of both in the order of the store after a restart', async () => {
      const before = await start({ project: list });
      for (const revision of [0, 1, 2]) await appendBoth(revision);
      await appendTo('well-2', 0);
      await eventually('the other stream is projected', async () => (await documentOf('2')) !== undefined);
      expect(await documentOf('1')).toEqual(['sick-1@0', 'near-1@0']);
      expect(before.parked()).toEqual([
        { streamId: 'sick-1', revision: 1, reason: expect.stringContaining('no row for it') },
        { streamId: 'near-1', revision: 1, reason: 'sick-1 is paused and changes the same documents' },
      ]);
      expect(errors).toEqual([expect.stringContaining('no row for it')]);
      await before.close();

      isSick = false;
      const feed = await start({ project: list });
      expect(feed.parked()).toHaveLength(2);
      await appendTo('well-2', 1);
      await eventually('both streams are resumed', async () => feed.parked().length === 0);
      expect(await documentOf('1')).toEqual(ALL);
      expect(await readModels.find({ collection: 'counts_parked', where: {} })).toEqual([]);
    });

    it('resumes both with an event of the stream without a fault', async () => {
      const feed = await start({ project: list });
      for (const revision of [0, 1]) await appendBoth(revision);
      await eventually('both streams are paused', () => feed.parked().length === 2);
      await appendTo('sick-1', 2);
      isSick = false;
      await appendTo('near-1', 2);
      await eventually('both streams are resumed', () => feed.parked().length === 0);
      expect(await documentOf('1')).toEqual(ALL);
    });

    it('pauses at the event of the other stream that fails next', async () => {
      let isNearSick = true;
      const feed = await start({
        project: async (event, read) => {
          if (isNearSick && event.streamId === 'near-1' && event.revision === 1) throw new Error('nor for this');
          return list(event, read);
        },
      });
      for (const revision of [0, 1, 2]) await appendBoth(revision);
      await eventually('both streams are paused', () => feed.parked().length === 2);
      isSick = false;
      await appendTo('sick-1', 3);
      await eventually('the other event is next', () => feed.parked()[0]?.streamId === 'near-1');
      expect(await documentOf('1')).toEqual(ALL.slice(0, 3));
      expect(feed.parked()).toMatchObject([
        { streamId: 'near-1', revision: 1, reason: expect.stringContaining('nor for this') },
        { streamId: 'sick-1', revision: 2, reason: 'near-1 is paused and changes the same documents' },
      ]);
      isNearSick = false;
      await appendTo('sick-1', 4);
      await eventually('both streams are resumed', () => feed.parked().length === 0);
      expect(await documentOf('1')).toEqual([...ALL, 'sick-1@3', 'sick-1@4']);
    });
  });

  it('does not project events again whose commit was stored but reported an error', async () => {
    await appendEvents(store, 7);
    const attempt = failOnce();
    const commit: ReadModels['commit'] = async (...given) => {
      await readModels.commit(...given);
      // The page is larger when it is delivered again.
      if (given[1] === 6) await appendEvents(store, 7);
      attempt();
    };
    await start({ readModels: { ...readModels, commit } });
    await eventually('all events are handled', async () => (await readModels.checkpoint('counts')) === 13);
    expect(await readModels.get('streams', 'sample-3')).toEqual({ events: 2 });
  });

  it('projects from the documents of a commit that was interrupted, after it was completed', async () => {
    await appendEvents(store, 7);
    const attempt = failOnce();
    let interrupted: Parameters<ReadModels['commit']> | undefined;
    const halting: ReadModels = {
      ...readModels,
      commit: async (...given) => {
        const [, position, changes] = given;
        interrupted = given;
        await readModels.commit('half', position, changes.slice(0, 4));
        attempt();
        interrupted = undefined;
        await readModels.commit(...given);
      },
      resume: async (projection) => {
        if (interrupted) await readModels.commit(...interrupted);
        return readModels.checkpoint(projection);
      },
    };
    await start({ readModels: halting });
    const found = await readModels.find({ collection: 'streams', where: {} });
    expect(found.map(({ document }) => document)).toEqual(Array(7).fill({ events: 1 }));
  });

  it('reports that its checkpoint moved back, because the events in between would be missing', async () => {
    await appendEvents(store, 10);
    let isRestored = false;
    const reports: string[] = [];
    await start({
      onMovedBack: ({ message }) => void reports.push(message),
      readModels: {
        ...readModels,
        resume: async (projection) => (isRestored ? 3 : readModels.resume(projection)),
        commit: async (...given) => {
          if (isRestored) throw new Error('connection broke');
          return readModels.commit(...given);
        },
      },
    });
    isRestored = true;
    await appendEvents(store, 1);
    const moved = 'The checkpoint of the projection counts moved back from 9 to 3: ';
    await eventually('it is reported', () => reports.length > 0);
    expect(reports).toEqual([expect.stringContaining(moved)]);
    expect(errors).toEqual(['connection broke']);
    expect(await readModels.get('streams', 'sample-3')).toEqual({ events: 1 });
  });
});
