import { join } from 'node:path';
import { JOURNEYS_PROJECTION, VIEWS_PROJECTION } from '@muster/assisted-api';
import {
  EVENTS_BY_CATEGORY,
  type EventType,
  type MusterEvent,
  parseEvent,
  type StreamCategory,
  streamIdOf,
} from '@muster/contracts';
import { DocumentChanges, keptReadModels, type ProjectEvent, type ReadDocument } from '@muster/event-sourcing';
import type { JsonObject, SavedFold } from '@muster/ports';
import { type SampleEvent, temporaryDirectory } from '@muster/testing';
import {
  expectDocumentShape,
  expectInterruptedAsReplayed,
  interrupted,
  type RunningConsumer,
} from '@muster/testing/platform';
import fc from 'fast-check';
import { projectJourney } from './journeys/project-journey';
import { READ_MODEL_FOLDS } from './read-model-folds';
import {
  CLUSTER_ID,
  clusterRegistered,
  HOST_ID,
  hostRegistered,
  INFRA_ENV_ID,
  infraEnvRegistered,
  onCluster,
  onClusterOutcomes,
  onHostNamed,
  record,
  type TestEvent,
  timeAt,
} from './views/view-events.fixture.spec';
import { projectEvent } from './views/views-projection';

const HOSTS = [HOST_ID, '44444444-4444-4444-8444-444444444444', '55555555-5555-4555-8555-555555555555'];
const OTHER_CLUSTER_ID = '66666666-6666-4666-8666-666666666666';
const BODY = { digest: 'sha256:0', bytes: 1 };

const idsOf = (category: StreamCategory): readonly string[] => {
  if (category === 'host' || category === 'inventory') return HOSTS.map((id) => `${INFRA_ENV_ID}.${id}`);
  if (category === 'infraEnv' || category === 'image') return [INFRA_ENV_ID];
  if (category === 'validation') return [CLUSTER_ID, ...idsOf('host')];
  return [CLUSTER_ID, OTHER_CLUSTER_ID];
};

/** Every event type, on each stream that may have it. Reports are of the first or second generation of their host. */
const ANY_EVENT: readonly TestEvent[] = Object.entries(EVENTS_BY_CATEGORY).flatMap(([name, types]) => {
  const category = name as StreamCategory;
  const events = Object.keys(types) as EventType[];
  return idsOf(category).flatMap((id) =>
    events
      .filter((type) => category !== 'validation' || (type === 'ClusterOutcomesChanged') === (id === CLUSTER_ID))
      .flatMap((type) => [1, 2].map((generation) => ({ category, id, type, data: reportOf(type, generation) }))),
  );
});

function reportOf(type: EventType, generation: number): JsonObject {
  const isOfGeneration = ['inventory', 'validation'].some(
    (category) => type in EVENTS_BY_CATEGORY[category as 'inventory'] && type !== 'ClusterOutcomesChanged',
  );
  return isOfGeneration ? { generation } : {};
}

const outcomes = (...statuses: readonly string[]): JsonObject[] =>
  statuses.map((status, at) => ({ id: ['ntp-synced', 'connected', 'has-min-cpu-cores'][at] ?? '', status }));

const hostEvents = (hostId: string, n: number): readonly TestEvent[] => {
  const on = onHostNamed(hostId);
  const report = (type: EventType, data: JsonObject): TestEvent => ({
    ...on('HostReturned'),
    category: type === 'HostOutcomesChanged' ? 'validation' : 'inventory',
    type,
    data: { generation: n, ...data },
  });
  return [
    hostRegistered({ hostId, at: timeAt(1) }),
    hostRegistered({ hostId, clusterId: '' }),
    on('HostReregistered', { kind: 'Host', clusterId: CLUSTER_ID }),
    on('HostBound', { clusterId: OTHER_CLUSTER_ID }),
    on('HostUnbound', { clusterId: CLUSTER_ID }),
    on('HostRenamed', { requestedHostname: `node-${n}` }),
    on('HostRoleAssigned', { role: 'master' }),
    on('HostEnteredStatus', { status: 'known', from: 'discovering', at: timeAt(3) }),
    on('HostEnteredStatus', { status: 'error', from: 'installing-in-progress', cause: 'report' }),
    ...['Starting installation', 'Rebooting', 'Joined', 'Done', 'Failed'].map((stage) =>
      on('HostProgressed', { stage, stageChanged: true, installationPercentage: n, at: timeAt(2) }),
    ),
    on('HostProgressed', { stage: 'Rebooting', progressInfo: 'soon' }),
    on('HostLogsCollected', { body: BODY, at: timeAt(4) }),
    on('HostDeregistered', { at: timeAt(5) }),
    on('HostDeadlinePassed', { deadline: 'retention' }),
    report('InventoryReported', {
      body: BODY,
      hardware: { hostname: `h${n}`, cpuCount: 8, disks: [{ id: 'sda', driveType: 'SSD', sizeBytes: 1e11 }] },
    }),
    report('ImageAvailabilityReported', { images: [{ name: `quay.io/a/b:${n}`, result: 'success', seconds: n }] }),
    report('DiskSpeedMeasured', { path: '/dev/sda', ioSyncDurationMs: n }),
    report('NtpSourcesReported', { sources: [{ sourceName: `ntp-${n}`, sourceState: 'synced' }] }),
    report('ConnectivityReported', {
      collisions: [{ address: '192.168.1.1', macAddresses: ['02:00:00:00:00:0a', `02:00:00:00:00:0${n}`] }],
    }),
    report('DomainsResolved', {
      resolutions: [{ domainName: 'api.demo.example.com', ipv4Addresses: ['192.168.1.2'] }],
    }),
    report('VipsVerified', { vips: [{ vip: '192.168.1.3', vipType: 'api', verification: 'succeeded' }] }),
    report('HostOutcomesChanged', { changed: outcomes('success', 'failure'), clusterId: CLUSTER_ID }),
    report('HostOutcomesChanged', { changed: outcomes('failure', 'success', 'failure'), clusterId: CLUSTER_ID }),
  ];
};

const CLUSTER_EVENTS: readonly TestEvent[] = [
  clusterRegistered({ monitoredOperators: [{ name: 'console', operatorType: 'builtin' } as never] }),
  clusterRegistered({ clusterId: OTHER_CLUSTER_ID }),
  infraEnvRegistered(),
  onCluster('ClusterSettingsRevised', { changes: { apiVips: { items: ['192.168.1.3'] }, tags: 'a' } as never }),
  onCluster('InstallationPreparationStarted', { attempt: 1, at: timeAt(6) }),
  ...['preparing-for-installation', 'installing', 'finalizing', 'installed', 'error', 'cancelled', 'ready'].map(
    (status) => onCluster('ClusterEnteredStatus', { status, from: 'ready', at: timeAt(7) }),
  ),
  onCluster('FinalizingStageReached', { stage: 'Waiting for cluster operators', at: timeAt(8) }),
  onCluster('OperatorStatusReported', { name: 'console', status: 'available', version: '4.18.1' }),
  onCluster('ClusterLogsCollected', { logsType: 'controller', body: BODY }),
  onCluster('ClusterReset', { reason: 'again' }),
  onCluster('ClusterDeregistered', { at: timeAt(9) }),
  onCluster('ClusterDeadlinePassed', { deadline: 'retention' }),
  onClusterOutcomes('ClusterOutcomesChanged', { changed: [{ id: 'api-vips-defined', status: 'success' }] as never }),
  onClusterOutcomes('ClusterOutcomesChanged', { changed: [{ id: 'api-vips-defined', status: 'failure' }] as never }),
].map((event) => (event.data['clusterId'] === OTHER_CLUSTER_ID ? { ...event, id: OTHER_CLUSTER_ID } : event));

const histories = interrupted(
  fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom(...HOSTS.flatMap((id, n) => hostEvents(id, n + 1))) },
    { weight: 2, arbitrary: fc.constantFrom(...CLUSTER_EVENTS) },
    { weight: 1, arbitrary: fc.constantFrom(...ANY_EVENT) },
  ),
).map((following) => [clusterRegistered(), infraEnvRegistered(), hostRegistered(), ...following]);

const PROJECTIONS: readonly (readonly [name: string, ProjectEvent<MusterEvent>])[] = [
  [VIEWS_PROJECTION, projectEvent],
  [JOURNEYS_PROJECTION, projectJourney],
];

/** The host stays in its cluster. It verifies the VIPs, and the timeline of the cluster contains its failure. */
const SAMPLE: readonly SampleEvent[] = [
  ...CLUSTER_EVENTS,
  ...hostEvents(HOST_ID, 1).filter(({ type }) => type !== 'HostBound'),
  ...CLUSTER_EVENTS,
].map(({ category, id, type, data }) => ({
  streamId: streamIdOf(category, id),
  event: parseEvent(category, type, data),
}));

/** JSON with sorted members. A saved document has no members that are undefined, so a later event adds them at its end. */
const stable = (value: unknown): string =>
  JSON.stringify(value, (_name, member: unknown) =>
    isDeepObject(member) ? Object.fromEntries(Object.entries(member).sort(([a], [b]) => (a < b ? -1 : 1))) : member,
  );
const isDeepObject = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

describe('the read models of the service', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());

  it('are the same whether they were saved and loaded or projected from all events', async () => {
    await expectInterruptedAsReplayed<TestEvent>({
      directory: directory.path,
      name: 'read_models',
      folds: READ_MODEL_FOLDS,
      histories,
      eventsOf: record,
      start: async (states, folds): Promise<RunningConsumer> => {
        const readModels = await keptReadModels(states, folds);
        const read: ReadDocument = (collection, key) => readModels.get(collection, key);
        const checkpoints = await Promise.all(PROJECTIONS.map(([name]) => readModels.checkpoint(name)));
        let position = Math.min(...checkpoints);
        return {
          position: () => position,
          handle: async (event) => {
            const changes = new DocumentChanges();
            for (const [name, project] of PROJECTIONS) {
              const own = await project(event, read);
              await readModels.commit(name, event.position, own);
              own.forEach((change) => changes.add(change));
            }
            ({ position } = event);
            return stable(changes.list());
          },
        };
      },
      textOf: (value) => stable(JSON.parse(Buffer.from(value).toString())),
    });
  });

  it.each(PROJECTIONS)('of the projection %s have the shape of its version', async (name, project) => {
    const fold = READ_MODEL_FOLDS.find((one) => one.name === name) as SavedFold;
    await expectDocumentShape(join(__dirname, name, 'saved-shape.txt'), fold, project, SAMPLE);
  });
});
