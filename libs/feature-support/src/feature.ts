import type { ArchitectureName, SupportLevel, UnavailableReason } from './levels/support-level';
import type { FeatureFacts } from './active/feature-facts';

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

/** The level where the condition holds. */
export interface LevelRow extends LevelCondition {
  readonly level: SupportLevel;
  /** Why it is unusable; by default what the condition speaks of. */
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
