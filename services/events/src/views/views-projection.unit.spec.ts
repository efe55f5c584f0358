import {
  COLLECTIONS,
  DROPPED_LOGS,
  DROPPED_LOGS_MAX,
  type DroppedLogsDocument,
  EVENT_COUNTS,
} from '@muster/assisted-api';
import type { JsonObject } from '@muster/ports';
import fc from 'fast-check';
import {
  CLUSTER_ID,
  clusterRegistered,
  documentsAfter,
  type TestEvent,
  hostRegistered,
  infraEnvRegistered,
  onCluster,
  onHost,
  onHostOutcomes,
  onImage,
  onInfraEnv,
  onInventory,
  onManifests,
  onNote,
  record,
} from './view-events.fixture.spec';
import { droppedLogsChange } from './view-rows';

const outcome = { id: 'ntp-synced', parameters: [] } as never;

/** A short installation with events of every stream. */
const INSTALLATION_EVENTS: readonly TestEvent[] = [
  clusterRegistered({ monitoredOperators: [{ name: 'console', operatorType: 'builtin' } as never] }),
  infraEnvRegistered(),
  onImage('ImageFirstDownloaded', { imageType: 'full-iso', version: '4.18', arch: 'x86_64' }),
  hostRegistered(),
  onInventory('InventoryReported', { body: { digest: 'sha256:0', bytes: 1 } }),
  onInventory('DiskSpeedMeasured', { path: '/dev/sda', ioSyncDurationMs: 20 }),
  onInventory('ImageAvailabilityReported', { images: [{ name: 'a', result: 'success' } as never] }),
  onHostOutcomes('HostOutcomesChanged', { changed: [{ ...(outcome as object), status: 'success' } as never] }),
  onHostOutcomes('HostOutcomesChanged', { changed: [{ ...(outcome as object), status: 'failure' } as never] }),
  onHost('HostEnteredStatus', { status: 'known', from: 'discovering' }),
  onHost('HostRoleSuggested', { role: 'worker' }),
  onHost('HostReregistered', { kind: 'Host', clusterId: '11111111-1111-4111-8111-111111111111' }),
  onInfraEnv('InfraEnvSettingsRevised', { changes: { imageType: 'minimal-iso' } }),
  onManifests('ManifestStored', { folder: 'manifests', fileName: 'cni.yaml', source: 'user' }),
  onManifests('ManifestRemoved', { folder: 'manifests', fileName: 'cni.yaml' }),
  onCluster('InstallationPreparationStarted', { attempt: 1 }),
  onHost('HostProgressed', { stage: 'Installing', stageChanged: true, installationPercentage: 20 }),
  onCluster('OperatorStatusReported', { name: 'console', status: 'available' }),
  onCluster('ClusterEnteredStatus', { status: 'installed', from: 'finalizing' }),
  onNote('NoteRecorded', { name: 'reboots_for_node', severity: 'info', category: 'user', message: 'twice' }),
];

describe('the projection of views', () => {
  it('ignores an event that is delivered twice', async () => {
    const events = record(INSTALLATION_EVENTS);
    const once = await documentsAfter(events);
    const twice = await documentsAfter(events.flatMap((event) => [event, event]));
    expect([...twice]).toEqual([...once]);
  });

  it('ignores any part of the events that is delivered again', async () => {
    const events = record(INSTALLATION_EVENTS);
    const once = await documentsAfter(events);
    await fc.assert(
      fc.asyncProperty(fc.nat(events.length - 1), fc.nat(events.length), async (from, length) => {
        const again = events.slice(from, from + length);
        const reached = events.slice(0, from + length);
        const rest = events.slice(from + length);
        expect(await documentsAfter([...reached, ...again, ...rest])).toEqual(once);
      }),
    );
  });

  it('never modifies a document in place, because readers share it', async () => {
    // The fixture freezes every document, so that a modification throws.
    await expect(documentsAfter(record(INSTALLATION_EVENTS))).resolves.toBeInstanceOf(Map);
  });

  it('skips an event of a newer version', async () => {
    const [first] = record([clusterRegistered()]);
    if (!first) throw new Error('no event');
    expect(await documentsAfter([{ ...first, type: 'ClusterDreamt' as never }])).toEqual(new Map());
  });

  it('ignores events of an unknown host', async () => {
    expect(await documentsAfter(record([onHost('HostBootstrapChosen'), onInventory('InventoryReported')]))).toEqual(
      new Map(),
    );
  });
});

describe('the counts of the event log', () => {
  const progress = (progressInfo: string): TestEvent =>
    onHost('HostProgressed', { stage: 'Writing image to disk', progressInfo, stageChanged: progressInfo === '1%' });
  const events = record([...INSTALLATION_EVENTS, progress('1%'), progress('2%'), progress('3%')]);
  const countedIn = (documents: ReadonlyMap<string, JsonObject>): unknown => {
    const counts: Record<string, Record<string, number>> = {};
    for (const [key, { category, severity }] of documents) {
      if (!key.startsWith(`${COLLECTIONS.events}/`)) continue;
      const ofCategory = (counts[String(category)] ??= {});
      ofCategory[String(severity)] = (ofCategory[String(severity)] ?? 0) + 1;
    }
    return counts;
  };
  const countsIn = (documents: ReadonlyMap<string, JsonObject>): unknown =>
    documents.get(`${COLLECTIONS.eventCounts}/${EVENT_COUNTS}`)?.['counts'];

  it.each([
    ['in order', events],
    ['twice', events.flatMap((event) => [event, event])],
    ['again from the start', [...events, ...events]],
    [
      'of one stream after the others, as for a stream that was paused',
      [
        ...events.filter(({ type }) => type !== 'NoteRecorded'),
        ...events.filter(({ type }) => type === 'NoteRecorded'),
      ],
    ],
  ])('equal the documents after events %s', async (_, delivered) => {
    const documents = await documentsAfter(delivered);
    expect(countsIn(documents)).toMatchObject({ user: { info: expect.any(Number) as number } });
    expect(countsIn(documents)).toEqual(countedIn(documents));
  });
});

describe('the clusters whose logs lost a reference', () => {
  const BODY = { digest: 'sha256:0', bytes: 1 };
  const OTHER_BODY = { digest: 'sha256:1', bytes: 1 };
  const collected = [clusterRegistered(), hostRegistered(), onHost('HostLogsCollected', { body: BODY })];
  const clusterLogs = onCluster('ClusterLogsCollected', { logsType: 'controller', body: BODY });
  const droppedAfter = async (...events: readonly TestEvent[]) =>
    (await documentsAfter(record(events))).get(`${COLLECTIONS.droppedLogs}/${DROPPED_LOGS}`);

  it.each([
    ['a host is removed', [...collected, onHost('HostDeregistered')]],
    ['a host leaves the cluster', [...collected, onHost('HostUnbound', { clusterId: CLUSTER_ID })]],
    ['a host registers again', [...collected, onHost('HostReregistered', { kind: 'Host', clusterId: CLUSTER_ID })]],
    ['the logs of a host are discarded', [...collected, onHost('HostLogsReported', { logsState: '' })]],
    ['the cluster is reset', [clusterRegistered(), hostRegistered(), clusterLogs, onCluster('ClusterReset')]],
    ['the cluster is removed', [clusterRegistered(), hostRegistered(), clusterLogs, onCluster('ClusterDeregistered')]],
    ['an upload replaces the logs of a host', [...collected, onHost('HostLogsCollected', { body: OTHER_BODY })]],
    [
      'an upload replaces the logs of the controller',
      [...collected, clusterLogs, onCluster('ClusterLogsCollected', { logsType: 'controller', body: OTHER_BODY })],
    ],
  ])('are recorded when %s', async (_, events) => {
    expect(await droppedAfter(...events)).toEqual({
      complete_after: -1,
      clusters: [{ cluster_id: CLUSTER_ID, position: events.length - 1 }],
    });
  });

  it('are not recorded without collected logs, nor when the same logs are uploaded again', async () => {
    expect(await droppedAfter(clusterRegistered(), hostRegistered(), onHost('HostDeregistered'))).toBeUndefined();
    const again = [onHost('HostLogsCollected', { body: BODY }), clusterLogs, clusterLogs];
    expect(await droppedAfter(...collected, ...again)).toBeUndefined();
  });

  it('are in the order of the last event, once each, and the first ones are removed', async () => {
    let last: DroppedLogsDocument | undefined;
    const drop = async (clusterId: string, position: number): Promise<void> => {
      const change = await droppedLogsChange(clusterId, position, async () => last as never);
      last = change.kind === 'put' ? (change.document as DroppedLogsDocument) : undefined;
    };
    for (let position = 0; position <= DROPPED_LOGS_MAX; position += 1) await drop(`cluster-${position}`, position);
    expect(last?.complete_after).toBe(0);
    expect(last?.clusters).toHaveLength(DROPPED_LOGS_MAX);
    await drop('cluster-2', 9_000);
    expect(last?.clusters.slice(0, 2).map(({ cluster_id: id }) => id)).toEqual(['cluster-1', 'cluster-3']);
    expect(last?.clusters.at(-1)).toEqual({ cluster_id: 'cluster-2', position: 9_000 });
    expect(last?.complete_after).toBe(0);
  });
});
