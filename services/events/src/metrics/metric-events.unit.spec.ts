import { METRIC_EVENTS, type MetricEventName, type MetricEventRow, presentEvent } from '@muster/assisted-api';
import {
  CLUSTER_ID,
  clusterRegistered,
  HOST_ID,
  hostRegistered,
  INFRA_ENV_ID,
  onArtifacts,
  onCluster,
  onHost,
  onInventory,
  type TestEvent,
  timeAt,
  viewsAfter,
} from '../views/view-events.fixture.spec';

const disk = (id: string, driveType: string, sizeBytes: number) => ({
  id,
  name: id,
  byId: '',
  byPath: '',
  driveType,
  sizeBytes,
  agentReasons: [],
});
const hardware = (changes: object = {}) =>
  ({
    cpuCount: 8,
    physicalMemoryBytes: 32.9 * 2 ** 30,
    manufacturer: 'Acme',
    productName: 'Rocket',
    disks: [disk('sda', 'SSD', 2 ** 40), disk('sdb', 'HDD', 1.5 * 2 ** 30)],
    nics: [{ name: 'eth0', speedMbps: 10_000, ipv4Addresses: [], ipv6Addresses: [] }],
    physicalNicCount: 1,
    virtualNicTypes: ['bridge', 'tun'],
    ...changes,
  }) as never;
const reported = (changes: object = {}) => onInventory('InventoryReported', { hardware: hardware(changes) });
const stage = (name: string, stageChanged = true): TestEvent =>
  onHost('HostProgressed', { stage: name, stageChanged, installationPercentage: 1 });
const status = (name: string, from: string, at: number): TestEvent =>
  onCluster('ClusterEnteredStatus', { status: name, from, at: timeAt(at) });
const preparing = onCluster('InstallationPreparationStarted', { attempt: 1, at: timeAt(1) });
const cluster = clusterRegistered();
const master = hostRegistered({ role: 'master' });
const onDisk = onHost('InstallationDiskChosen', { diskId: 'sda', diskPath: '/dev/sda' });

/** Message and properties of the events of the category `metrics`, in order. */
async function metrics(...events: readonly TestEvent[]): Promise<readonly (readonly [string, object])[]> {
  const { log } = await viewsAfter(...events);
  return log
    .filter(({ category }) => category === 'metrics')
    .map((entry) => [entry.message, JSON.parse(presentEvent(entry).props) as object]);
}

const OF_MASTER = { host_result: 'Done', host_role: 'master' };
const SIZES = [
  ['host.mem.cpu', { ...OF_MASTER, mem_bytes: 32, core_count: 8 }],
  ['disk.size.type', { ...OF_MASTER, disk_type: 'SSD', disk_size: 1_024 }],
  ['disk.size.type', { ...OF_MASTER, disk_type: 'HDD', disk_size: 1 }],
  ['nic.speed', { ...OF_MASTER, nic_speed: 10_000 }],
];
const stageOf = (host_stage: string, changes: object = {}) => [
  'host.stage.duration',
  {
    result: 'Done',
    duration: 1,
    host_stage,
    vendor: 'Acme',
    product: 'Rocket',
    disk_type: 'SSD',
    host_role: 'master',
    ...changes,
  },
];

describe('events of the category metrics', () => {
  it('have no name, severity info, and the ids and owner of their subject', async () => {
    const { log } = await viewsAfter(cluster, master, reported());
    const [first] = log.filter(({ category }) => category === 'metrics');
    expect(first).toMatchObject({
      name: '',
      severity: 'info',
      message: 'nic.virtual_interfaces',
      cluster_id: CLUSTER_ID,
      host_id: HOST_ID,
      infra_env_id: INFRA_ENV_ID,
      org_id: 'acme',
    });
  });

  it.each([
    ['installed', 'finalizing'],
    ['error', 'installing'],
    ['cancelled', 'preparing-for-installation'],
  ])('report the result of an installation that ends as %s', async (result, lastState) => {
    const events = [cluster, preparing, status(lastState, 'ready', 1), status(result, lastState, 601)];
    expect(await metrics(...events)).toEqual([['cluster.installation.results', { duration: 600, result, lastState }]]);
  });

  it('report both results of an installation that completes after its deadline', async () => {
    const late = [
      status('finalizing', 'ready', 1),
      status('error', 'finalizing', 301),
      status('installed', 'error', 401),
    ];
    expect(await metrics(cluster, preparing, ...late)).toEqual([
      ['cluster.installation.results', { duration: 300, result: 'error', lastState: 'finalizing' }],
      ['cluster.installation.results', { duration: 400, result: 'installed', lastState: 'error' }],
    ]);
  });

  it('report no result of a status that ends no installation', async () => {
    const failed = [cluster, preparing, status('installing', 'ready', 1), status('error', 'installing', 2)];
    expect(await metrics(...failed, status('cancelled', 'error', 3))).toHaveLength(1);
    expect(await metrics(cluster, status('ready', 'insufficient', 2))).toEqual([]);
    expect(await metrics(cluster, preparing, status('ready', 'preparing-for-installation', 2))).toEqual([]);
  });

  it('report the duration of each stage, and at the last one the hardware', async () => {
    const events = [stage('Writing image to disk'), stage('Writing image to disk', false), stage('Rebooting')];
    const all = await metrics(cluster, master, reported(), onDisk, ...events, stage('Done'));
    expect(all.slice(2)).toEqual([stageOf('Writing image to disk', { duration: 2 }), ...SIZES, stageOf('Rebooting')]);
  });

  it('report the stage in which a host fails and its hardware, with the role of the bootstrap host', async () => {
    const history = [cluster, master, reported(), onDisk, onHost('HostBootstrapChosen'), stage('Installing')];
    const all = await metrics(...history, onHost('HostInstallationFailed', { reason: 'no disk' }));
    const failed = { host_role: 'bootstrap', host_result: 'Failed' };
    expect(all.slice(2)).toEqual([
      ...SIZES.map(([name, props]) => [name, { ...(props as object), ...failed }]),
      stageOf('Installing', { host_role: 'bootstrap', result: 'Failed' }),
    ]);
  });

  it('name vendor and disk Unknown where the host did not report them', async () => {
    const unknown = { vendor: 'Unknown', product: 'Unknown', disk_type: 'Unknown' };
    const history = [cluster, master, reported({ hasVendor: false }), stage('Installing'), stage('Rebooting')];
    expect((await metrics(...history)).at(-1)).toEqual(stageOf('Installing', unknown));
    const silent = [cluster, master, stage('Installing'), stage('Done')];
    expect(await metrics(...silent)).toEqual([stageOf('Installing', unknown)]);
  });

  it('count interfaces at the first inventory and when their number changes', async () => {
    const first = [
      ['nic.virtual_interfaces', { count: 2, types: ['bridge', 'tun'] }],
      ['nic.physical_interfaces', { count: 1 }],
    ];
    expect(await metrics(cluster, master, reported(), reported({ cpuCount: 9 }))).toEqual(first);
    expect(await metrics(cluster, master, reported(), reported({ physicalNicCount: 2, virtualNicTypes: [] }))).toEqual([
      ...first,
      ['nic.virtual_interfaces', { count: 0, types: [] }],
      ['nic.physical_interfaces', { count: 2 }],
    ]);
  });

  it('count the interfaces of a host that reported them before it was bound', async () => {
    const bound = onHost('HostBound', { clusterId: CLUSTER_ID });
    const again = onInventory('InventoryReported', { hardware: hardware(), generation: 2 });
    const free = hostRegistered({ clusterId: '' });
    expect((await metrics(cluster, free, reported(), bound, again)).map(([name]) => name)).toEqual([
      'nic.virtual_interfaces',
      'nic.physical_interfaces',
    ]);
  });

  it('are not recorded for a host without a cluster', async () => {
    const free = hostRegistered({ clusterId: '' });
    const ended = [stage('Installing'), stage('Done'), onHost('HostInstallationFailed', { reason: 'no disk' })];
    expect(await metrics(free, reported(), ...ended)).toEqual([]);
  });

  it('report how the installer of a release was obtained', async () => {
    const release = { releaseImage: 'quay.io/r', startedAt: timeAt(0), installerWasCached: false, extractSeconds: 2.5 };
    expect(await metrics(cluster, onArtifacts('ReleaseRead', release))).toEqual([
      [
        'installercache.release.metrics',
        { release_id: 'quay.io/r', start_time: timeAt(0), end_time: timeAt(1), cached: false, extract_duration: 2.5 },
      ],
    ]);
  });

  it('have the properties in the table, and every one of the table with a source is recorded', async () => {
    const host = [reported(), stage('Installing'), stage('Done')];
    const release = onArtifacts('ReleaseRead', { releaseImage: 'quay.io/r' });
    const all = [cluster, master, ...host, release, preparing, status('error', 'installing', 9)];
    const found = new Map(await metrics(...all));
    const rows: readonly (readonly [string, MetricEventRow])[] = Object.entries(METRIC_EVENTS);
    const recorded = rows.filter(([, { source }]) => source !== undefined);
    expect([...found.keys()].sort()).toEqual(recorded.map(([name]) => name).sort());
    for (const [name, props] of found)
      expect(Object.keys(props).sort()).toEqual([...METRIC_EVENTS[name as MetricEventName].props].sort());
  });
});
