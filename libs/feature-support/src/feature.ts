/** What a cluster and an infra-env say about themselves, as far as features show in it. What is absent is not known. */
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
  /** One per host that is in the control plane or helps it. */
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

/** The family that comes first: of the machines, else of the services, else of the pods. */
export const isPrimaryIpv6 = (facts: FeatureFacts): boolean => {
  const [first] = networksOf(facts);
  return first !== undefined && isIpv6(first);
};

/** Both masters of two, without an arbiter, can be fenced. */
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

/** `support-level` of the contract. */
export type SupportLevel = 'supported' | 'tech-preview' | 'dev-preview' | 'unsupported' | 'unavailable';

/** `incompatibility-reason` of the contract. */
export type UnavailableReason = 'cpuArchitecture' | 'platform' | 'openshiftVersion' | 'ociExternalIntegrationDisabled';

export type ArchitectureName = 'x86_64' | 'arm64' | 's390x' | 'ppc64le' | 'multi';

/** The v2 API uses arm64, the machines report aarch64. */
export const canonicalArchitecture = (name: string): string => (name === 'aarch64' ? 'arm64' : name);

/** A feature's level, and why it cannot be used where it cannot. */
export interface LeveledFeature {
  readonly level: SupportLevel;
  readonly reason?: UnavailableReason;
}

/** Levels below supported can be chosen all the same. */
export const isAvailable = ({ level }: LeveledFeature): boolean => level !== 'unavailable';

/** Returns true for levels that can be selected without a warning. */
export const isUsable = (level: SupportLevel): boolean => level !== 'unavailable' && level !== 'unsupported';

/** `feature-support-level-id` of the contract. */
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

/** A range of versions. A version that cannot be read counts as older than any, unless `unreadable` says otherwise. */
export interface VersionRange {
  /** Older than this line: "4.13". */
  readonly before?: string;
  /** Any version of this line. */
  readonly line?: string;
  /** This line or newer; never one that cannot be read. */
  readonly since?: string;
  /** What `before` makes of a version that cannot be read: older, newer, or older only when it is empty. */
  readonly unreadable?: 'older' | 'newer' | 'older-if-empty';
}

/** All given conditions must hold. Without a platform, no condition on platforms holds. */
export interface LevelCondition extends VersionRange {
  readonly platforms?: readonly string[];
  readonly platformsOtherThan?: readonly string[];
  /** Of platform external. */
  readonly externalPlatformName?: string;
  readonly architectures?: readonly ArchitectureName[];
}

/** Rows in order: the first row whose condition holds decides. */
export type FirstMatch<Row> = readonly Row[];

/** The support level of a feature where the condition holds. Rows have an order: the first one that holds decides. */
export interface LevelRow extends LevelCondition {
  readonly level: SupportLevel;
  /** Why the feature is unusable. @default derived from the condition: platform, architecture, or version */
  readonly reason?: UnavailableReason;
}

/** Architectures that the feature does not exist on, of all versions or of some. */
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
  /** Name of the OLM operator that this is. */
  readonly operator?: string;
  /** Listed only when the query names no platform. */
  readonly isPlatform: boolean;
  /** Field of the contract that switches it on. */
  readonly field: string;
  readonly isActive: (facts: FeatureFacts) => boolean;
}
