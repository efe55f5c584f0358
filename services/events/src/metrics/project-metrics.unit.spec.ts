import { COLLECTIONS, type MetricDocument, type MetricName, VIEWS_PROJECTION } from '@muster/assisted-api';
import { parkedStreamsOf } from '@muster/event-sourcing';
import {
  clusterRegistered,
  documentsAfter,
  type TestEvent,
  hostRegistered,
  onCluster,
  onClusterOutcomes,
  onHost,
  onHostNamed,
  onHostOutcomes,
  onInventory,
  record,
  timeAt,
} from '../views/view-events.fixture.spec';
import { projectMetrics, SERIES_MAX } from './project-metrics';

const outcome = (id: string, status: string) => ({ id, status, parameters: [] }) as never;

/** The series of the metric with their value, or with sum and count of a histogram. */
async function figures(metric: MetricName, ...given: readonly TestEvent[]): Promise<object> {
  const documents = await documentsAfter(record(given));
  const document = documents.get(`${COLLECTIONS.metrics}/${metric}`) as unknown as MetricDocument | undefined;
  return Object.fromEntries(
    Object.entries(document?.series ?? {}).map(([labels, one]) => [
      labels,
      typeof one === 'number' ? one : [one.sum, one.count],
    ]),
  );
}
const status = (name: string, from: string, at: number): TestEvent =>
  onCluster('ClusterEnteredStatus', { status: name, from, at: timeAt(at) });
const stage = (name: string): TestEvent =>
  onHost('HostProgressed', { stage: name, stageChanged: true, installationPercentage: 1 });
const hardware = {
  cpuCount: 8,
  physicalMemoryBytes: 2 ** 35,
  disks: [
    { driveType: 'SSD', sizeBytes: 2 ** 40 },
    { driveType: 'contains the value that the machine reports', sizeBytes: 2 ** 30 },
  ],
  nics: [{ name: 'eth0', speedMbps: 10_000, ipv4Addresses: [], ipv6Addresses: [] }],
};
const reported = onInventory('InventoryReported', { hardware: hardware as never });
const preparing = onCluster('InstallationPreparationStarted', { attempt: 1, at: timeAt(1) });

describe('metrics from events', () => {
  it('count clusters and installations, with the duration of installations', async () => {
    const history = [
      clusterRegistered(),
      preparing,
      status('preparing-for-installation', 'ready', 1),
      status('installing', 'preparing-for-installation', 2),
      status('finalizing', 'installing', 100),
      status('installed', 'finalizing', 601),
    ];
    expect(await figures('cluster_creations', ...history)).toEqual({ '': 1 });
    expect(await figures('cluster_installation_started', ...history)).toEqual({ '': 1 });
    expect(await figures('cluster_installation_seconds', ...history)).toEqual({ 'result="installed"': [600, 1] });
    const cancelled = [...history.slice(0, 4), status('cancelled', 'installing', 11)];
    expect(await figures('cluster_installation_seconds', ...cancelled)).toEqual({ 'result="cancelled"': [10, 1] });
    const late = [...history.slice(0, 5), status('error', 'finalizing', 301), status('installed', 'error', 401)];
    expect(await figures('cluster_installation_seconds', ...late)).toEqual({
      'result="error"': [300, 1],
      'result="installed"': [400, 1],
    });
  });

  it('count an installation once that waits for a user action, and a repeated installation again', async () => {
    const waiting = [
      clusterRegistered(),
      preparing,
      status('preparing-for-installation', 'ready', 1),
      status('installing', 'preparing-for-installation', 2),
      status('installing-pending-user-action', 'installing', 3),
      status('installing', 'installing-pending-user-action', 4),
    ];
    expect(await figures('cluster_installation_started', ...waiting)).toEqual({ '': 1 });
    const repeated = [
      ...waiting,
      status('cancelled', 'installing', 5),
      status('preparing-for-installation', 'ready', 6),
      status('installing', 'preparing-for-installation', 7),
    ];
    expect(await figures('cluster_installation_started', ...repeated)).toEqual({ '': 2 });
  });

  it('count the events of a host whose streams were paused, and each of them once', async () => {
    const other = '44444444-4444-4444-8444-444444444444';
    const done = { stage: 'Done', stageChanged: true, installationPercentage: 100 };
    const [cluster, first, second, ...ends] = record([
      clusterRegistered(),
      hostRegistered({ role: 'master' }),
      hostRegistered({ hostId: other, role: 'master' }),
      stage('Done'),
      onHostNamed(other)('HostProgressed', done),
    ]);
    const resumed = [cluster, first, second, ...ends.reverse()].flatMap((event) => event ?? []);
    for (const delivered of [resumed, [...resumed, ...resumed]]) {
      const counted = (await documentsAfter(delivered)).get(`${COLLECTIONS.metrics}/cluster_hosts`);
      expect(counted).toEqual({ _position: 4, series: { 'role="master",result="Done"': 2 } });
    }
  });

  it('count the first event of a stream that was paused', async () => {
    const [paused, other] = record([
      clusterRegistered(),
      { ...clusterRegistered(), id: '44444444-4444-4444-8444-444444444444' },
    ]);
    if (!paused || !other) throw new Error('no events');
    const countedWith = async (revision: number): Promise<object | undefined> => {
      const documents = await documentsAfter([other]);
      const parked = { streamId: paused.streamId, revision, reason: 'a defect of an earlier release' };
      documents.set(`${parkedStreamsOf(VIEWS_PROJECTION)}/${paused.streamId}`, parked);
      const read = async (collection: string, key: string) => documents.get(`${collection}/${key}`) as never;
      const changes = await projectMetrics(paused, read);
      return changes.flatMap((change) => (change.kind === 'put' ? [change.document] : []))[0];
    };
    expect(await countedWith(paused.revision)).toEqual({ _position: other.position, series: { '': 2 } });
    expect(await countedWith(paused.revision + 1)).toBeUndefined();
  });

  it('count installed hosts, their stages and their hardware', async () => {
    const history = [
      clusterRegistered(),
      hostRegistered({ role: 'master' }),
      reported,
      stage('Writing image to disk'),
      stage('Rebooting'),
      stage('Done'),
    ];
    expect(await figures('host_installation_phase_seconds', ...history)).toEqual({
      'phase="Writing image to disk",result="Done"': [1, 1],
      'phase="Rebooting",result="Done"': [1, 1],
    });
    const labels = 'role="master",result="Done"';
    expect(await figures('cluster_hosts', ...history)).toEqual({ [labels]: 1 });
    expect(await figures('cluster_host_cores', ...history)).toEqual({ [labels]: [8, 1] });
    expect(await figures('cluster_host_ram_gb', ...history)).toEqual({ [labels]: [32, 1] });
    expect(await figures('cluster_host_disk_gb', ...history)).toEqual({
      [`diskType="SSD",${labels}`]: [1_024, 1],
      [`diskType="other",${labels}`]: [1, 1],
    });
    expect(await figures('cluster_host_nic_gb', ...history)).toEqual({ [labels]: [10_000, 1] });
  });

  it('count failed hosts, separately for the bootstrap host, and the stage of the failure', async () => {
    const history = [
      clusterRegistered(),
      hostRegistered({ role: 'master' }),
      onHost('HostBootstrapChosen'),
      stage('Writing image to disk'),
      onHost('HostInstallationFailed', { reason: 'no disk' }),
    ];
    expect(await figures('cluster_hosts', ...history)).toEqual({ 'role="bootstrap",result="Failed"': 1 });
    expect(await figures('host_installation_phase_seconds', ...history)).toEqual({
      'phase="Writing image to disk",result="Failed"': [1, 1],
    });
  });

  it('count validations that start to fail before an installation, and those that fail when the cluster is deleted', async () => {
    const turns = [
      clusterRegistered(),
      hostRegistered(),
      onHost('HostEnteredStatus', { status: 'known', from: 'discovering' }),
      onHostOutcomes('HostOutcomesChanged', {
        changed: [outcome('connected', 'success'), outcome('mtu-valid', 'failure')],
      }),
      onHostOutcomes('HostOutcomesChanged', { changed: [outcome('connected', 'failure')] }),
      onClusterOutcomes('ClusterOutcomesChanged', { changed: [outcome('dns-domain-defined', 'success')] }),
      onClusterOutcomes('ClusterOutcomesChanged', { changed: [outcome('dns-domain-defined', 'failure')] }),
    ];
    expect(await figures('host_validation_failed_after_success_before_installation', ...turns)).toEqual({
      'hostValidationType="connected"': 1,
    });
    expect(await figures('cluster_validation_failed_after_success_before_installation', ...turns)).toEqual({
      'clusterValidationType="dns-domain-defined"': 1,
    });
    const gone = [...turns, onCluster('ClusterDeregistered', { at: timeAt(9) })];
    expect(await figures('cluster_validation_is_in_failed_status_on_cluster_deletion', ...gone)).toEqual({
      'clusterValidationType="api-vips-defined"': 1,
      'clusterValidationType="ingress-vips-defined"': 1,
      'clusterValidationType="sufficient-masters-count"': 1,
      'clusterValidationType="dns-domain-defined"': 1,
    });
    const deletion = 'host_validation_is_in_failed_status_on_cluster_deletion';
    expect(await figures(deletion, ...turns, onHost('HostDeregistered', { at: timeAt(9) }))).toEqual({});
    expect(await figures(deletion, ...gone, onHost('HostDeregistered', { at: timeAt(9) }))).toEqual({
      'hostValidationType="connected"': 1,
      'hostValidationType="mtu-valid"': 1,
      'hostValidationType="has-inventory"': 1,
      'hostValidationType="hostname-valid"': 1,
      'hostValidationType="machine-cidr-defined"': 1,
    });
  });

  it('do not count a validation that fails after a reset, because earlier outcomes are void', async () => {
    const again = [
      clusterRegistered(),
      hostRegistered(),
      onHostOutcomes('HostOutcomesChanged', { changed: [outcome('has-min-memory', 'success')] }),
      onHost('HostReregistered', {}),
      onHostOutcomes('HostOutcomesChanged', {
        changed: [outcome('has-min-memory', 'failure')],
        generation: 2,
        reset: true,
      }),
    ];
    expect(await figures('host_validation_failed_after_success_before_installation', ...again)).toEqual({});
  });

  it('do not count a validation that fails in the first evaluation, but one that fails in the next one', async () => {
    const [ofHost, ofCluster] = [
      'host_validation_failed_after_success_before_installation',
      'cluster_validation_failed_after_success_before_installation',
    ] as const;
    const first = [
      clusterRegistered(),
      hostRegistered(),
      onHostOutcomes('HostOutcomesChanged', { changed: [outcome('connected', 'failure')] }),
      onClusterOutcomes('ClusterOutcomesChanged', { changed: [outcome('dns-domain-defined', 'failure')] }),
    ];
    expect(await figures(ofHost, ...first)).toEqual({});
    expect(await figures(ofCluster, ...first)).toEqual({});
    const next = [
      ...first,
      onHostOutcomes('HostOutcomesChanged', { changed: [outcome('compatible-agent', 'failure')] }),
      onClusterOutcomes('ClusterOutcomesChanged', { changed: [outcome('pull-secret-set', 'failure')] }),
    ];
    expect(await figures(ofHost, ...next)).toEqual({ 'hostValidationType="compatible-agent"': 1 });
    expect(await figures(ofCluster, ...next)).toEqual({ 'clusterValidationType="pull-secret-set"': 1 });
  });

  it('record disk and registry speeds, once per image and host and without the image tag', async () => {
    const images = (name: string, result: string) => [{ name, result, sizeBytes: 1, seconds: 1, downloadRateMbps: 7 }];
    const history = [
      clusterRegistered(),
      hostRegistered(),
      onInventory('DiskSpeedMeasured', { path: '/dev/sda', exitCode: 0, ioSyncDurationMs: 4 }),
      onInventory('DiskSpeedMeasured', { path: '/dev/sdb', exitCode: 1, ioSyncDurationMs: 0 }),
      onInventory('ImageAvailabilityReported', { images: images('quay.io:443/a/b:4.18', 'success') }),
      onInventory('ImageAvailabilityReported', { images: images('quay.io:443/a/b:4.18', 'failure') }),
      onInventory('ImageAvailabilityReported', { images: images('quay.io/c@sha256:00', 'x"y') }),
      onInventory('DiskSpeedMeasured', { path: '/dev/sda', exitCode: 0, ioSyncDurationMs: 4, generation: 0 }),
    ];
    expect(await figures('cluster_host_disk_sync_duration_ms', ...history)).toEqual({ '': [4, 1] });
    expect(await figures('cluster_image_pull_status', ...history)).toEqual({
      'imageName="quay.io:443/a/b",result="success"': [7, 1],
      'imageName="quay.io/c",result="failure"': [7, 1],
    });
  });

  it('are numbers of JSON, also when a machine reports impossible values', async () => {
    const pulls = [1e308, 1e308, -1e308].map((downloadRateMbps, index) =>
      onInventory('ImageAvailabilityReported', {
        images: [{ name: `quay.io/a:${index}`, result: 'success', sizeBytes: 1, seconds: 1, downloadRateMbps }],
      }),
    );
    const found = await figures(
      'cluster_image_pull_status',
      clusterRegistered(),
      hostRegistered(),
      ...pulls.slice(0, 2),
    );
    expect(JSON.parse(JSON.stringify(found))).toEqual(found);
    const sum = 2 * Number.MAX_SAFE_INTEGER;
    expect(await figures('cluster_image_pull_status', clusterRegistered(), hostRegistered(), ...pulls)).toEqual({
      'imageName="quay.io/a",result="success"': [sum, 3],
    });
  });

  it('have sums that never decrease, although an interface without a link has the speed -1', async () => {
    const nics = [10, -1].map((speedMbps) => ({ name: 'eth0', speedMbps, ipv4Addresses: [], ipv6Addresses: [] }));
    const inventory = onInventory('InventoryReported', { hardware: { ...hardware, nics } as never });
    const history = [clusterRegistered(), hostRegistered({ role: 'master' }), inventory, stage('Done')];
    expect(await figures('cluster_host_nic_gb', ...history)).toEqual({ 'role="master",result="Done"': [10, 2] });
  });

  it('have a limited number of series, and escape labels', async () => {
    const pull = (index: number) => [
      { name: `r"\\\n${index}`, result: 'success', sizeBytes: 1, seconds: 1, downloadRateMbps: 7 },
    ];
    const many = Array.from({ length: SERIES_MAX + 5 }, (_, index) =>
      onInventory('ImageAvailabilityReported', { images: pull(index) }),
    );
    const names = Object.keys(
      await figures('cluster_image_pull_status', clusterRegistered(), hostRegistered(), ...many),
    );
    expect(names).toHaveLength(SERIES_MAX);
    expect(names[0]).toBe('imageName="r\\"\\\\\\n0",result="success"');
  });

  it('do not count a repeated event again', async () => {
    const given = record([clusterRegistered(), hostRegistered({ role: 'master' }), reported, stage('Done')]);
    const metricsOf = async (events: typeof given) =>
      [...(await documentsAfter(events))].filter(([key]) => key.startsWith(`${COLLECTIONS.metrics}/`));
    expect(await metricsOf([...given, ...given])).toEqual(await metricsOf(given));
  });
});
