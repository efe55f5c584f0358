import { AWAITS_INVENTORY, firstFault, lacks, meets, type OperatorClaim } from './operator-claim';
import { isSince, type OperatorCluster, type OperatorHost, type Release } from './operator-facts';
import { type ExtraResources, NOTHING, type OperatorPlugin } from './operator-plugin';

const BYTES_PER_MIB = 1024 * 1024;

/** Compares the requirements of one operator with the whole machine. Another rule checks the sum of all operators. */
export function claimResources(
  { hardware }: Pick<OperatorHost, 'hardware'>,
  { cpuCores, ramMib }: ExtraResources,
): OperatorClaim {
  if (!hardware) return AWAITS_INVENTORY;
  const usableMib = Math.floor(hardware.usableMemoryBytes / BYTES_PER_MIB);
  return firstFault(
    () => (hardware.cpuCount >= cpuCores ? meets() : lacks('cores', hardware.cpuCount, cpuCores)),
    () => (hardware.usableMemoryBytes >= ramMib * BYTES_PER_MIB ? meets() : lacks('memory', usableMib, ramMib)),
  );
}

const releaseText = (release: Release | undefined): string => release?.join('.') ?? 'unknown';

export function claimSince(cluster: OperatorCluster, [major, minor, patch]: Release): OperatorClaim {
  const needed = patch > 0 ? `${major}.${minor}.${patch}` : `${major}.${minor}`;
  return isSince(cluster, major, minor, patch) ? meets() : lacks('release', releaseText(cluster.release), needed);
}

/**
 * `barred`: architectures that the operator does not support. A cluster with several or unknown architectures is
 * accepted.
 */
export function claimArchitecture(cluster: OperatorCluster, barred: readonly string[]): OperatorClaim {
  const architecture = cluster.cpuArchitecture === 'aarch64' ? 'arm64' : cluster.cpuArchitecture;
  return barred.includes(architecture) ? lacks('architecture', architecture, barred.join(', ')) : meets();
}

export const CHOOSE_ANOTHER_CLUSTER =
  'Remove the operator, or choose an OpenShift version and an architecture that support it.';
export const BARRED_OFF_X86: readonly string[] = ['arm64', 's390x', 'ppc64le'];

const ONE_CORE: ExtraResources = { cpuCores: 1, ramMib: 1_024 };

/**
 * The checks of an operator that requires 1 core and 1 GiB on every host except arbiters, on x86_64, from a release on.
 */
export function oneCoreOperator(
  title: string,
  [major, minor, patch]: Release,
): Pick<OperatorPlugin, 'title' | 'resources' | 'preview' | 'host' | 'cluster'> {
  const needsOf = ({ effectiveRole }: OperatorHost): ExtraResources =>
    effectiveRole === 'arbiter' ? NOTHING : ONE_CORE;
  return {
    title,
    resources: needsOf,
    preview: () => ({ ...ONE_CORE, descriptions: [] }),
    host: {
      checks: 'The operator requires 1 core and 1024 MiB on each host. It requires no resources on an arbiter.',
      claim: (host) => claimResources(host, needsOf(host)),
      remedy: 'Use machines with more cores and memory.',
    },
    cluster: {
      checks: `The OpenShift version is ${major}.${minor} or later, and the CPU architecture is x86_64.`,
      claim: (_hosts, cluster) =>
        firstFault(
          () => claimSince(cluster, [major, minor, patch]),
          () => claimArchitecture(cluster, BARRED_OFF_X86),
        ),
      remedy: CHOOSE_ANOTHER_CLUSTER,
    },
  };
}
