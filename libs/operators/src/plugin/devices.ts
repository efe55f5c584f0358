import type { OperatorDisk, OperatorHost } from './operator-facts';

/** Returns the number of GPUs of the given PCI vendors. */
export const gpusOf = ({ hardware }: Pick<OperatorHost, 'hardware'>, vendors: readonly string[]): number =>
  (hardware?.gpus ?? []).filter(({ vendorId }) => vendors.includes(vendorId)).length;

/** Returns the number of GPUs and network cards whose `<vendor>:<device>` is listed. */
export function listedDevices(
  { hardware }: Pick<OperatorHost, 'hardware'>,
  gpus: readonly string[],
  nics: readonly string[],
): number {
  if (!hardware) return 0;
  return (
    hardware.gpus.filter(({ vendorId, deviceId }) => gpus.includes(`${vendorId}:${deviceId}`)).length +
    hardware.nics.filter(({ vendorId, productId }) => nics.includes(`${vendorId}:${productId}`)).length
  );
}

export const BYTES_PER_GB = 1_000_000_000;
const TYPES: ReadonlySet<string> = new Set(['HDD', 'SSD']);

/**
 * Returns the disks that a storage operator may use: HDD or SSD, without the installation disk, the installation media,
 * devices of 0 bytes, such as an empty card reader, and the disks that a RAID array, a volume group or a multipath device holds.
 */
export function extraDisks({ hardware, installationDiskId }: OperatorHost, minBytes = 0): readonly OperatorDisk[] {
  return (hardware?.disks ?? []).filter(
    (disk) =>
      TYPES.has(disk.driveType) &&
      !disk.isInstallationMedia &&
      (disk.id || `/dev/${disk.name}`) !== installationDiskId &&
      disk.holders === '' &&
      disk.sizeBytes > 0 &&
      disk.sizeBytes >= minBytes,
  );
}

/** Returns the extra disks that the Local Storage operator provides to others. It ignores removable disks, such as USB sticks. */
export const localDisks = (host: OperatorHost, minBytes = 0): readonly OperatorDisk[] =>
  extraDisks(host, minBytes).filter(({ removable }) => !removable);
