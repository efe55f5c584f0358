import {
  type ClusterJourney,
  FUNNEL_STEPS,
  type HostJourney,
  JOURNEY_COLLECTIONS,
  MAX_JOURNEY_MARKS,
} from '@muster/assisted-api';
import type { RecordedMusterEvent } from '@muster/contracts';
import type { JsonObject } from '@muster/ports';
import fc from 'fast-check';
import {
  CLUSTER_ID,
  clusterRegistered,
  type TestEvent,
  HOST_KEY,
  hostRegistered,
  infraEnvRegistered,
  onCluster,
  onHost,
  onHostNamed,
  onImage,
  onInfraEnv,
  onInventory,
  record,
  timeAt,
} from '../views/view-events.fixture.spec';
import { projectJourney } from './project-journey';

const status = (to: string, from = '', transition = '') =>
  onCluster('ClusterEnteredStatus', { status: to, from, transition });
const hostStatus = (to: string, from: string, cause = '') => onHost('HostEnteredStatus', { status: to, from, cause });
const stage = (name: string) => onHost('HostProgressed', { stage: name, stageChanged: true });

/** The installation of a single node with every step of the funnel. */
const INSTALLATION_EVENTS: readonly TestEvent[] = [
  clusterRegistered({ settings: { openshiftVersion: '4.18', controlPlaneCount: 1, platformType: 'none' } as never }),
  infraEnvRegistered(),
  onImage('ImageFirstDownloaded', { imageType: 'full-iso' }),
  onImage('ImageDownloadCompleted', { imageType: 'full-iso' }),
  hostRegistered(),
  onInventory('InventoryReported', { body: { digest: 'sha256:0', bytes: 1 } }),
  status('ready', 'insufficient'),
  onCluster('InstallationPreparationStarted', { attempt: 1 }),
  onCluster('InstallationPrepared', { attempt: 1 }),
  status('installing', 'preparing-for-installation'),
  stage('Rebooting'),
  stage('Joined'),
  onHost('HostBootstrapChosen'),
  stage('Rebooting'),
  status('finalizing', 'installing'),
  status('installed', 'finalizing'),
];

async function journeysAfter(events: readonly RecordedMusterEvent[]): Promise<Map<string, JsonObject>> {
  const documents = new Map<string, JsonObject>();
  for (const event of events)
    for (const change of await projectJourney(
      event,
      async (collection, key) => documents.get(`${collection}/${key}`) as never,
    ))
      if (change.kind === 'put') documents.set(`${change.collection}/${change.key}`, change.document as JsonObject);
      else documents.delete(`${change.collection}/${change.key}`);
  return documents;
}

async function after(...given: readonly TestEvent[]) {
  const documents = await journeysAfter(record(given));
  return {
    documents,
    cluster: documents.get(`${JOURNEY_COLLECTIONS.clusters}/${CLUSTER_ID}`) as unknown as ClusterJourney,
    host: documents.get(`${JOURNEY_COLLECTIONS.hosts}/${HOST_KEY}`) as unknown as HostJourney,
  };
}

describe('the projection of timelines', () => {
  it('records every step at the time of its event, including image downloads', async () => {
    const { cluster } = await after(...INSTALLATION_EVENTS);
    expect(Object.keys(cluster.steps).sort()).toEqual([...FUNNEL_STEPS].sort());
    expect(cluster.steps['image-first-downloaded']).toBe(timeAt(2));
    expect(cluster.steps['image-download-completed']).toBe(timeAt(3));
    expect(cluster).toMatchObject({
      outcome: 'installed',
      topology: 'single-node',
      platform: 'none',
      day: '2024-01-01',
    });
  });

  it('records only the first time of a step', async () => {
    const { cluster } = await after(
      ...INSTALLATION_EVENTS,
      onImage('ImageFirstDownloaded'),
      status('ready', 'installed'),
    );
    expect(cluster.steps['image-first-downloaded']).toBe(timeAt(2));
    expect(cluster.steps['cluster-ready']).toBe(timeAt(6));
  });

  it.each([
    ['booted again', onHost('HostReregistered', { clusterId: CLUSTER_ID })],
    ['became a worker', onHost('HostRoleAssigned', { role: 'worker' })],
    ['became an arbiter', onHost('HostRoleAssigned', { role: 'arbiter' })],
  ])('records no pivot of the bootstrap host when a host reboots that %s before', async (_, event) => {
    const { cluster } = await after(
      clusterRegistered(),
      hostRegistered(),
      onHost('HostBootstrapChosen'),
      event,
      stage('Rebooting'),
    );
    expect(Object.keys(cluster.steps)).toContain('host-rebooted');
    expect(Object.keys(cluster.steps)).not.toContain('bootstrap-pivoted');
  });

  it('records the pivot of a bootstrap host whose role or registration changed and that stays one', async () => {
    const { cluster } = await after(
      clusterRegistered(),
      hostRegistered(),
      onHost('HostBootstrapChosen'),
      onHost('HostRoleAssigned', { role: 'master' }),
      onHost('HostReregistered', { clusterId: CLUSTER_ID, inventoryKept: true }),
      stage('Rebooting'),
    );
    expect(Object.keys(cluster.steps)).toContain('bootstrap-pivoted');
  });

  it('is unchanged when any part of the events is repeated', async () => {
    const events = record(INSTALLATION_EVENTS);
    const once = await journeysAfter(events);
    await fc.assert(
      fc.asyncProperty(fc.nat(events.length - 1), fc.nat(events.length), async (from, length) => {
        const again = events.slice(from, from + length);
        expect(
          await journeysAfter([...events.slice(0, from + length), ...again, ...events.slice(from + length)]),
        ).toEqual(once);
      }),
    );
  });

  it('records as reason the stage and failure of the host that failed first', async () => {
    const { cluster } = await after(
      ...INSTALLATION_EVENTS.slice(0, 10),
      stage('Writing image to disk'),
      hostStatus('error', 'installing-in-progress', 'stage-overdue'),
      onHostNamed('44444444-4444-4444-8444-444444444444')('HostEnteredStatus', { status: 'error', cause: 'cluster' }),
      status('error', 'installing', 'hosts-failed'),
      status('cancelled', 'error', 'cancel-installation'),
    );
    expect(cluster.outcome).toBe('cancelled');
    expect(cluster.failures).toEqual([
      { at: timeAt(13), kind: 'failed', step: 'installing', stage: 'Writing image to disk', reason: 'stage-overdue' },
    ]);
  });

  it('keeps failures of earlier attempts, and records a new reason after a reset', async () => {
    const { cluster } = await after(
      ...INSTALLATION_EVENTS.slice(0, 10),
      hostStatus('error', 'installing', 'installing-silent'),
      status('cancelled', 'installing', 'cancel-installation'),
      onCluster('ClusterReset'),
      onCluster('InstallationPreparationStarted', { attempt: 2 }),
      onCluster('InstallationPreparationFailed', { attempt: 2, reason: 'x'.repeat(300) }),
      status('finalizing', 'installing'),
      onCluster('FinalizingStageReached', { stage: 'Waiting for cluster operators' }),
      status('error', 'finalizing', 'finalizing-timed-out'),
    );
    expect(cluster.failures.map(({ kind, stage: at, reason }) => [kind, at, reason])).toEqual([
      ['cancelled', 'installing', 'cancel-installation'],
      ['preparation-failed', 'preparing', 'x'.repeat(200)],
      ['failed', 'Waiting for cluster operators', 'finalizing-timed-out'],
    ]);
  });

  const PREPARING = status('preparing-for-installation', 'ready', 'start-preparation');
  const artifactsFailed = onCluster('InstallationPreparationFailed', { reason: 'no release' });
  it.each([
    ['a host that failed', [], ['ready', 'host-failed-to-prepare'], 'host-failed-to-prepare'],
    ['a host that stopped', [], ['insufficient', 'host-stopped-preparing'], 'host-stopped-preparing'],
    ['a host and the artifacts', [artifactsFailed], ['ready', 'host-failed-to-prepare'], 'no release'],
    ['the artifacts', [artifactsFailed], ['ready', 'artifacts-failed-to-prepare'], 'no release'],
  ] as const)(
    'has one failure for each preparation that ended because of %s',
    async (_, first, [next, row], reason) => {
      const attempt = [PREPARING, ...first, status(next, 'preparing-for-installation', row)];
      const { cluster } = await after(clusterRegistered(), ...attempt, ...attempt, artifactsFailed);
      expect(cluster.failures.map((failure) => [failure.kind, failure.stage, failure.reason])).toEqual(
        Array(2).fill(['preparation-failed', 'preparing', reason]),
      );
    },
  );

  it('keeps the stages of earlier attempts, also when the next attempt begins with the same stage', async () => {
    const again = [stage('Starting installation'), onCluster('FinalizingStageReached', { stage: 'Done' })];
    const { host, cluster } = await after(
      ...INSTALLATION_EVENTS.slice(0, 5),
      ...again,
      onCluster('ClusterReset'),
      onHost('HostReset'),
      onHost('HostReregistered', { clusterId: CLUSTER_ID }),
      ...again,
    );
    expect(host.stages).toEqual([5, 10].map((position) => ({ name: 'Starting installation', at: timeAt(position) })));
    expect(cluster.finalizing_stages).toEqual([6, 11].map((position) => ({ name: 'Done', at: timeAt(position) })));
  });

  it.each<readonly [how: string, events: readonly TestEvent[]]>([
    ['was reset', [onHost('HostReset')]],
    ['registered again', [onHost('HostReregistered', { clusterId: CLUSTER_ID })]],
    ['left its cluster', [onHost('HostUnbound'), onHost('HostReregistered', { clusterId: CLUSTER_ID })]],
    ['was bound', [onHost('HostBound', { clusterId: CLUSTER_ID })]],
  ])('takes no stage of an earlier attempt as the stage of a failure after a host %s', async (_how, events) => {
    const { cluster } = await after(
      ...INSTALLATION_EVENTS.slice(0, 5),
      stage('Starting installation'),
      stage('Failed'),
      hostStatus('error', 'installing-in-progress', 'report'),
      status('error', 'installing', 'hosts-failed'),
      onCluster('ClusterReset'),
      ...events,
      hostStatus('error', 'installing', 'installing-timed-out'),
      status('error', 'installing', 'hosts-failed'),
    );
    expect(cluster.failures.map(({ stage: at }) => at)).toEqual(['Starting installation', 'installing']);
  });

  it.each<readonly [how: string, event: TestEvent]>([
    ['a reset', onCluster('ClusterReset')],
    ['the start of a preparation', onCluster('InstallationPreparationStarted', { attempt: 2 })],
  ])('takes no stage of an earlier finalization as the stage of a failure after %s', async (_how, event) => {
    const { cluster } = await after(
      clusterRegistered(),
      onCluster('FinalizingStageReached', { stage: 'Adding router ca' }),
      status('error', 'finalizing', 'finalizing-timed-out'),
      event,
      status('error', 'finalizing', 'finalizing-timed-out'),
    );
    expect(cluster.failures.map(({ stage: at }) => at)).toEqual(['Adding router ca', 'finalizing']);
  });

  it('contains no statuses and stages of a host in its earlier cluster', async () => {
    const other = '55555555-5555-4555-8555-555555555555';
    const { host } = await after(
      ...INSTALLATION_EVENTS.slice(0, 5),
      hostStatus('known', 'discovering'),
      stage('Starting installation'),
      onHost('HostUnbound', { clusterId: CLUSTER_ID }),
      hostStatus('unbinding', 'known'),
      onHost('HostBound', { clusterId: other }),
      hostStatus('binding', 'known-unbound'),
    );
    expect(host).toMatchObject({ cluster_id: other, stages: [] });
    expect(host.statuses.map(({ name }) => name)).toEqual(['unbinding', 'binding']);
  });

  it('adds the known steps of a pool host when it joins a cluster', async () => {
    const given = [
      clusterRegistered(),
      hostRegistered({ clusterId: '' }),
      onInventory('InventoryReported', { body: { digest: 'sha256:0', bytes: 1 } }),
    ];
    expect((await after(...given)).cluster.steps).toEqual({ 'cluster-created': timeAt(0) });
    const { cluster } = await after(...given, onHost('HostBound', { clusterId: CLUSTER_ID }));
    expect(cluster.steps).toMatchObject({ 'host-discovered': timeAt(3), 'hardware-known': timeAt(3) });
  });

  it('contains no day-2 clusters', async () => {
    const { documents } = await after(clusterRegistered({ kind: 'AddHostsCluster' }), infraEnvRegistered());
    expect(documents.has(`${JOURNEY_COLLECTIONS.clusters}/${CLUSTER_ID}`)).toBe(false);
  });

  it('keeps deleted clusters, and removes their owner after the retention period', async () => {
    const failure = onCluster('InstallationPreparationFailed', { attempt: 1, reason: 'baseDomain: "alice.example"' });
    const deleted = [...INSTALLATION_EVENTS, failure, onCluster('ClusterDeregistered', { at: timeAt(20) })];
    expect((await after(...deleted)).cluster).toMatchObject({ deleted: true, user_name: 'alice' });
    const { cluster, documents } = await after(
      ...deleted,
      onCluster('ClusterDeadlinePassed', { deadline: 'retention' }),
      onHost('HostDeadlinePassed', { deadline: 'retention' }),
      onInfraEnv('InfraEnvDeregistered'),
    );
    expect(cluster).toMatchObject({ outcome: 'installed', user_name: '', org_id: '', statuses: [] });
    expect(cluster.failures.map(({ reason }) => reason)).toEqual(['preparation-failed']);
    expect([...documents.keys()]).toEqual([`${JOURNEY_COLLECTIONS.clusters}/${CLUSTER_ID}`]);
  });

  it('keeps only the latest status changes of a host above the limit', async () => {
    const flaps = Array.from({ length: MAX_JOURNEY_MARKS + 10 }, (_, turn) =>
      hostStatus(turn % 2 ? 'known' : 'insufficient', ''),
    );
    const { host } = await after(clusterRegistered(), hostRegistered(), ...flaps);
    expect(host.statuses).toHaveLength(MAX_JOURNEY_MARKS);
    expect(host.statuses.at(-1)).toEqual({ name: 'known', at: timeAt(MAX_JOURNEY_MARKS + 11) });
  });
});
