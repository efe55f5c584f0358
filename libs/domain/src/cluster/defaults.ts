import type { ClusterNetwork, ClusterSettings, Plain } from '@muster/contracts';
import { parseCidrs } from '@muster/addresses';
import { isAtLeast, DEFAULT_CONTROL_PLANE_COUNT } from '@muster/validation-rules';
import type { ClusterKind } from './status';

type Settings = Plain<ClusterSettings>;

/** IPv6 defaults are offered and not applied: a cluster has IPv6 only when its settings ask for it. */
export const DEFAULT_CLUSTER_NETWORKS = {
  ipv4: { cidr: '10.128.0.0/14', hostPrefix: 23 },
  ipv6: { cidr: 'fd01::/48', hostPrefix: 64 },
} as const satisfies Record<string, Plain<ClusterNetwork>>;
export const DEFAULT_SERVICE_NETWORKS = { ipv4: '172.30.0.0/16', ipv6: 'fd02::/112' } as const;
const OVN_IS_DEFAULT_SINCE = '4.12';
/** Architectures whose machines have no platform integration. */
export const ARCHITECTURES_WITHOUT_PLATFORM = ['s390x', 'ppc64le'];
export const PLATFORMS_WITH_USER_NETWORKING = ['none', 'external'];

/** Returns the settings with the defaults of the v2 API. `given` wins. */
export function withClusterDefaults(
  given: Settings,
  context: { readonly kind: ClusterKind; readonly imported: boolean },
): Settings {
  if (context.kind === 'AddHostsCluster') return withDay2Defaults(given, context.imported);
  const settings = { ...given, ...controlPlaneOf(given), cpuArchitecture: given.cpuArchitecture || 'x86_64' };
  return {
    hyperthreading: 'all',
    schedulableMasters: false,
    vipDhcpAllocation: false,
    loadBalancerType: 'cluster-managed',
    additionalNtpSource: '',
    diskEncryption: { enable_on: 'none', mode: 'tpmv2' },
    clusterNetworks: { items: [DEFAULT_CLUSTER_NETWORKS.ipv4] },
    serviceNetworks: { items: [DEFAULT_SERVICE_NETWORKS.ipv4] },
    machineNetworks: { items: [] },
    apiVips: { items: [] },
    ingressVips: { items: [] },
    baseDnsDomain: '',
    sshPublicKey: '',
    ...settings,
    networkType: given.networkType || defaultNetworkType(settings),
    ...platformOf(settings),
  };
}

function withDay2Defaults(given: Settings, isImported: boolean): Settings {
  const names = importedNames(given.apiVipDnsName ?? '');
  return {
    platformType: 'baremetal',
    userManagedNetworking: false,
    ...given,
    baseDnsDomain: given.baseDnsDomain ?? '',
    ...(isImported ? names : {}),
  };
}

/** `control_plane_count` and `high_availability_mode` say the same: either may be given. */
function controlPlaneOf(given: Settings): {
  readonly controlPlaneCount: number;
  readonly highAvailabilityMode: string;
} {
  const isNone = given.highAvailabilityMode === 'None';
  const controlPlaneCount = given.controlPlaneCount || (isNone ? 1 : DEFAULT_CONTROL_PLANE_COUNT);
  return {
    controlPlaneCount,
    highAvailabilityMode: given.highAvailabilityMode || (controlPlaneCount === 1 ? 'None' : 'Full'),
  };
}

function defaultNetworkType(settings: Settings): string {
  const networks = [
    ...(settings.clusterNetworks?.items ?? []).map(({ cidr }) => cidr),
    ...(settings.serviceNetworks?.items ?? []),
    ...(settings.machineNetworks?.items ?? []),
  ];
  const hasIpv6 = parseCidrs(networks).some(({ family }) => family === 6);
  const isOvn =
    settings.controlPlaneCount === 1 || hasIpv6 || isAtLeast(settings.openshiftVersion ?? '', OVN_IS_DEFAULT_SINCE);
  return isOvn ? 'OVNKubernetes' : 'OpenShiftSDN';
}

/** Platform and user-managed networking imply each other: a missing one follows from the other. */
function platformOf(settings: Settings): { readonly platformType: string; readonly userManagedNetworking: boolean } {
  const { platformType, userManagedNetworking } = settings;
  const needsNone =
    settings.controlPlaneCount === 1 || ARCHITECTURES_WITHOUT_PLATFORM.includes(settings.cpuArchitecture ?? '');
  const platform = platformType || (needsNone || userManagedNetworking ? 'none' : 'baremetal');
  return {
    platformType: platform,
    userManagedNetworking: userManagedNetworking ?? PLATFORMS_WITH_USER_NETWORKING.includes(platform),
  };
}

const API_NAME = /^api\.([^.]+)\.(.+)$/;

/** Where day-2 hosts find the API: the first VIP when we manage it, else the name that its owner's DNS knows. */
export function openedApiName(settings: Plain<ClusterSettings>): string {
  const [vip] = settings.apiVips?.items ?? [];
  if (vip && !settings.userManagedNetworking) return vip;
  return `api.${settings.name ?? ''}.${settings.baseDnsDomain ?? ''}`;
}

/** Name and base domain of an imported cluster, where its API's name tells them; otherwise undefined. */
export function importedNames(
  apiVipDnsName: string,
): { readonly name: string; readonly baseDnsDomain: string } | undefined {
  const match = API_NAME.exec(apiVipDnsName);
  const [, name, baseDnsDomain] = match ?? [];
  return name && baseDnsDomain ? { name, baseDnsDomain } : undefined;
}
