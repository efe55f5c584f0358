import { parseCidrs } from '@muster/addresses';
import { compareIps, parseIp } from '@muster/addresses';
import { isAtLeast } from '../versions/openshift-version';
import { defaultRoutes } from '../networks/default-routes';
import type { Disk, Hardware } from './hardware';

const BYTES_PER_GB = 1_000_000_000;
const RAID_SINCE = '4.14';
const ISCSI_SINCE = '4.15';
const PLAIN_TYPES = ['HDD', 'SSD', 'Multipath'];
const ARCHITECTURE_TYPES: ReadonlyMap<string, readonly string[]> = new Map([
  ['x86_64', ['FC']],
  ['s390x', ['FC', 'ECKD', 'ECKD (ESE)', 'FBA']],
]);

/** Reasons that a service computed and an agent merely repeats; they are computed here from the facts. */
const REPEATED_REASONS = [
  /^Disk is too small \(disk only has .*, but .* are required\)$/,
  /^Drive type is .*, it must be one of .*$/,
];

export interface DiskAssessment {
  readonly disk: Disk;
  /** Why it cannot be the installation disk; empty when it can. */
  readonly reasons: readonly string[];
}

/** The name a disk goes by in every API: what the agent gave, else its device path. */
export const diskIdOf = (disk: Disk): string => disk.id || `/dev/${disk.name}`;

export function allowedDriveTypes(cpuArchitecture: string, openshiftVersion: string): readonly string[] {
  return [
    ...PLAIN_TYPES,
    ...(isAtLeast(openshiftVersion, RAID_SINCE) ? ['RAID'] : []),
    ...(isAtLeast(openshiftVersion, ISCSI_SINCE) ? ['iSCSI'] : []),
    ...(ARCHITECTURE_TYPES.get(cpuArchitecture) ?? []),
  ];
}

/** Each disk with the reasons against installing on it. `minDiskGb` in decimal GB; an unknown version allows neither RAID nor iSCSI. */
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
      if (!multipaths.has(holder)) continue;
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

/** The disks that OpenShift may be installed on, in the order of the inventory. */
export function eligibleDisks(hardware: Hardware, openshiftVersion: string, minDiskGb: number): readonly Disk[] {
  return assessDisks(hardware, openshiftVersion, minDiskGb)
    .filter(({ reasons }) => reasons.length === 0)
    .map(({ disk }) => disk);
}

const holdersOf = (disk: Disk): readonly string[] => disk.holders.split(',').filter((name) => name !== '');

/** The reason against a disk that depends on the role of its host. */
export function sizeReasons(disk: Pick<Disk, 'sizeBytes'>, minDiskGb: number): readonly string[] {
  if (disk.sizeBytes >= minDiskGb * BYTES_PER_GB) return [];
  const sizeGb = (disk.sizeBytes / BYTES_PER_GB).toFixed(1);
  return [`Disk has ${sizeGb} GB, ${minDiskGb} GB are needed`];
}

function memberReasons(disk: Disk, multipaths: ReadonlySet<string>): readonly string[] {
  if (disk.driveType !== 'FC' && disk.driveType !== 'iSCSI') return [];
  const multipath = holdersOf(disk).find((holder) => multipaths.has(holder));
  return multipath ? [`Disk is a path of multipath device ${multipath}: install on that`] : [];
}

function multipathReasons(paths: readonly Disk[], types: readonly string[], hardware: Hardware): readonly string[] {
  const kinds = new Set(paths.map(({ driveType }) => driveType));
  const [kind] = kinds;
  if (kinds.size !== 1 || (kind !== 'FC' && kind !== 'iSCSI'))
    return ['A multipath device needs at least one path, and all of them FC or all iSCSI'];
  if (kind === 'FC') return [];
  if (!types.includes('iSCSI')) return [`Its paths are iSCSI, which needs OpenShift ${ISCSI_SINCE} or later`];
  return [...new Set(paths.flatMap((path) => iscsiReasons(path, hardware)))];
}

/** The network that carries the root disk must not be the one that carries the default route. */
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
