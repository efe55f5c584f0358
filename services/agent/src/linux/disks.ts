import { basename } from 'node:path';
import { isPartOf } from '@muster/host-api';
import type { Disk } from '../machine/inventory';
import { type MachineFiles, type Mount, readMounts } from './machine-files';

const SECTOR_BYTES = 512;
const BOOT_SIGNATURE_OFFSET = 510;
const BOOT_SIGNATURE = 0xaa55;

export async function readDisks(files: MachineFiles): Promise<readonly Disk[]> {
  const appliance = applianceOf(files);
  if (appliance) return [appliance];
  const mounts = readMounts(files);
  const names = {
    byPath: linksIn(files, '/dev/disk/by-path', () => true),
    byId: linksIn(files, '/dev/disk/by-id', (link) => /^(wwn-|nvme-eui)/.test(link)),
  };
  const reported = files.list('/sys/block').filter((name) => isReported(files, name));
  const disks = new Map<string, Disk>();
  const queue = [...reported];
  const work = async (): Promise<void> => {
    for (let name = queue.shift(); name !== undefined; name = queue.shift())
      disks.set(name, await readDisk(files, mounts, names, name));
  };
  await Promise.all(Array.from({ length: PARALLEL_MAX }, work));
  return reported.flatMap((name) => disks.get(name) ?? []);
}

/** A program reads each disk, and a storage network has hundreds. Those that do not answer hold up the others. */
const PARALLEL_MAX = 64;

const APPLIANCE_BYTES = 100 * 1024 ** 3;

/** A machine that boots the appliance installs from a mapped disk. Only this disk is reported, with a fixed size. */
function applianceOf(files: MachineFiles): Disk | undefined {
  // A volume group of the user can have such a name too.
  const isOwn = (name: string): boolean =>
    name.startsWith('dm-') &&
    files.text(`/sys/block/${name}/dm/name`)?.startsWith('agent') === true &&
    mapperKind(files, name) !== 'LVM';
  const device = files.list('/sys/block').find(isOwn);
  if (device === undefined) return undefined;
  const path = `/dev/${device}`;
  return {
    drive_type: 'SSD',
    id: path,
    installation_eligibility: { eligible: true, not_eligible_reasons: [] },
    name: device,
    path,
    size_bytes: APPLIANCE_BYTES,
  };
}

function isReported(files: MachineFiles, name: string): boolean {
  if (files.text(`/sys/block/${name}/hidden`) === '1' || /^(loop|zram)/.test(name)) return false;
  return !name.startsWith('dm-') || mapperKind(files, name) !== undefined;
}

const mapperKind = (files: MachineFiles, name: string): 'Multipath' | 'LVM' | undefined => {
  const uuid = files.text(`/sys/block/${name}/dm/uuid`) ?? '';
  return uuid.startsWith('mpath-') ? 'Multipath' : uuid.startsWith('LVM-') ? 'LVM' : undefined;
};

const KNOWN_CONTROLLERS = /^(sd|hd|vd|xvd|nvme|mmcblk|dasd|md|sr|fd)/;

/** Other devices are persistent memory, raw flash, or disks of other machines. */
const hasKnownController = (files: MachineFiles, name: string): boolean =>
  KNOWN_CONTROLLERS.test(name) || mapperKind(files, name) !== undefined;

/** Paths of the links that persist after a restart, by the name of their device. */
interface PersistentNames {
  readonly byPath: ReadonlyMap<string, string>;
  readonly byId: ReadonlyMap<string, string>;
}

async function readDisk(
  files: MachineFiles,
  mounts: readonly Mount[],
  names: PersistentNames,
  name: string,
): Promise<Disk> {
  const block = `/sys/block/${name}`;
  const udev = readUdev(files, name);
  const byPath = names.byPath.get(name);
  const byId = names.byId.get(name);
  const path = files.exists(`/dev/${name}`) ? `/dev/${name}` : (byPath ?? `/dev/${name}`);
  const driveType = driveTypeOf(files, name, byPath ?? '');
  // The appliance is installed on the disk from which it runs.
  const used = isOfAppliance(files, name) ? [] : mountsOf(files, mounts, name);
  const isMedia = driveType === 'ODD' || used.some(({ target }) => target.endsWith('iso'));
  const reasons = isMedia
    ? ['Disk holds the medium that the machine runs from']
    : [
        ...(hasKnownController(files, name) ? [] : ['Disk has an unknown storage controller']),
        ...reasonsAgainst(used, driveType),
        ...(driveType === 'iSCSI' ? reasonsAgainstIscsi(files, name) : []),
      ];
  const known = (text: string | undefined): string | undefined => (text === 'unknown' ? undefined : text);
  return {
    bootable: await isBootable(files, name),
    by_id: byId,
    by_path: byPath,
    drive_type: driveType,
    has_uuid: (files.bytes(`${block}/device/vpd_pg83`)?.length ?? 0) > 0,
    hctl: files.list(`${block}/device/scsi_device`)[0],
    holders: holdersOf(files, name).join(','),
    id: byId ?? byPath ?? path,
    installation_eligibility: { eligible: reasons.length === 0, not_eligible_reasons: reasons },
    is_installation_media: isMedia,
    ...(driveType === 'iSCSI' && { iscsi: { host_ip_address: iscsiAddress(files, name) } }),
    // The kernel cuts the model of a SATA disk to 16 characters.
    model: known(udev.get('ID_MODEL') ?? files.text(`${block}/device/model`)),
    name,
    path,
    removable: files.text(`${block}/removable`) === '1',
    serial: known(
      udev.get('ID_SERIAL_SHORT') ??
        udev.get('ID_SERIAL') ??
        files.text(`${block}/device/serial`) ??
        files.text(`${block}/serial`),
    ),
    size_bytes: Number(files.text(`${block}/size`) ?? 0) * SECTOR_BYTES,
    vendor: known(files.text(`${block}/device/vendor`)),
    wwn:
      udev.get('ID_WWN_WITH_EXTENSION') ??
      udev.get('ID_WWN') ??
      (byId && /\/wwn-/.test(byId) ? basename(byId).slice('wwn-'.length) : undefined),
  };
}

/** Returns the udev properties of the disk, by its device number. */
function readUdev(files: MachineFiles, name: string): ReadonlyMap<string, string> {
  const text = files.text(`/run/udev/data/b${files.text(`/sys/block/${name}/dev`)}`) ?? '';
  return new Map([...text.matchAll(/^E:([A-Z0-9_]+)=(.*)$/gm)].map(([, key = '', value = '']) => [key, value]));
}

/** Returns the path of the first wanted link to each device, by the name of the device. */
function linksIn(
  files: MachineFiles,
  folder: string,
  isWanted: (link: string) => boolean,
): ReadonlyMap<string, string> {
  const paths = new Map<string, string>();
  for (const link of files.list(folder).filter(isWanted)) {
    const target = files.link(`${folder}/${link}`);
    const name = target && basename(target);
    if (name && !paths.has(name)) paths.set(name, `${folder}/${link}`);
  }
  return paths;
}

function driveTypeOf(files: MachineFiles, name: string, byPath: string): string {
  if (name.startsWith('dasd')) return dasdTypeOf(files, name);
  if (byPath.includes('-iscsi-')) return 'iSCSI';
  if (byPath.includes('-fc-') || byPath.startsWith('/dev/disk/by-path/fc-')) return 'FC';
  const mapper = mapperKind(files, name);
  if (mapper) return mapper;
  if (name.startsWith('md')) return 'RAID';
  if (name.startsWith('fd')) return 'FDD';
  if (name.startsWith('sr')) return 'ODD';
  const rotational = files.text(`/sys/block/${name}/queue/rotational`);
  return rotational === '1' ? 'HDD' : rotational === '0' ? 'SSD' : 'Unknown';
}

/** Type of a direct access storage device of s390x. ESE volumes are thin-provisioned. */
function dasdTypeOf(files: MachineFiles, name: string): string {
  const device = `/sys/block/${name}/device`;
  const discipline = files.text(`${device}/discipline`) ?? 'Unknown';
  return discipline === 'ECKD' && files.text(`${device}/ese`) === '1' ? 'ECKD (ESE)' : discipline;
}

interface IscsiSession {
  readonly host: string;
  readonly session: string;
}

/** The path of the disk in /sys/devices contains the host adapter and the session. */
function iscsiSessionOf(files: MachineFiles, name: string): IscsiSession | undefined {
  const [, host, session] = /\/(host\d+)\/(session\d+)\//.exec(files.resolved(`/sys/block/${name}`) ?? '') ?? [];
  return host && session ? { host, session } : undefined;
}

function iscsiAddress(files: MachineFiles, name: string): string | undefined {
  const found = iscsiSessionOf(files, name);
  return found && files.text(`/sys/class/iscsi_host/${found.host}/ipaddress`);
}

/** The firmware must have the target in its iBFT, because the installed system boots from it. */
function reasonsAgainstIscsi(files: MachineFiles, name: string): readonly string[] {
  const state = files.text(`/sys/block/${name}/device/state`) ?? 'unknown';
  if (state !== 'running') return [`iSCSI disk is ${state}, it must be running`];
  const session = iscsiSessionOf(files, name)?.session;
  const target = session && files.text(`/sys/class/iscsi_session/${session}/targetname`);
  if (!target) return ['Cannot find iSCSI target name'];
  if (!files.exists('/sys/firmware/ibft')) return ['iBFT firmware is missing'];
  const known = files
    .list('/sys/firmware/ibft')
    .filter((entry) => entry.startsWith('target'))
    .map((entry) => files.text(`/sys/firmware/ibft/${entry}/target-name`));
  return known.includes(target) ? [] : [`iSCSI target ${target} is missing in the iBFT`];
}

/** Names of the partitions of the disk. */
const partitionsOf = (files: MachineFiles, name: string): readonly string[] =>
  files.list(`/sys/block/${name}`).filter((entry) => entry !== name && isPartOf(entry, `/dev/${name}`));

/** Whether a partition of the disk has the name of one of the appliance: agentboot, agentdata. */
const isOfAppliance = (files: MachineFiles, name: string): boolean =>
  partitionsOf(files, name).some((entry) =>
    readUdev(files, `${name}/${entry}`).get('ID_PART_ENTRY_NAME')?.startsWith('agent'),
  );

/** Devices that the disk or one of its partitions belongs to. A physical volume of LVM is often a partition. */
const holdersOf = (files: MachineFiles, name: string): readonly string[] => {
  const parts = [name, ...partitionsOf(files, name).map((entry) => `${name}/${entry}`)];
  return [...new Set(parts.flatMap((part) => files.list(`/sys/block/${part}/holders`)))];
};

/** The disk, and all devices that are made from it: volumes of LVM, encrypted partitions, RAIDs, multipath disks. */
function devicesOf(files: MachineFiles, name: string): readonly string[] {
  const found = new Set([name]);
  // A set that grows is iterated to its end.
  for (const device of found) for (const holder of holdersOf(files, device)) found.add(holder);
  return [...found];
}

/** Mounts of the disk itself, of its partitions and of the devices made from it: sda, sda1, nvme0n1p2, mapper/rhel-root. */
function mountsOf(files: MachineFiles, mounts: readonly Mount[], name: string): readonly Mount[] {
  const devices = devicesOf(files, name);
  const mapped = new Set(devices.flatMap((device) => mapperPathOf(files, device) ?? []));
  return mounts.filter(
    ({ source }) =>
      mapped.has(source) || (source.startsWith('/') && devices.some((one) => isPartOf(source, `/dev/${one}`))),
  );
}

/** A mount has this path of a mapped device. */
function mapperPathOf(files: MachineFiles, device: string): string | undefined {
  const name = device.startsWith('dm-') ? files.text(`/sys/block/${device}/dm/name`) : undefined;
  return name && `/dev/mapper/${name}`;
}

function reasonsAgainst(used: readonly Mount[], driveType: string): readonly string[] {
  return [
    ...(driveType === 'LVM' ? ['Disk is a logical volume of LVM'] : []),
    ...used.map(({ source, target }) => `Disk is in use: ${source} is mounted at ${target}`),
  ];
}

async function isBootable(files: MachineFiles, name: string): Promise<boolean> {
  const sector = await files.firstBytes(`/dev/${name}`, SECTOR_BYTES);
  return sector?.readUInt16LE(BOOT_SIGNATURE_OFFSET) === BOOT_SIGNATURE;
}
