/** The properties of a cluster and an infra-env that determine their features. Absent properties are unknown. */
export interface FeatureFacts {
  readonly controlPlaneCount?: number;
  readonly userManagedNetworking?: boolean;
  readonly vipDhcpAllocation?: boolean;
  readonly loadBalancerType?: string;
  readonly networkType?: string;
  readonly platformType?: string;
  readonly externalPlatformName?: string;
  /** CIDRs. */
  readonly machineNetworks?: readonly string[];
  readonly serviceNetworks?: readonly string[];
  readonly clusterNetworks?: readonly string[];
  /** Addresses. */
  readonly apiVips?: readonly string[];
  /** Names of OLM operators. */
  readonly operators?: readonly string[];
  /** One entry per control plane host or arbiter. */
  readonly controlPlaneHosts?: readonly ControlPlaneHost[];
  /** full-iso, minimal-iso, disconnected-iso. */
  readonly imageType?: string;
}

export interface ControlPlaneHost {
  readonly role: 'master' | 'arbiter';
  readonly hasFencingCredentials: boolean;
}

/** True when the networks of a cluster are of both families. */
export function isDualStack(facts: FeatureFacts): boolean {
  const networks = networksOf(facts);
  return networks.some(isIpv6) && networks.some((network) => !isIpv6(network));
}

/**
 * Returns the first address family: of the machine networks, else of the service networks, else of the cluster
 * networks.
 */
export const isPrimaryIpv6 = (facts: FeatureFacts): boolean => {
  const [first] = networksOf(facts);
  return first !== undefined && isIpv6(first);
};

/** Returns true for two masters with fencing credentials without an arbiter. */
export function isFencedPair({ controlPlaneCount, controlPlaneHosts = [] }: FeatureFacts): boolean {
  return (
    controlPlaneCount === 2 &&
    controlPlaneHosts.length === 2 &&
    controlPlaneHosts.every(({ role, hasFencingCredentials }) => role === 'master' && hasFencingCredentials)
  );
}

const networksOf = ({ machineNetworks = [], serviceNetworks = [], clusterNetworks = [] }: FeatureFacts): string[] => [
  ...machineNetworks,
  ...serviceNetworks,
  ...clusterNetworks,
];

const isIpv6 = (network: string): boolean => network.includes(':');

/** `support-level` of the v2 API. */
export type SupportLevel = 'supported' | 'tech-preview' | 'dev-preview' | 'unsupported' | 'unavailable';

/** `incompatibility-reason` of the v2 API. */
export type UnavailableReason = 'cpuArchitecture' | 'platform' | 'openshiftVersion' | 'ociExternalIntegrationDisabled';

export type ArchitectureName = 'x86_64' | 'arm64' | 's390x' | 'ppc64le' | 'multi';

/** Returns the name of an architecture in the v2 API: machines report aarch64, and images use amd64. */
export const canonicalArchitecture = (name: string): string => SAME_ARCHITECTURE.get(name) ?? name;

/** Other names of an architecture → its name in the v2 API. */
const SAME_ARCHITECTURE: ReadonlyMap<string, string> = new Map([
  ['aarch64', 'arm64'],
  ['amd64', 'x86_64'],
]);

/** The level of a feature, and the reason when it cannot be used. */
export interface LeveledFeature {
  readonly level: SupportLevel;
  readonly reason?: UnavailableReason;
}

/** Levels with which a feature can be selected. */
export const isAvailable = ({ level }: LeveledFeature): boolean => level !== 'unavailable';

/** Returns true for levels that can be selected without a warning. */
export const isUsable = (level: SupportLevel): boolean => level !== 'unavailable' && level !== 'unsupported';

/** `feature-support-level-id` of the v2 API. */
export const FEATURE_IDS = [
  'SNO',
  'TNA',
  'TNF',
  'CUSTOM_MANIFEST',
  'SINGLE_NODE_EXPANSION',
  'MINIMAL_ISO',
  'FULL_ISO',
  'NON_STANDARD_HA_CONTROL_PLANE',
  'VIP_AUTO_ALLOC',
  'CLUSTER_MANAGED_NETWORKING',
  'USER_MANAGED_NETWORKING',
  'PLATFORM_MANAGED_NETWORKING',
  'USER_MANAGED_LOAD_BALANCER',
  'DUAL_STACK',
  'DUAL_STACK_VIPS',
  'DUAL_STACK_PRIMARY_IPV6',
  'SDN_NETWORK_TYPE',
  'OVN_NETWORK_TYPE',
  'CILIUM_NETWORK_TYPE',
  'CALICO_NETWORK_TYPE',
  'CISCO_ACI_NETWORK_TYPE',
  'NONE_NETWORK_TYPE',
  'BAREMETAL_PLATFORM',
  'NONE_PLATFORM',
  'NUTANIX_INTEGRATION',
  'VSPHERE_INTEGRATION',
  'EXTERNAL_PLATFORM',
  'EXTERNAL_PLATFORM_OCI',
  'LVM',
  'ODF',
  'LSO',
  'CNV',
  'MCE',
  'MTV',
  'OSC',
  'NMSTATE',
  'NODE_FEATURE_DISCOVERY',
  'NVIDIA_GPU',
  'AMD_GPU',
  'KMM',
  'PIPELINES',
  'SERVICEMESH',
  'SERVERLESS',
  'OPENSHIFT_AI',
  'AUTHORINO',
  'NODE_HEALTHCHECK',
  'SELF_NODE_REMEDIATION',
  'FENCE_AGENTS_REMEDIATION',
  'NODE_MAINTENANCE',
  'KUBE_DESCHEDULER',
  'CLUSTER_OBSERVABILITY',
  'NUMA_RESOURCES',
  'OADP',
  'METALLB',
  'LOKI',
  'OPENSHIFT_LOGGING',
] as const;
export type FeatureId = (typeof FEATURE_IDS)[number];

/** A range of versions. An invalid version counts as older than any other, unless `unreadable` is set. */
export interface VersionRange {
  /** Older than this minor version: "4.13". */
  readonly before?: string;
  /** Any version of this minor version. */
  readonly line?: string;
  /** This minor version or newer. Never an invalid version. */
  readonly since?: string;
  /** How `before` treats an invalid version: older, newer, or older only when it is empty. */
  readonly unreadable?: 'older' | 'newer' | 'older-if-empty';
}

/** All given conditions must be met. Without a platform, conditions on platforms are not met. */
export interface LevelCondition extends VersionRange {
  readonly platforms?: readonly string[];
  readonly platformsOtherThan?: readonly string[];
  /** Name of the external platform. */
  readonly externalPlatformName?: string;
  readonly architectures?: readonly ArchitectureName[];
}

/** Rows in order: the first row whose condition is met determines the value. */
export type FirstMatch<Row> = readonly Row[];

/** The support level of a feature under a condition. Rows have an order: the first one that matches applies. */
export interface LevelRow extends LevelCondition {
  readonly level: SupportLevel;
  /** Why the feature cannot be used. @default derived from the condition: platform, architecture, or version */
  readonly reason?: UnavailableReason;
}

/** Architectures that do not have the feature, in all versions or in some. */
export interface MissingOn extends VersionRange {
  readonly architectures: readonly ArchitectureName[];
}

/** Features that exclude this one, in all versions or in some. */
export interface Excludes extends VersionRange {
  readonly features: readonly FeatureId[];
}

/** One feature of a cluster or an infra-env. */
export interface Feature {
  readonly id: FeatureId;
  /** Display name. */
  readonly name: string;
  readonly levels: FirstMatch<LevelRow>;
  readonly missingOn: readonly MissingOn[];
  readonly excludes: readonly Excludes[];
  /** Name of the OLM operator of the feature. */
  readonly operator?: string;
  /** Listed only when the query contains no platform. */
  readonly isPlatform: boolean;
  /** Field of the v2 API that enables the feature. */
  readonly field: string;
  readonly isActive: (facts: FeatureFacts) => boolean;
}
