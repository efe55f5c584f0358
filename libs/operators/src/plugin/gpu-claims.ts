import { gpusOf } from './devices';
import { awaits, AWAITS_INVENTORY, lacks, meets, type OperatorClaim } from './operator-claim';
import { areMastersSchedulable, type OperatorCluster, type OperatorHost } from './operator-facts';

/** Modules that are built on the spot are not signed by anybody that the firmware trusts. */
export function claimNoSecureBoot(title: string, { hardware }: Pick<OperatorHost, 'hardware'>): OperatorClaim {
  if (!hardware) return AWAITS_INVENTORY;
  return hardware.secureBootState === 'Enabled'
    ? lacks(`${title} cannot load its kernel modules while secure boot is enabled`, 'Enabled', 'Disabled')
    : meets();
}

/** At least one GPU on a host that will run workloads. */
export function claimGpuInCluster(
  title: string,
  hosts: readonly OperatorHost[],
  cluster: OperatorCluster,
  vendors: readonly string[],
): OperatorClaim {
  const carriers = hosts.filter(
    ({ effectiveRole }) =>
      effectiveRole !== 'arbiter' && (effectiveRole !== 'master' || areMastersSchedulable(cluster)),
  );
  if (carriers.some((host) => gpusOf(host, vendors) > 0)) return meets();
  if (hosts.length > 0 && hosts.every(({ hardware }) => !hardware))
    return awaits('Waiting for the hosts to report their hardware');
  return lacks(
    `${title} needs at least one supported GPU on a host that runs workloads, there is none`,
    '0 GPUs',
    '1 GPU',
  );
}

export const TURN_SECURE_BOOT_OFF = 'Turn off secure boot in the firmware of the host, or take the operator out.';
export const ADD_A_GPU = 'Add a host with a supported GPU, or take the operator out.';
