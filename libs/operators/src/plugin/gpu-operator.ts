import { gpusOf } from './devices';
import { awaits, AWAITS_INVENTORY, lacks, meets, type OperatorClaim } from './operator-claim';
import { areMastersSchedulable, type OperatorCluster, type OperatorHost } from './operator-facts';
import type { OperatorPlugin } from './operator-plugin';
import { flag, flagOf, names, namesOf } from './operator-settings';

export const TURN_SECURE_BOOT_OFF = 'Disable secure boot in the firmware of the host, or remove the operator.';

/** Kernel modules that are built on the host are not signed with a key that the firmware trusts. */
export function claimNoSecureBoot({ hardware }: Pick<OperatorHost, 'hardware'>): OperatorClaim {
  if (!hardware) return AWAITS_INVENTORY;
  return hardware.secureBootState === 'Enabled' ? lacks('secure-boot') : meets();
}

/** Requires at least one GPU on a host that runs workloads. */
function claimGpuInCluster(
  hosts: readonly OperatorHost[],
  cluster: OperatorCluster,
  vendors: readonly string[],
): OperatorClaim {
  const candidates = hosts.filter(
    ({ effectiveRole }) =>
      effectiveRole !== 'arbiter' && (effectiveRole !== 'master' || areMastersSchedulable(cluster)),
  );
  if (candidates.some((host) => gpusOf(host, vendors) > 0)) return meets();
  const isUnknown = hosts.length > 0 && hosts.every(({ hardware }) => !hardware);
  return isUnknown ? awaits('awaits-inventories') : lacks('no-gpu');
}

/** The settings and checks of a GPU operator. `vendorId` is the PCI vendor that counts by default. */
export function gpuOperator(
  title: string,
  vendor: 'AMD' | 'NVIDIA',
  vendorId: string,
): Pick<OperatorPlugin, 'title' | 'bundles' | 'settings' | 'host' | 'cluster'> {
  const supported = names(`${vendor}_SUPPORTED_GPUS`, vendorId);
  const isRequired = flag(`${vendor}_REQUIRE_GPU`, true);
  return {
    title,
    bundles: () => [{ id: 'openshift-ai', isOptional: true }],
    settings: [supported, isRequired],
    host: {
      checks: 'Secure boot is disabled on hosts with such a GPU.',
      claim: (host, { settings }) => {
        if (!host.hardware) return AWAITS_INVENTORY;
        return gpusOf(host, namesOf(settings, supported)) > 0 ? claimNoSecureBoot(host) : meets();
      },
      remedy: TURN_SECURE_BOOT_OFF,
    },
    cluster: {
      checks: 'At least one supported GPU on a worker, or on a control plane host that runs workloads.',
      claim: (hosts, cluster) =>
        flagOf(cluster.settings, isRequired)
          ? claimGpuInCluster(hosts, cluster, namesOf(cluster.settings, supported))
          : meets(),
      remedy: 'Add a host with a supported GPU, or remove the operator.',
    },
  };
}
