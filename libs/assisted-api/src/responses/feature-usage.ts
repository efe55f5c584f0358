import type { ClusterDocument } from './documents';

type UsageData = { readonly [name: string]: string | number };

/** A feature. `of` returns its properties when the cluster uses it, else undefined. */
interface UsageRow {
  readonly name: string;
  readonly of: (cluster: ClusterDocument) => UsageData | undefined;
}

/** Counted for every virtual host, and reported while the cluster manages its network. */
export const VIRTUAL_HOSTS = 'Cluster managed networking with VMs';

const NOTHING_TO_REPORT: UsageData = {};
const when = (isUsed: boolean, data: UsageData = NOTHING_TO_REPORT): UsageData | undefined =>
  isUsed ? data : undefined;

const NETWORK_TYPES: readonly (readonly [type: string, name: string])[] = [
  ['OVNKubernetes', 'OVN network type'],
  ['OpenShiftSDN', 'SDN network type'],
  ['CiscoACI', 'CiscoACI network type'],
  ['Cilium', 'Cilium network type'],
  ['Calico', 'Calico network type'],
  ['None', 'None network type'],
];
/** x86_64 is not reported as a feature. */
const NOTED_ARCHITECTURES = ['arm64', 'ppc64le', 's390x'];
/** Platforms that are not reported as a feature. */
const USUAL_PLATFORMS = ['baremetal', 'none'];

const isDay2 = ({ kind }: ClusterDocument): boolean => kind === 'AddHostsCluster';
const isSingleNode = (cluster: ClusterDocument): boolean => !isDay2(cluster) && cluster.control_plane_count === 1;

/** Features in the settings of the cluster. Features that hosts and infra-envs use are counted in `_usage_counts`. */
const CLUSTER_USAGE: readonly UsageRow[] = [
  { name: 'Additional NTP Source', of: (cluster) => when(Boolean(cluster.additional_ntp_source)) },
  { name: 'Proxy', of: (cluster) => when(Boolean(cluster.http_proxy || cluster.https_proxy || cluster.no_proxy)) },
  { name: 'SNO', of: (cluster) => when(isSingleNode(cluster)) },
  {
    name: 'Day2 hosts',
    of: (cluster) => when(isDay2(cluster) && cluster.total_host_count > 0, { day2_hosts: cluster.total_host_count }),
  },
  {
    name: 'Single Node Expansion',
    of: (cluster) =>
      when(isDay2(cluster) && !cluster.imported && cluster.control_plane_count === 1 && cluster.total_host_count > 1),
  },
  { name: 'VIP auto alloc.', of: (cluster) => when(cluster.vip_dhcp_allocation) },
  ...NETWORK_TYPES.map(([type, name]) => ({
    name,
    of: (cluster: ClusterDocument) => when(cluster.network_type === type),
  })),
  { name: 'Dual-stack', of: (cluster) => when(isDualStack(cluster)) },
  { name: 'Dual-stack VIPs', of: (cluster) => when(cluster.api_vips.length > 1) },
  {
    name: 'Platform selection',
    of: ({ platform: { type } }) => when(!USUAL_PLATFORMS.includes(type), { platform_type: type }),
  },
  { name: 'Nutanix integration', of: (cluster) => when(cluster.platform.type === 'nutanix') },
  { name: 'Schedulable masters', of: (cluster) => when(cluster.schedulable_masters) },
  {
    name: 'Disk encryption',
    of: ({ disk_encryption: { enable_on: enableOn = 'none', mode = 'tpmv2' } }) =>
      when(enableOn !== 'none', { enable_on: String(enableOn), mode: String(mode) }),
  },
  ...NOTED_ARCHITECTURES.map((architecture) => ({
    name: `${architecture} architecture`,
    of: (cluster: ClusterDocument) => when(cluster.cpu_architecture === architecture),
  })),
  {
    name: 'Install Config Overrides',
    of: (cluster) => when((cluster._install_config_overrides?.bytes ?? 0) > EMPTY_OBJECT_BYTES),
  },
  { name: 'Custom manifest', of: (cluster) => when(Boolean(cluster._user_manifests?.length)) },
  { name: 'FIPS', of: (cluster) => when(cluster._install_config_overrides?.is_fips === true) },
  { name: 'Cluster Tags', of: (cluster) => when(Boolean(cluster.tags)) },
  {
    name: 'Hyperthreading',
    of: ({ hyperthreading }) => when(hyperthreading !== 'all', { hyperthreading_enabled: hyperthreading }),
  },
  {
    name: 'User Managed Networking With Multi Node',
    of: (cluster) => when(cluster.user_managed_networking && !isDay2(cluster) && cluster.control_plane_count > 1),
  },
  {
    name: 'Validations have been ignored for this cluster',
    of: (cluster) => when([cluster.ignored_host_validations, cluster.ignored_cluster_validations].some(namesRules)),
  },
];

/** `{}` */
const EMPTY_OBJECT_BYTES = 2;

/** `feature_usage` of the v2 API: a JSON object from name to `{id, name, data}`. */
export function presentFeatureUsage(cluster: ClusterDocument): string {
  const used: { [name: string]: { readonly id: string; readonly name: string; readonly data: UsageData } } = {};
  const add = (name: string, data: UsageData): void => void (used[name] = { id: usageId(name), name, data });
  for (const { name, of } of CLUSTER_USAGE) {
    const data = of(cluster);
    if (data) add(name, data);
  }
  for (const { name, operator_type: type } of cluster.monitored_operators) {
    if (type === 'olm') add(name.toUpperCase(), NOTHING_TO_REPORT);
  }
  for (const [name, count] of Object.entries(cluster._usage_counts ?? {})) {
    if (count > 0 && !(name === VIRTUAL_HOSTS && cluster.user_managed_networking)) add(name, { count });
  }
  return JSON.stringify(used);
}

const usageId = (name: string): string => name.toUpperCase().replaceAll(' ', '_').replaceAll('.', '');

function isDualStack({ machine_networks, service_networks, cluster_networks }: ClusterDocument): boolean {
  const networks = [...machine_networks, ...service_networks, ...cluster_networks];
  return networks.some(({ cidr }) => cidr.includes(':')) && networks.some(({ cidr }) => !cidr.includes(':'));
}

/** Returns whether the text is a JSON array with entries. */
const namesRules = (ignored: string | undefined): boolean => Boolean(ignored && ignored !== '[]');
