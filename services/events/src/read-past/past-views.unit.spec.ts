import { inMemoryEventStore, inMemoryReadModels } from '@muster/adapter-in-memory';
import { COLLECTIONS } from '@muster/assisted-api';
import { type RecordedMusterEvent, streamIdOf } from '@muster/contracts';
import { DocumentChanges, type ReadDocument } from '@muster/event-sourcing';
import { musterEventStore } from '@muster/nest-kit';
import { NO_STREAM, type StreamId, TurnShare } from '@muster/ports';
import fc from 'fast-check';
import { readConfig } from '../config';
import { projectJourney } from '../journeys/project-journey';
import {
  CLUSTER_ID,
  clusterRegistered,
  documentsAfter,
  HOST_ID,
  HOST_KEY,
  hostRegistered,
  infraEnvRegistered,
  onCluster,
  onHost,
  onHostOutcomes,
  onInventory,
  record,
  timeAt,
} from '../views/view-events.fixture.spec';
import { projectEvent } from '../views/views-projection';
import { PAST_TIME, pastEvents, pastViews } from './past-views';
import { ReadPastController } from './read-past.controller';

const outcome = { id: 'ntp-synced', status: 'failure', parameters: [] } as never;

const INSTALLATION_EVENTS = record([
  infraEnvRegistered(),
  clusterRegistered(),
  hostRegistered(),
  onInventory('InventoryReported', { body: { digest: 'sha256:0', bytes: 1 } }),
  onHostOutcomes('HostOutcomesChanged', { changed: [outcome] }),
  onHost('HostEnteredStatus', { status: 'known', from: 'discovering' }),
  onCluster('ClusterEnteredStatus', { status: 'ready', from: 'insufficient' }),
  onCluster('ClusterEnteredStatus', { status: 'installing', from: 'ready' }),
  onHost('HostUnbound', { clusterId: CLUSTER_ID }),
  onCluster('ClusterDeregistered', { at: timeAt(9) }),
]);

/** A store with all events, and the read models after them. */
async function stored(events: readonly RecordedMusterEvent[]) {
  const eventStore = inMemoryEventStore();
  const revisions = new Map<StreamId, number>();
  for (const { streamId, id, type, data, metadata } of events) {
    const result = await eventStore.append(streamId, revisions.get(streamId) ?? NO_STREAM, [
      { id, type, data, metadata },
    ]);
    if (result.kind !== 'appended') throw new Error(result.kind);
    revisions.set(streamId, (revisions.get(streamId) ?? NO_STREAM) + 1);
  }
  const readModels = inMemoryReadModels();
  const documents = new DocumentChanges();
  const read: ReadDocument = async (collection, key) => documents.get(collection, key);
  for (const event of events)
    for (const change of [...(await projectEvent(event, read)), ...(await projectJourney(event, read))])
      documents.add(change);
  await readModels.commit('all', 1, documents.list());
  return { eventStore: musterEventStore(eventStore), readModels };
}

describe('a past state', () => {
  it('equals the documents at every past time', async () => {
    const platform = await stored(INSTALLATION_EVENTS);
    await fc.assert(
      fc.asyncProperty(fc.nat(INSTALLATION_EVENTS.length), async (moment) => {
        const { events } = await pastEvents(CLUSTER_ID, Date.parse(timeAt(moment)) - 1, platform);
        const { cluster, hosts } = await pastViews(CLUSTER_ID, events, projectEvent);
        const documents = await documentsAfter(INSTALLATION_EVENTS.slice(0, moment));
        const host = documents.get(`${COLLECTIONS.hosts}/${HOST_KEY}`);
        expect(cluster).toEqual(documents.get(`${COLLECTIONS.clusters}/${CLUSTER_ID}`));
        expect(hosts).toEqual(host?.['cluster_id'] === CLUSTER_ID ? [host] : []);
      }),
    );
  });

  it('has the status of the cluster at that time', async () => {
    const platform = await stored(INSTALLATION_EVENTS);
    const statusAt = async (moment: number) => {
      const { events } = await pastEvents(CLUSTER_ID, Date.parse(timeAt(moment)), platform);
      return (await pastViews(CLUSTER_ID, events, projectEvent)).cluster?.status;
    };
    expect(await Promise.all([0, 1, 6, 8, 9].map(statusAt))).toEqual([
      undefined,
      'insufficient',
      'ready',
      'installing',
      undefined,
    ]);
  });

  it.each([
    ['registered in the cluster', [hostRegistered()]],
    ['was bound to the cluster', [hostRegistered({ clusterId: '' }), onHost('HostBound', { clusterId: CLUSTER_ID })]],
  ])('contains a host that %s and has left it', async (_what, enters) => {
    const leaves = onHost('HostUnbound', { clusterId: CLUSTER_ID });
    const before = [infraEnvRegistered(), clusterRegistered(), ...enters];
    const platform = await stored(record([...before, leaves]));
    const hostsAt = async (position: number) => {
      const { events } = await pastEvents(CLUSTER_ID, Date.parse(timeAt(position)), platform);
      return (await pastViews(CLUSTER_ID, events, projectEvent)).hosts.map(({ id }) => id);
    };
    expect(await Promise.all([1, 0].map((back) => hostsAt(before.length - back)))).toEqual([[HOST_ID], []]);
  });

  it('contains all earlier events after the clock was set back', async () => {
    const events = record([
      infraEnvRegistered(),
      clusterRegistered(),
      hostRegistered(),
      onCluster('ClusterEnteredStatus', { status: 'ready', from: 'insufficient' }),
      onHost('HostEnteredStatus', { status: 'known', from: 'discovering' }),
      onCluster('ClusterEnteredStatus', { status: 'installing', from: 'ready' }),
    ]);
    const at = (index: number, second: number): RecordedMusterEvent[] =>
      events.slice(index, index + 1).map((event) => ({
        ...event,
        metadata: { ...event.metadata, occurredAt: timeAt(second) },
      }));
    // The clock was one minute ahead when the cluster and the host registered.
    const shown = [at(0, 0), at(1, 61), at(2, 62), at(3, 3), at(4, 4), at(5, 70)].flat();
    const platform = await stored(shown);
    const pastAt = async (second: number) => {
      const past = await pastEvents(CLUSTER_ID, Date.parse(timeAt(second)), platform);
      const { cluster, hosts } = await pastViews(CLUSTER_ID, past.events, projectEvent);
      return [past.events.map(({ position }) => position), cluster?.status, hosts.map(({ status }) => status)];
    };
    expect(await pastAt(2)).toEqual([[0], undefined, []]);
    expect(await pastAt(3)).toEqual([[0, 1, 2, 3], 'ready', ['discovering']]);
    expect(await pastAt(4)).toEqual([[0, 1, 2, 3, 4], 'ready', ['known']]);
    expect(await pastAt(61)).toEqual([[0, 1, 2, 3, 4], 'ready', ['known']]);
    expect(await pastAt(70)).toEqual([[0, 1, 2, 3, 4, 5], 'installing', ['known']]);
  });

  it('contains a host that has left it after the clock was set back, also behind a page of later entries', async () => {
    const others = Array.from({ length: 1_001 }, (_, index) => hostRegistered({ hostId: `host-${index}` }));
    const events = record([
      infraEnvRegistered(),
      clusterRegistered(),
      ...others,
      hostRegistered(),
      onCluster('ClusterEnteredStatus', { status: 'ready', from: 'insufficient' }),
      onHost('HostUnbound', { clusterId: CLUSTER_ID }),
    ]).map((event) => {
      // The clock was one hour ahead when the other hosts registered.
      const second = event.position + (event.position > 1 && event.position < others.length + 2 ? 3_600 : 0);
      return { ...event, metadata: { ...event.metadata, occurredAt: timeAt(second) } };
    });
    const past = await pastEvents(CLUSTER_ID, Date.parse(timeAt(others.length + 3)), await stored(events));
    const { hosts } = await pastViews(CLUSTER_ID, past.events, projectEvent);
    expect(hosts).toHaveLength(others.length + 1);
    expect(hosts.map(({ id }) => id)).toContain(HOST_ID);
  });

  it('is folded in several turns, so that other work of the process runs in between', async () => {
    const { events } = await pastEvents(CLUSTER_ID, Date.parse(timeAt(99)), await stored(INSTALLATION_EVENTS));
    let nowMs = 0;
    // The time of the turn has passed when this clock is read for the second time.
    const time = new TurnShare(PAST_TIME, () => (nowMs += 1_000));
    let otherWork = 0;
    let next = setImmediate(function work() {
      otherWork += 1;
      next = setImmediate(work);
    });
    const { cluster } = await pastViews(CLUSTER_ID, events, projectEvent, time);
    clearImmediate(next);
    expect(cluster).toBeUndefined();
    expect(otherWork).toBeGreaterThanOrEqual(Math.floor(events.length / 2) - 1);
  });

  it('is read in several turns, the log of the cluster and its hosts in pages', async () => {
    const hostIds = Array.from({ length: 1_100 }, (_, index) => `host-${index}`);
    const entered = hostIds.map((hostId) => hostRegistered({ hostId }));
    const events = record([infraEnvRegistered(), clusterRegistered(), ...entered]);
    const { eventStore, readModels } = await stored(events);
    const sizes: number[] = [];
    const find: typeof readModels.find = async (query) => {
      // The work for an offset increases with it, and documents that are removed meanwhile move it.
      expect(query.offset).toBeUndefined();
      const page = await readModels.find(query);
      sizes.push(page.length);
      return page;
    };
    let nowMs = 0;
    const time = new TurnShare(PAST_TIME, () => (nowMs += 1_000));
    const turnsOf = async (atMs: number): Promise<{ readonly turns: number; readonly found: number }> => {
      sizes.length = 0;
      let turns = 0;
      let next = setImmediate(function work() {
        turns += 1;
        next = setImmediate(work);
      });
      const past = await pastEvents(CLUSTER_ID, atMs, { eventStore, readModels: { ...readModels, find } }, time);
      clearImmediate(next);
      return { turns, found: past.events.length };
    };
    const all = await turnsOf(Date.parse(timeAt(events.length)));
    expect(all.found).toBe(events.length);
    expect(Math.max(...sizes)).toBe(500);
    // Three pages of the log, of the hosts, and of the hosts of the journey each.
    expect(sizes.filter((size) => size > 0).length).toBeGreaterThanOrEqual(9);
    expect(all.turns).toBeGreaterThanOrEqual(4);
    // A page without entries until the time is the last one of the log.
    await turnsOf(Date.parse(timeAt(0)));
    expect(sizes.slice(-3)).toEqual([1, 500, 500]);
  });

  it('is read without the connections of its hosts, of which a large cluster has a million', async () => {
    const body = { digest: 'sha256:0', bytes: 1 };
    const peers = [{ hostId: 'host-1', nearAddresses: ['10.0.0.1'] }] as never;
    const collisions = [{ address: '10.0.0.9', macAddresses: ['52:54:00:00:00:01'] }];
    const reported = onInventory('ConnectivityReported', { body, peers, vanishedPeers: ['host-2'], collisions });
    const platform = await stored(record([infraEnvRegistered(), clusterRegistered(), hostRegistered(), reported]));
    const { events } = await pastEvents(CLUSTER_ID, Date.parse(timeAt(3)), platform);
    const kept = events.flatMap((event) => (event.type === 'ConnectivityReported' ? [event.data] : []));
    expect(kept).toMatchObject([{ body, peers: [], vanishedPeers: [], collisions, generation: 1 }]);
    const { hosts } = await pastViews(CLUSTER_ID, events, projectEvent);
    expect(hosts).toMatchObject([
      { _connectivity_digest: 'sha256:0', _ip_collisions: { '10.0.0.9': expect.anything() } },
    ]);
  });

  it('contains nothing of other clusters', async () => {
    const platform = await stored(INSTALLATION_EVENTS);
    expect((await pastEvents('99999999-1111-4111-8111-111111111111', Date.parse(timeAt(99)), platform)).events).toEqual(
      [],
    );
  });

  it('says until when reports and outcomes are compacted, and nothing after that', async () => {
    const compacted = record([
      clusterRegistered(),
      hostRegistered(),
      onInventory('NtpSourcesReported', { sources: [] }),
      onInventory('NtpSourcesReported', { sources: [] }),
      onHost('HostEnteredStatus', { status: 'known', from: 'discovering' }),
    ]).map((event, index) =>
      index === 2 ? { ...event, metadata: { ...event.metadata, originalDigest: 'sha256:0' } } : event,
    );
    const platform = await stored(compacted);
    const until = async (index: number): Promise<string | undefined> =>
      (await pastEvents(CLUSTER_ID, Date.parse(compacted[index]?.metadata.occurredAt ?? ''), platform)).compactedUntil;
    expect([await until(1), await until(2), await until(3)]).toEqual([
      undefined,
      compacted[3]?.metadata.occurredAt,
      undefined,
    ]);
  });
});

describe('a request for a past state', () => {
  it('joins the same request that is being answered, as when its caller repeats it', async () => {
    const { eventStore, readModels } = await stored(INSTALLATION_EVENTS);
    const reads: StreamId[] = [];
    const counting: typeof eventStore = {
      ...eventStore,
      readStream: (streamId, after) => {
        reads.push(streamId);
        return eventStore.readStream(streamId, after);
      },
    };
    const controller = new ReadPastController(counting, readModels, readConfig({}));
    const ask = (moment: number) => controller.handle({ clusterId: CLUSTER_ID, at: timeAt(moment) });
    const readsOfCluster = () => reads.filter((streamId) => streamId === streamIdOf('cluster', CLUSTER_ID)).length;

    const [first, repeated] = await Promise.all([ask(6), ask(6)]);
    expect(repeated).toEqual(first);
    expect(readsOfCluster()).toBe(1);
    const [again, earlier] = await Promise.all([ask(6), ask(1)]);
    expect(again).toEqual(first);
    expect(earlier).not.toEqual(first);
    expect(readsOfCluster()).toBe(3);
  });

  it('is answered after the same request failed', async () => {
    const { eventStore, readModels } = await stored(INSTALLATION_EVENTS);
    let isAvailable = false;
    const failing: typeof eventStore = {
      ...eventStore,
      readStream: (streamId, after) => {
        if (isAvailable) return eventStore.readStream(streamId, after);
        throw new Error('not available');
      },
    };
    const controller = new ReadPastController(failing, readModels, readConfig({}));
    const ask = () => controller.handle({ clusterId: CLUSTER_ID, at: timeAt(6) });
    await expect(ask()).rejects.toThrow('not available');
    isAvailable = true;
    expect(await ask()).toEqual({ documents: expect.any(String) });
  });
});
