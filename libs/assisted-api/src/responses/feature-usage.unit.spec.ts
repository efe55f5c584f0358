import type { ClusterDocument } from './documents';
import { presentFeatureUsage } from './feature-usage';

const network = (cidr: string) => ({ cluster_id: 'c', cidr });
const PLAIN = {
  kind: 'Cluster',
  control_plane_count: 3,
  platform: { type: 'baremetal' },
  cpu_architecture: 'x86_64',
  user_managed_networking: false,
  vip_dhcp_allocation: false,
  schedulable_masters: false,
  hyperthreading: 'all',
  imported: false,
  disk_encryption: { enable_on: 'none', mode: 'tpmv2' },
  api_vips: [],
  machine_networks: [],
  service_networks: [network('172.30.0.0/16')],
  cluster_networks: [{ ...network('10.128.0.0/14'), host_prefix: 23 }],
  monitored_operators: [],
  total_host_count: 3,
} as unknown as ClusterDocument;

const usage = (changes: Partial<ClusterDocument>): Record<string, { id: string; name: string; data: object }> =>
  JSON.parse(presentFeatureUsage({ ...PLAIN, ...changes }));
const vip = (ip: string) => ({ cluster_id: 'c', ip, verification: 'unverified' });
const operator = (name: string, operator_type: string) =>
  ({ name, operator_type }) as ClusterDocument['monitored_operators'][number];

describe('feature usage of a cluster', () => {
  it('is empty for a new cluster', () => {
    expect(presentFeatureUsage(PLAIN)).toBe('{}');
  });

  it('names virtual hosts while the cluster manages its network', () => {
    const virtual = { _usage_counts: { 'Cluster managed networking with VMs': 2 } };
    expect(usage(virtual)).toMatchObject({ 'Cluster managed networking with VMs': { data: { count: 2 } } });
    expect(usage({ ...virtual, user_managed_networking: true, control_plane_count: 1 })).not.toHaveProperty(
      'Cluster managed networking with VMs',
    );
  });

  it.each<[string, Partial<ClusterDocument>, object?]>([
    ['Additional NTP Source', { additional_ntp_source: 'pool.ntp.org' }],
    ['Proxy', { no_proxy: '*' }],
    ['SNO', { control_plane_count: 1 }],
    ['Day2 hosts', { kind: 'AddHostsCluster' }, { day2_hosts: 3 }],
    ['Single Node Expansion', { kind: 'AddHostsCluster', control_plane_count: 1 }],
    ['VIP auto alloc.', { vip_dhcp_allocation: true }],
    ['SDN network type', { network_type: 'OpenShiftSDN' }],
    ['Calico network type', { network_type: 'Calico' }],
    ['Dual-stack', { machine_networks: [network('fd00::/64')] }],
    ['Dual-stack VIPs', { api_vips: [vip('10.0.0.5'), vip('fd00::5')] }],
    ['Platform selection', { platform: { type: 'vsphere' } }, { platform_type: 'vsphere' }],
    ['Nutanix integration', { platform: { type: 'nutanix' } }],
    ['Schedulable masters', { schedulable_masters: true }],
    ['Disk encryption', { disk_encryption: { enable_on: 'all', mode: 'tang' } }, { enable_on: 'all', mode: 'tang' }],
    ['s390x architecture', { cpu_architecture: 's390x' }],
    ['Install Config Overrides', { _install_config_overrides: { digest: 'd', bytes: 13 } }],
    ['FIPS', { _install_config_overrides: { digest: 'd', bytes: 13, is_fips: true } }],
    ['Cluster Tags', { tags: 'a,b' }],
    ['Hyperthreading', { hyperthreading: 'none' }, { hyperthreading_enabled: 'none' }],
    ['User Managed Networking With Multi Node', { user_managed_networking: true }],
    ['Validations have been ignored for this cluster', { ignored_cluster_validations: '["ntp-server-configured"]' }],
    ['Custom manifest', { _user_manifests: ['manifests/cni.yaml'] }],
    ['Static Network Config', { _usage_counts: { 'Static Network Config': 2 } }, { count: 2 }],
    ['OPENSHIFT-AI', { monitored_operators: [operator('openshift-ai', 'olm')] }],
  ])('contains %s', (name, changes, data = {}) => {
    expect(usage(changes)[name]).toMatchObject({ name, data });
  });

  it.each<[string, Partial<ClusterDocument>]>([
    ['SNO', { kind: 'AddHostsCluster', control_plane_count: 1 }],
    ['Custom manifest', { _user_manifests: [] }],
    ['FIPS', { _install_config_overrides: { digest: 'd', bytes: 14 } }],
    ['Install Config Overrides', { _install_config_overrides: { digest: 'd', bytes: 2 } }],
    ['Platform selection', { platform: { type: 'none' } }],
    ['CONSOLE', { monitored_operators: [operator('console', 'builtin')] }],
    ['Validations have been ignored for this cluster', { ignored_host_validations: '[]' }],
    ['User Managed Networking With Multi Node', { user_managed_networking: true, control_plane_count: 1 }],
  ])('does not contain %s for %j', (name, changes) => {
    expect(usage(changes)).not.toHaveProperty([name]);
  });

  it('has ids in capital letters without spaces and dots', () => {
    expect(usage({ vip_dhcp_allocation: true })['VIP auto alloc.']?.id).toBe('VIP_AUTO_ALLOC');
  });
});
