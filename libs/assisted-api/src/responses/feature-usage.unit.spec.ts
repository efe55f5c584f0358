import { existsSync, readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import type { ClusterDocument, HostDocument } from './documents';
import { presentFeatureUsage } from './feature-usage';

const REFERENCE = resolve(__dirname, '../../../../../shared/reference/service/events-metrics.md');
const hasReference = existsSync(REFERENCE);
const withReference = hasReference ? it : it.skip;
const missing = hasReference ? '' : ' (skipped: the reference is not in ../shared)';
const VMS = 'Cluster managed networking with VMs';

const network = (cidr: string) => ({ cluster_id: 'c', cidr });
const PLAIN = {
  kind: 'Cluster',
  control_plane_count: 3,
  platform: { type: 'baremetal' },
  cpu_architecture: 'x86_64',
  user_managed_networking: false,
  vip_dhcp_allocation: false,
  schedulable_masters: false,
  hyperthreading: 'none',
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
  it('is empty for a cluster that uses none', () => {
    expect(presentFeatureUsage(PLAIN)).toBe('{}');
  });

  it('names virtual hosts while the cluster manages its network', () => {
    const virtual = { ...PLAIN, _usage_counts: { [VMS]: 1 } };
    const hosts = [
      { id: 'a', _is_virtual: true },
      { id: 'b', _is_virtual: undefined },
    ] as unknown as readonly HostDocument[];
    expect(JSON.parse(presentFeatureUsage(virtual, hosts))[VMS].data).toEqual({ 'VM Hosts': ['a'] });
    expect(usage({ ...virtual, user_managed_networking: true, control_plane_count: 1 })).not.toHaveProperty(VMS);
    expect(usage({ ...virtual, platform: { type: 'vsphere' } })).not.toHaveProperty(VMS);
  });

  const used: readonly [string, Partial<ClusterDocument>, object?][] = [
    ['Additional NTP Source', { additional_ntp_source: '1.1.1.1,pool.ntp.org' }, { source_count: 2 }],
    ['Proxy', { no_proxy: '*' }, { no_proxy: 1 }],
    ['Proxy', { http_proxy: 'http://p', https_proxy: 'http://p' }, { http_proxy: 1, https_proxy: 1 }],
    ['SNO', { control_plane_count: 1 }],
    ['Day2 hosts', { kind: 'AddHostsCluster' }, { day2_hosts: 3 }],
    ['Single Node Expansion', { kind: 'AddHostsCluster', control_plane_count: 1 }],
    ['VIP auto alloc.', { vip_dhcp_allocation: true }],
    ['OVN network type', { network_type: 'OVNKubernetes' }],
    ['SDN network type', { network_type: 'OpenShiftSDN' }],
    ['CiscoACI network type', { network_type: 'CiscoACI' }],
    ['Cilium network type', { network_type: 'Cilium' }],
    ['Calico network type', { network_type: 'Calico' }],
    ['None network type', { network_type: 'None' }],
    ['Dual-stack', { machine_networks: [network('fd00::/64')] }],
    ['Dual-stack VIPs', { api_vips: [vip('10.0.0.5'), vip('fd00::5')] }],
    ['Platform selection', { platform: { type: 'vsphere' } }, { platform_type: 'vsphere' }],
    ['Nutanix integration', { platform: { type: 'nutanix' } }, { platform_type: 'nutanix' }],
    ['Schedulable masters', { schedulable_masters: true }],
    [
      'Disk encryption',
      { disk_encryption: { enable_on: 'all', mode: 'tang', tang_servers: '[]' } },
      { enable_on: 'all', mode: 'tang', tang_servers: '[]' },
    ],
    ['arm64 architecture', { cpu_architecture: 'arm64' }],
    ['ppc64le architecture', { cpu_architecture: 'ppc64le' }],
    ['s390x architecture', { cpu_architecture: 's390x' }],
    ['Install Config Overrides', { _install_config_overrides: { digest: 'd', bytes: 13 } }],
    ['FIPS', { _install_config_overrides: { digest: 'd', bytes: 13, is_fips: true } }],
    ['Cluster Tags', { tags: 'a,b' }],
    ['Hyperthreading', { hyperthreading: 'all' }, { hyperthreading_enabled: 'all' }],
    ['Hyperthreading', { hyperthreading: 'masters' }, { hyperthreading_enabled: 'masters' }],
    ['User Managed Networking With Multi Node', { user_managed_networking: true }],
    ['Validations have been ignored for this cluster', { ignored_cluster_validations: '["ntp-server-configured"]' }],
    ['Custom manifest', { _user_manifests: ['manifests/cni.yaml'] }],
    ['Static Network Config', { _usage_counts: { 'Static Network Config': 2 } }, { count: 2 }],
    ['Disk Selection', { _usage_counts: { 'Disk Selection': 2 } }, { count: 2 }],
    ['Ignition Config Override', { _usage_counts: { 'Ignition Config Override': 1 } }, { count: 1 }],
    ['discovery kernel arguments', { _usage_counts: { 'discovery kernel arguments': 1 } }, { count: 1 }],
    ['Requested hostname', { _usage_counts: { 'Requested hostname': 2 } }, { host_count: 2 }],
    ['auto assign role', { _usage_counts: { 'auto assign role': 2 }, total_host_count: 4 }],
    [VMS, { _usage_counts: { [VMS]: 1 } }],
    ['LVM', { monitored_operators: [operator('lvm', 'olm')] }],
    ['OPENSHIFT-AI', { monitored_operators: [operator('openshift-ai', 'olm')] }],
  ];
  it.each([...used])('contains %s for %j', (name, changes, data = {}) => {
    expect(usage(changes)[name]).toMatchObject({ name, data });
  });

  withReference(`has every name of assisted-service v2${missing}`, () => {
    const [, listed = ''] = /^Names: (.*?)\. Plus the OLM/m.exec(readFileSync(REFERENCE, 'utf8')) ?? [];
    const names = listed.split('; ');
    expect(names.length).toBeGreaterThan(30);
    const covered = new Set(used.map(([name]) => name));
    expect(names.filter((name) => !covered.has(name))).toEqual([]);
  });

  it.each<[string, Partial<ClusterDocument>]>([
    ['SNO', { kind: 'AddHostsCluster', control_plane_count: 1 }],
    ['auto assign role', { _usage_counts: { 'auto assign role': 3 }, total_host_count: 3 }],
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
