import type { ClusterDocument, HostDocument } from './documents';

type UsageData = { readonly [name: string]: string | number | readonly string[] };

/** A feature. `of` returns its properties when the cluster uses it, else undefined. */
interface UsageRow {
  readonly name: string;
  readonly of: (cluster: ClusterDocument) => UsageData | undefined;
}

/** Counted for every virtual host, and reported while the cluster manages its network. */
export const VIRTUAL_HOSTS = 'Cluster managed networking with VMs';
/** Counted for every host whose role was chosen by the service. In a smaller cluster every host becomes a control plane host. */
export const AUTO_ASSIGNED_ROLES = 'auto assign role';
const AUTO_ASSIGNED_HOSTS_MIN = 4;
/** Counted for every host with a name from a user. */
export const REQUESTED_HOSTNAMES = 'Requested hostname';

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
  {
    name: 'Additional NTP Source',
    of: ({ additional_ntp_source: sources = '' }) => when(sources !== '', { source_count: sources.split(',').length }),
  },
  { name: 'Proxy', of: proxyUsage },
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
  {
    name: 'Nutanix integration',
    of: ({ platform: { type } }) => when(type === 'nutanix', { platform_type: type }),
  },
  { name: 'Schedulable masters', of: (cluster) => when(cluster.schedulable_masters) },
  {
    name: 'Disk encryption',
    of: ({ disk_encryption: { enable_on: enableOn = 'none', mode = 'tpmv2', tang_servers: tangServers = '' } }) =>
      when(enableOn !== 'none', { enable_on: enableOn, mode, tang_servers: tangServers }),
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
    of: ({ hyperthreading }) => when(hyperthreading !== 'none', { hyperthreading_enabled: hyperthreading }),
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

/** `feature_usage` of the v2 API: a JSON object from name to `{id, name, data}`. `hosts`: those of the cluster, if they are known. */
export function presentFeatureUsage(cluster: ClusterDocument, hosts: readonly HostDocument[] = []): string {
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
    const data = count > 0 ? countedUsage(name, count, cluster, hosts) : undefined;
    if (data) add(name, data);
  }
  return JSON.stringify(used);
}

function proxyUsage({ http_proxy, https_proxy, no_proxy }: ClusterDocument): UsageData | undefined {
  const given = Object.entries({ http_proxy, https_proxy, no_proxy }).filter(([, value]) => value);
  return when(given.length > 0, Object.fromEntries(given.map(([name]) => [name, 1])));
}

/** Returns the properties of a feature that hosts or infra-envs use, or undefined when it is not reported for this cluster. */
function countedUsage(
  name: string,
  count: number,
  { platform, total_host_count: total, user_managed_networking: isUserManaged }: ClusterDocument,
  hosts: readonly HostDocument[],
): UsageData | undefined {
  switch (name) {
    case VIRTUAL_HOSTS: {
      const virtual = hosts.filter((host) => host._is_virtual).map(({ id }) => id);
      const data = virtual.length > 0 ? { 'VM Hosts': virtual } : NOTHING_TO_REPORT;
      return when(!isUserManaged && USUAL_PLATFORMS.includes(platform.type), data);
    }
    case AUTO_ASSIGNED_ROLES:
      return when(total >= AUTO_ASSIGNED_HOSTS_MIN);
    case REQUESTED_HOSTNAMES:
      return { host_count: count };
    default:
      return { count };
  }
}

const usageId = (name: string): string => name.toUpperCase().replaceAll(' ', '_').replaceAll('.', '');

function isDualStack({ machine_networks, service_networks, cluster_networks }: ClusterDocument): boolean {
  const networks = [...machine_networks, ...service_networks, ...cluster_networks];
  return networks.some(({ cidr }) => cidr.includes(':')) && networks.some(({ cidr }) => !cidr.includes(':'));
}

/** Returns whether the text is a JSON array with entries. */
const namesRules = (ignored: string | undefined): boolean => Boolean(ignored && ignored !== '[]');
