import { AWAITS_INVENTORY, firstFault, lacks, meets, type OperatorClaim } from './operator-claim';
import type { OperatorHost } from './operator-facts';
import type { ExtraResources } from './operator-plugin';

const BYTES_PER_MIB = 1024 * 1024;

/** The operator's own needs alone against the whole machine; sums are another rule's matter. */
export function claimResources(
  title: string,
  { hardware }: Pick<OperatorHost, 'hardware'>,
  { cpuCores, ramMib }: ExtraResources,
): OperatorClaim {
  if (!hardware) return AWAITS_INVENTORY;
  const usableMib = Math.floor(hardware.usableMemoryBytes / BYTES_PER_MIB);
  return firstFault(
    () =>
      hardware.cpuCount >= cpuCores
        ? meets()
        : lacks(
            `${title} alone needs ${cpuCores} cores, the host has ${hardware.cpuCount}`,
            `${hardware.cpuCount} cores`,
            `${cpuCores} cores`,
          ),
    () =>
      hardware.usableMemoryBytes >= ramMib * BYTES_PER_MIB
        ? meets()
        : lacks(
            `${title} alone needs ${ramMib} MiB of memory, the host has ${usableMib} MiB`,
            `${usableMib} MiB`,
            `${ramMib} MiB`,
          ),
  );
}
