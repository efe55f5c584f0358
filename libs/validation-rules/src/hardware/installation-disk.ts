import { compareIps, parseCidrs, parseIp } from '@muster/addresses';
import { defaultRoutes } from '../facts/machine-networks';
import { isAtLeast } from '@muster/feature-support';
import { keptByObject } from '@muster/schema';
import type { Disk, Hardware } from './hardware';

const BYTES_PER_GB = 1_000_000_000;
const RAID_SINCE = '4.14';
const ISCSI_SINCE = '4.15';
const PLAIN_TYPES = ['HDD', 'SSD', 'Multipath'];
const ARCHITECTURE_TYPES: ReadonlyMap<string, readonly string[]> = new Map([
  ['x86_64', ['FC']],
  ['s390x', ['FC', 'ECKD', 'ECKD (ESE)', 'FBA']],
]);

/** Reasons of agents that an earlier service computed. They are computed from the facts here instead. */
const REPEATED_REASONS = [
  /^Disk is too small \(disk only has .*, but .* are required\)$/,
  /^Drive type is .*, it must be one of .*$/,
];

export interface DiskAssessment {
  readonly disk: Disk;
  /** Why it cannot be the installation disk. Empty when it can. */
  readonly reasons: readonly string[];
}

/** Returns the name of a disk in every API: its id, else its device path. */
export const diskIdOf = (disk: Disk): string => disk.id || `/dev/${disk.name}`;

export function allowedDriveTypes(cpuArchitecture: string, openshiftVersion: string): readonly string[] {
  return [
    ...PLAIN_TYPES,
    ...(isAtLeast(openshiftVersion, RAID_SINCE) ? ['RAID'] : []),
    ...(isAtLeast(openshiftVersion, ISCSI_SINCE) ? ['iSCSI'] : []),
    ...(ARCHITECTURE_TYPES.get(cpuArchitecture) ?? []),
  ];
}

/**
 * Returns each disk with the reasons against installing on it. `minDiskGb` is in decimal GB. With an unknown version,
 * neither RAID nor iSCSI is allowed.
 */
export function assessDisks(
  hardware: Hardware,
  openshiftVersion: string,
  minDiskGb: number,
): readonly DiskAssessment[] {
  const types = allowedDriveTypes(hardware.cpuArchitecture, openshiftVersion);
  const multipaths = new Set(
    hardware.disks.filter(({ driveType }) => driveType === 'Multipath').map(({ name }) => name),
  );
  const pathsOf = new Map<string, Disk[]>();
  for (const disk of hardware.disks) {
    for (const holder of holdersOf(disk)) {
      const paths = pathsOf.get(holder);
      if (paths) paths.push(disk);
      else pathsOf.set(holder, [disk]);
    }
  }
  return hardware.disks.map((disk) => ({
    disk,
    reasons: [
      ...disk.agentReasons.filter((reason) => !REPEATED_REASONS.some((pattern) => pattern.test(reason))),
      ...sizeReasons(disk, minDiskGb),
      ...(types.includes(disk.driveType) ? [] : [`Drive type ${disk.driveType} is not one of ${types.join(', ')}`]),
      ...memberReasons(disk, multipaths),
      ...(disk.driveType === 'Multipath' ? multipathReasons(pathsOf.get(disk.name) ?? [], types, hardware) : []),
      ...(disk.driveType === 'iSCSI' ? iscsiReasons(disk, hardware) : []),
    ],
  }));
}

/**
 * Returns the disks on which OpenShift may be installed, in the order of the inventory. Several rules, the choice of the disk and the
 * roles read them, so they are kept per inventory.
 */
export const eligibleDisks = keptByObject(
  (hardware: Hardware, openshiftVersion: string, minDiskGb: number): readonly Disk[] =>
    assessDisks(hardware, openshiftVersion, minDiskGb)
      .filter(({ reasons }) => reasons.length === 0)
      .map(({ disk }) => disk),
);

const holdersOf = (disk: Disk): readonly string[] => disk.holders.split(',').filter((name) => name !== '');

/** Returns the reason against a disk that depends on the role of its host. */
export function sizeReasons(disk: Pick<Disk, 'sizeBytes'>, minDiskGb: number): readonly string[] {
  if (disk.sizeBytes >= minDiskGb * BYTES_PER_GB) return [];
  const sizeGb = (disk.sizeBytes / BYTES_PER_GB).toFixed(1);
  return [`Disk has ${sizeGb} GB, ${minDiskGb} GB are required`];
}

function memberReasons(disk: Disk, multipaths: ReadonlySet<string>): readonly string[] {
  if (disk.driveType !== 'FC' && disk.driveType !== 'iSCSI') return [];
  const multipath = holdersOf(disk).find((holder) => multipaths.has(holder));
  return multipath ? [`Disk is a path of multipath device ${multipath}. Install on the multipath device`] : [];
}

function multipathReasons(paths: readonly Disk[], types: readonly string[], hardware: Hardware): readonly string[] {
  const kinds = new Set(paths.map(({ driveType }) => driveType));
  const [kind] = kinds;
  if (kinds.size !== 1 || (kind !== 'FC' && kind !== 'iSCSI'))
    return ['A multipath device requires at least one path, and all its paths must be FC or all iSCSI'];
  if (kind === 'FC') return [];
  if (!types.includes('iSCSI')) return [`Its paths are iSCSI, which requires OpenShift ${ISCSI_SINCE} or later`];
  return [...new Set(paths.flatMap((path) => iscsiReasons(path, hardware)))];
}

/** The network of an iSCSI root disk must not be the network of the default route. */
function iscsiReasons(disk: Disk, hardware: Hardware): readonly string[] {
  const address = parseIp(disk.iscsiHostIpAddress);
  if (!address) return ['The host address of the iSCSI session is missing'];
  const [route] = defaultRoutes(hardware, address.family);
  if (!route) return [];
  const nic = hardware.nics.find(({ name }) => name === route.interface);
  if (!nic) return [`Interface ${route.interface} of the default route is not in the inventory`];
  const own = parseCidrs(address.family === 4 ? nic.ipv4Addresses : nic.ipv6Addresses);
  const carriesDefaultRoute = own.some((cidr) => compareIps(cidr.address, address) === 0);
  return carriesDefaultRoute ? [`iSCSI session uses ${nic.name}, the interface of the default route`] : [];
}

/** Both are empty when no disk is eligible. */
export interface InstallationDisk {
  readonly diskId: string;
  readonly diskPath: string;
}

export const NO_INSTALLATION_DISK: InstallationDisk = { diskId: '', diskPath: '' };

const devicePath = (disk: Disk): string => disk.path || `/dev/${disk.name}`;
const toInstallationDisk = (disk: Disk): InstallationDisk => ({ diskId: diskIdOf(disk), diskPath: devicePath(disk) });

/** Returns true when `chosen` is the id, by-path name or device path of the disk. */
export function isDisk(disk: Disk, chosen: string): boolean {
  return (
    chosen !== '' && [diskIdOf(disk), disk.byPath, disk.byId, devicePath(disk), `/dev/${disk.name}`].includes(chosen)
  );
}

/**
 * Keeps a selected disk that is still eligible, else returns the best eligible one. The path identifies the selected disk only
 * when its id is empty, because after a reboot another disk can have that path.
 */
export function chooseInstallationDisk(current: InstallationDisk, eligible: readonly Disk[]): InstallationDisk {
  const kept = eligible.find((disk) => isDisk(disk, current.diskId || current.diskPath));
  const [best] = [...eligible].sort(byPreference);
  const disk = kept ?? best;
  return disk ? toInstallationDisk(disk) : NO_INSTALLATION_DISK;
}

/**
 * Orders by: bootable, then not NVMe, then HDD < SSD < iSCSI, then small, then HCTL. This order is stable and leaves
 * the fast disks for other use.
 */
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

/** Returns the ids of the disks that could boot an older system, so they are wiped before the installation. */
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
