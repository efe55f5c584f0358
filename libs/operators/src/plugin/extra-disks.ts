import type { OperatorDisk, OperatorHost } from './operator-facts';

export const BYTES_PER_GB = 1_000_000_000;
const TYPES: ReadonlySet<string> = new Set(['HDD', 'SSD']);

/** Disks that storage may live on: plain ones that nothing is installed on or from. */
export function extraDisks({ hardware, installationDiskId }: OperatorHost, minBytes = 0): readonly OperatorDisk[] {
  return (hardware?.disks ?? []).filter(
    (disk) =>
      TYPES.has(disk.driveType) &&
      !disk.isInstallationMedia &&
      (disk.id || `/dev/${disk.name}`) !== installationDiskId &&
      disk.sizeBytes >= minBytes,
  );
}
