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
