import { diskIdOf } from './disk-eligibility';
import type { Disk } from './hardware';

/** Both empty when there is no disk to install on. */
export interface InstallationDisk {
  readonly diskId: string;
  readonly diskPath: string;
}

export const NO_INSTALLATION_DISK: InstallationDisk = { diskId: '', diskPath: '' };

const devicePath = (disk: Disk): string => disk.path || `/dev/${disk.name}`;
const toInstallationDisk = (disk: Disk): InstallationDisk => ({ diskId: diskIdOf(disk), diskPath: devicePath(disk) });

/** True when `chosen` names the disk by id, by-path name or device path. */
export function isDisk(disk: Disk, chosen: string): boolean {
  return (
    chosen !== '' && [diskIdOf(disk), disk.byPath, disk.byId, devicePath(disk), `/dev/${disk.name}`].includes(chosen)
  );
}

/** Keeps a chosen disk that is still eligible, else takes the best of the eligible ones. */
export function chooseInstallationDisk(current: InstallationDisk, eligible: readonly Disk[]): InstallationDisk {
  const kept = eligible.find((disk) => isDisk(disk, current.diskId) || isDisk(disk, current.diskPath));
  const [best] = [...eligible].sort(byPreference);
  const disk = kept ?? best;
  return disk ? toInstallationDisk(disk) : NO_INSTALLATION_DISK;
}

/** Bootable, then not NVMe, then HDD < SSD < iSCSI, then small, then in order of HCTL: a stable choice that spares the fast disks. */
function byPreference(first: Disk, second: Disk): number {
  return (
    Number(second.bootable) - Number(first.bootable) ||
    Number(isNvme(first)) - Number(isNvme(second)) ||
    compareText(first.driveType, second.driveType) ||
    first.sizeBytes - second.sizeBytes ||
    compareText(first.hctl, second.hctl)
  );
}

const isNvme = (disk: Disk): boolean => disk.name.startsWith('nvme');
const compareText = (first: string, second: string): number => (first < second ? -1 : first > second ? 1 : 0);

const NEVER_FORMATTED = ['FC', 'iSCSI', 'LVM', 'Multipath'];

/** Ids of the disks that could boot an older system instead of the new one, so they are wiped before installing. */
export function disksToFormat(disks: readonly Disk[]): readonly string[] {
  return disks
    .filter(
      (disk) =>
        disk.bootable &&
        !disk.removable &&
        !disk.isInstallationMedia &&
        !disk.byPath.includes('mmcblk') &&
        !NEVER_FORMATTED.includes(disk.driveType),
    )
    .map(diskIdOf);
}
