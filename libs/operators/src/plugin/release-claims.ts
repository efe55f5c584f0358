import { lacks, meets, type OperatorClaim } from './operator-claim';
import { isSince, type OperatorCluster, type Release } from './operator-facts';

const asText = (release: Release | undefined): string => release?.join('.') ?? 'an unknown version';

export function claimSince(title: string, cluster: OperatorCluster, [major, minor, patch]: Release): OperatorClaim {
  const needed = patch > 0 ? `${major}.${minor}.${patch}` : `${major}.${minor}`;
  return isSince(cluster, major, minor, patch)
    ? meets()
    : lacks(
        `${title} needs OpenShift ${needed} or later, the cluster is ${asText(cluster.release)}`,
        asText(cluster.release),
        needed,
      );
}

/** `barred`: architectures that the operator is not built for. A cluster of several or of no known one passes. */
export function claimArchitecture(title: string, cluster: OperatorCluster, barred: readonly string[]): OperatorClaim {
  const architecture = cluster.cpuArchitecture === 'aarch64' ? 'arm64' : cluster.cpuArchitecture;
  return barred.includes(architecture)
    ? lacks(`${title} is not available on ${architecture}`, architecture, `none of ${barred.join(', ')}`)
    : meets();
}

export const CHOOSE_ANOTHER_CLUSTER = 'Take the operator out, or choose a release and an architecture that have it.';
export const BARRED_OFF_X86: readonly string[] = ['arm64', 's390x', 'ppc64le'];
