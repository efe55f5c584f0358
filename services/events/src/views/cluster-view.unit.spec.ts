import { presentCluster, presentFeatureUsage, UNSET_TIME } from '@muster/assisted-api';
import { clusterReason } from '@muster/domain';
import {
  CLUSTER_ID,
  clusterRegistered,
  type TestEvent,
  hostRegistered,
  infraEnvRegistered,
  onCluster,
  onArtifacts,
  onClusterOutcomes,
  onHost,
  onHostNamed,
  onHostOutcomes,
  onInfraEnv,
  onManifests,
  timeAt,
  viewsAfter,
} from './view-events.fixture.spec';

const OTHER_HOST_ID = '44444444-4444-4444-8444-444444444444';
const CONSOLE = { name: 'console', operatorType: 'builtin', timeoutSeconds: 3_600 } as never;
const outcome = (id: string, status: string) => ({ id, status, parameters: [] });

describe('the document of a cluster', () => {
  it('is complete for a new cluster', async () => {
    const { cluster } = await viewsAfter(clusterRegistered());
    expect(cluster).toMatchObject({
      id: CLUSTER_ID,
      href: `/api/assisted-install/v2/clusters/${CLUSTER_ID}`,
      name: 'demo',
      image_info: {},
      monitored_operators: [],
      platform: { type: 'baremetal' },
      api_vips: [],
      install_started_at: UNSET_TIME,
      org_id: 'acme',
    });
  });

  it('contains lists as objects, and their first entry as the single fields of older clients', async () => {
    const { cluster } = await viewsAfter(
      clusterRegistered({
        settings: {
          name: 'demo',
          clusterNetworks: { items: [{ cidr: '10.128.0.0/14', hostPrefix: 23 }] },
          serviceNetworks: { items: ['172.30.0.0/16'] },
          machineNetworks: { items: ['192.168.1.0/24'] },
          platformType: 'external',
          platformDetails: { external: { platform_name: 'oci' } },
          ignoredHostValidations: { items: ['all'] },
          proxy: { httpProxy: 'http://proxy.example' },
        },
      }),
    );
    expect(cluster).toMatchObject({
      cluster_networks: [{ cluster_id: CLUSTER_ID, cidr: '10.128.0.0/14', host_prefix: 23 }],
      cluster_network_cidr: '10.128.0.0/14',
      cluster_network_host_prefix: 23,
      service_network_cidr: '172.30.0.0/16',
      machine_network_cidr: '192.168.1.0/24',
      platform: { type: 'external', external: { platform_name: 'oci' } },
      ignored_host_validations: '["all"]',
      http_proxy: 'http://proxy.example',
    });
    expect(cluster).not.toHaveProperty('https_proxy');
  });

  it('shows the details of a platform until another platform clears them', async () => {
    const platformDetails = { external: { platform_name: 'oci' } };
    const platformAfter = async (...changes: readonly object[]): Promise<object> => {
      const revisions = changes.map((one) => onCluster('ClusterSettingsRevised', { changes: one }));
      return (await viewsAfter(clusterRegistered(), ...revisions)).cluster.platform;
    };
    const toExternal = { platformType: 'external', platformDetails };
    const toBaremetal = { platformType: 'baremetal', platformDetails: {} };
    expect(await platformAfter(toExternal, { tags: 'a' })).toEqual({ type: 'external', ...platformDetails });
    expect(await platformAfter(toExternal, toBaremetal)).toEqual({ type: 'baremetal' });
    expect(await platformAfter(toExternal, { platformType: 'baremetal' })).toEqual({ type: 'baremetal' });
  });

  it('keeps the verification of a VIP that stays', async () => {
    const vips = { apiVips: { items: ['10.0.0.1'] } };
    const { cluster } = await viewsAfter(
      clusterRegistered({ settings: { name: 'demo', ...vips } }),
      onCluster('ClusterSettingsRevised', { changes: { apiVips: { items: ['10.0.0.1', 'fd00::1'] } } }),
      onCluster('ClusterSettingsRevised', { changes: { baseDnsDomain: 'example.com' } }),
    );
    expect(cluster.api_vips.map(({ ip }) => ip)).toEqual(['10.0.0.1', 'fd00::1']);
    expect(cluster.base_dns_domain).toBe('example.com');
  });

  it('keeps the times of an installation after a reset, and removes its other results', async () => {
    const installing = [
      clusterRegistered({ monitoredOperators: [CONSOLE] }),
      onCluster('InstallationPreparationStarted', { attempt: 1, bootstrapHostId: 'b', at: timeAt(1) }),
      onCluster('InstallationPrepared', { attempt: 1, openshiftClusterId: 'o' }),
      onCluster('ClusterProgressed', { totalPercentage: 80, installingStagePercentage: 100 }),
      onCluster('FinalizingStageReached', { stage: 'Adding router ca', at: timeAt(4) }),
      onCluster('OperatorStatusReported', { name: 'console', status: 'available', statusInfo: 'ok' }),
      onCluster('ClusterEnteredStatus', { status: 'error', from: 'finalizing', at: timeAt(6) }),
    ];
    const before = await viewsAfter(...installing);
    expect(before.cluster).toMatchObject({
      install_started_at: timeAt(1),
      install_completed_at: timeAt(6),
      openshift_cluster_id: 'o',
      'last-installation-preparation': { status: 'success' },
      progress: { total_percentage: 80, finalizing_stage: 'Adding router ca' },
      monitored_operators: [{ name: 'console', status: 'available', status_updated_at: timeAt(5) }],
    });
    const { cluster } = await viewsAfter(...installing, onCluster('ClusterReset', { reason: 'again' }));
    expect(cluster).toMatchObject({
      install_started_at: timeAt(1),
      'last-installation-preparation': { status: 'not_started' },
      progress: { total_percentage: 0 },
    });
    expect(cluster).not.toHaveProperty('openshift_cluster_id');
    expect(cluster.monitored_operators[0]).not.toHaveProperty('status');
  });

  it('counts hosts when they register, change and leave', async () => {
    const history = [
      clusterRegistered(),
      hostRegistered(),
      hostRegistered({ hostId: OTHER_HOST_ID }),
      onHost('HostEnteredStatus', { status: 'known', from: 'discovering' }),
      onHost('HostRoleSuggested', { role: 'worker' }),
    ];
    expect((await viewsAfter(...history)).cluster).toMatchObject({
      total_host_count: 2,
      enabled_host_count: 2,
      ready_host_count: 1,
      _worker_count: 1,
    });
    const { cluster } = await viewsAfter(
      ...history,
      onHost('HostUnbound', { clusterId: CLUSTER_ID }),
      onHostNamed(OTHER_HOST_ID)('HostDeregistered'),
    );
    expect(cluster).toMatchObject({
      total_host_count: 0,
      enabled_host_count: 0,
      ready_host_count: 0,
      _worker_count: 0,
    });
  });

  it('counts the features that hosts and infra-envs use while they belong to the cluster', async () => {
    const staticNetwork = { digest: 'sha256:1', bytes: 2 };
    const history = [
      clusterRegistered(),
      infraEnvRegistered(),
      hostRegistered(),
      hostRegistered({ hostId: OTHER_HOST_ID }),
      onInfraEnv('InfraEnvSettingsRevised', { changes: { staticNetworkConfig: staticNetwork } }),
      onHost('HostRenamed', { requestedHostname: 'one' }),
      onHostNamed(OTHER_HOST_ID)('HostRenamed', { requestedHostname: 'two' }),
      onInfraEnv('InfraEnvSettingsRevised', { changes: { kernelArguments: '[{"operation":"append","value":"a"}]' } }),
      onHost('HostRoleAssigned', { role: 'master' }),
      onHostNamed(OTHER_HOST_ID)('HostRoleAssigned', { role: 'master' }, 'service:registration'),
      onHost('HostSettingsRevised', { changes: { ignitionConfigOverrides: { digest: 'sha256:2', bytes: 9 } } }),
      onHost('InstallationDiskChosen', { diskId: 'a', diskPath: '/dev/a', byUser: true }),
      onHostNamed(OTHER_HOST_ID)('InstallationDiskChosen', { diskId: 'a', diskPath: '/dev/a' }),
    ];
    expect((await viewsAfter(...history)).cluster._usage_counts).toEqual({
      'Static Network Config': 1,
      'Requested hostname': 2,
      'discovery kernel arguments': 1,
      'Ignition Config Override': 1,
      'auto assign role': 1,
      'Disk Selection': 1,
    });
    const { cluster } = await viewsAfter(
      ...history,
      onHost('HostUnbound', { clusterId: CLUSTER_ID }),
      onHostNamed(OTHER_HOST_ID)('HostDeregistered'),
      onInfraEnv('InfraEnvSettingsRevised', {
        changes: { staticNetworkConfig: { digest: '', bytes: 0 }, kernelArguments: '[]' },
      }),
    );
    expect(cluster).toMatchObject({ _usage_counts: {}, total_host_count: 0 });
  });

  it('stores outcomes by rule, replaces changed ones, and removes all earlier ones at a reset', async () => {
    const { cluster, host } = await viewsAfter(
      clusterRegistered(),
      hostRegistered(),
      onClusterOutcomes('ClusterOutcomesChanged', { changed: [outcome('a', 'failure'), outcome('b', 'success')] }),
      onClusterOutcomes('ClusterOutcomesChanged', { changed: [outcome('a', 'success')] }),
      onHostOutcomes('HostOutcomesChanged', { changed: [outcome('media-connected', 'failure')] }),
      onHostOutcomes('HostOutcomesChanged', { changed: [outcome('connected', 'failure')], reset: true }),
    );
    expect(cluster._outcomes).toEqual({ a: outcome('a', 'success'), b: outcome('b', 'success') });
    expect(Object.keys(host._outcomes)).toEqual(['connected']);
  });

  it('is moved to the deleted documents, with its hosts, until the retention period ends', async () => {
    const history = [
      clusterRegistered(),
      hostRegistered(),
      onCluster('ClusterDeregistered', { at: timeAt(9) }),
      onHost('HostDeregistered', { at: timeAt(9) }),
    ];
    const kept = async (...more: typeof history) => {
      const { documents } = await viewsAfter(...history, ...more);
      return ['clusters', 'hosts', 'deleted_clusters', 'deleted_hosts'].flatMap((name) =>
        [...documents].filter(([key]) => key.startsWith(`${name}/`)).map(([, { deleted_at: at }]) => [name, at]),
      );
    };
    expect(await kept()).toEqual([
      ['deleted_clusters', timeAt(9)],
      ['deleted_hosts', timeAt(9)],
    ]);
    expect(await kept(onCluster('ClusterDeadlinePassed', { deadline: 'retention' }))).toEqual([
      ['deleted_hosts', timeAt(9)],
    ]);
    expect(await kept(onHost('HostDeadlinePassed', { deadline: 'retention' }))).toEqual([
      ['deleted_clusters', timeAt(9)],
    ]);
    expect(await kept(hostRegistered())).toEqual([
      ['hosts', undefined],
      ['deleted_clusters', timeAt(9)],
    ]);
  });

  it('is not created again by late events of a deleted cluster', async () => {
    const { documents } = await viewsAfter(
      clusterRegistered(),
      hostRegistered(),
      onCluster('ClusterDeregistered'),
      onCluster('ClusterStatusExplained', { statusReason: clusterReason('finalizing-timed-out') }),
      onHost('HostEnteredStatus', { status: 'known', from: 'discovering' }),
    );
    expect([...documents.keys()].filter((key) => key.startsWith('clusters/'))).toEqual([]);
  });
});

const usageAfter = async (...events: readonly TestEvent[]): Promise<string> => {
  const { cluster } = await viewsAfter(clusterRegistered(), ...events);
  if (!cluster) throw new Error('no cluster');
  return presentFeatureUsage(cluster);
};
const stored = (source: string): TestEvent =>
  onManifests('ManifestStored', { folder: 'manifests', fileName: 'cni.yaml', source });

describe('the release that is read for an installation', () => {
  const MIB = 1024 ** 2;
  const preparing = [
    clusterRegistered(),
    onCluster('InstallationPreparationStarted', { attempt: 1 }),
    onCluster('ClusterEnteredStatus', {
      status: 'preparing-for-installation',
      from: 'ready',
      statusReason: clusterReason('preparing'),
    }),
  ];
  const downloaded = onArtifacts('ReleaseDownloadProgressed', {
    attempt: 1,
    image: 'quay.io/installer@sha256:1',
    downloadedBytes: 120.5 * MIB,
    totalBytes: 300 * MIB,
  });
  const read = onArtifacts('ReleaseRead', {
    attempt: 1,
    releaseImage: 'quay.io/release:4.18.3',
    version: '4.18.3',
    coreosVersion: '418.94.1',
  });
  const infoAfter = async (...events: readonly TestEvent[]): Promise<string> =>
    presentCluster((await viewsAfter(...events)).cluster).status_info;

  it('shows in the status info how much of it has arrived', async () => {
    const plain = await infoAfter(...preparing);
    expect(await infoAfter(...preparing, downloaded)).toBe(
      `${plain}. Downloading the installer of the release: 120 of 300 MiB`,
    );
    expect(await infoAfter(...preparing, downloaded, read)).toBe(plain);
    const back = onCluster('ClusterEnteredStatus', { status: 'ready', from: 'preparing-for-installation' });
    expect(await infoAfter(...preparing, downloaded, back)).not.toContain('Downloading');
  });

  it('is in the event log', async () => {
    const { log } = await viewsAfter(...preparing, read);
    expect(log.filter(({ category }) => category === 'user').at(-1)).toMatchObject({
      name: 'release_read',
      message: 'Release 4.18.3 of cluster demo was read. It installs CoreOS 418.94.1.',
    });
  });
});

describe('manifests in the cluster document', () => {
  it('are reported as used while the cluster has a user manifest', async () => {
    expect(await usageAfter(stored('user'))).toContain('Custom manifest');
    expect(await usageAfter(stored('system'))).not.toContain('Custom manifest');
    const gone = onManifests('ManifestRemoved', { folder: 'manifests', fileName: 'cni.yaml' });
    expect(await usageAfter(stored('user'), gone)).not.toContain('Custom manifest');
  });
});
