import { isPartOf } from '@muster/host-api';
import { createJsonReader } from '@muster/schema';
import { Type } from '@sinclair/typebox';
import { execute, type Host, withRetry } from '../host.port';
import { createProgressReports, type Installation, note, reportStage } from '../installation';
import { proxyEnvironment } from '../settings';

const BLOCK_DEVICE = Type.Recursive((device) =>
  Type.Object({
    name: Type.String(),
    kname: Type.Optional(Type.String()),
    type: Type.Optional(Type.String()),
    /** In bytes. Older versions of lsblk write a text. */
    size: Type.Optional(Type.Union([Type.Number(), Type.String()])),
    children: Type.Optional(Type.Array(device)),
  }),
);
const readBlockDevices = createJsonReader(Type.Object({ blockdevices: Type.Array(BLOCK_DEVICE) }), {
  name: 'the output of lsblk',
  nullIsAbsent: true,
});

/** The programs that read and clean disks end in seconds, except when a disk does not answer. */
export const DISK_PROGRAM = { timeoutMs: 2 * 60_000 };

/** Returns the disk as lsblk shows it. `mapped`: the multipath disk that it is, or to which it is a path. */
async function readDisk(host: Host, device: string, signal: AbortSignal) {
  const command = ['lsblk', '--json', '--bytes', '--output', 'NAME,KNAME,TYPE,SIZE', device];
  const text = await execute(host, command, signal, DISK_PROGRAM);
  const [disk] = readBlockDevices(text).blockdevices;
  return { disk, mapped: disk?.type === 'mpath' ? disk : disk?.children?.find(({ type }) => type === 'mpath') };
}

/** `freeBytes`: size of the disk without all its partitions. */
interface Partition {
  readonly path: string;
  readonly bytes: number;
  readonly diskBytes: number;
  readonly freeBytes: number;
}

/** Returns a partition. On a multipath disk it is a mapped device. A disk may lack lower numbers. */
export async function partitionOf(host: Host, device: string, number: number, signal: AbortSignal): Promise<Partition> {
  const { disk, mapped } = await readDisk(host, device, signal);
  const parent = mapped ?? disk;
  const names = ['', 'p', '-part'].map((infix) => `${parent?.name}${infix}${number}`);
  const partitions = parent?.children ?? [];
  const partition = partitions.find(({ name }) => names.includes(name));
  if (!partition) throw new Error(`The disk ${device} has no partition ${number}.`);
  const diskBytes = Number(parent?.size);
  return {
    path: mapped ? `/dev/mapper/${partition.name}` : `/dev/${partition.name}`,
    bytes: Number(partition.size),
    diskBytes,
    freeBytes: partitions.reduce((free, { size }) => free - Number(size), diskBytes),
  };
}

/** Overwrites the first sector of disks from which the host must not boot. A failure is logged. */
export async function formatDisks(installation: Installation, signal: AbortSignal): Promise<void> {
  for (const disk of installation.settings.formatDisks) {
    // A disk that is missing must not become a file in /dev.
    const command = ['dd', 'if=/dev/zero', `of=${disk}`, 'bs=512', 'count=1', 'conv=nocreat'];
    await execute(installation.host, command, signal, DISK_PROGRAM).catch((error: Error) =>
      note(installation, `The disk ${disk} could not be formatted: ${error.message}`),
    );
  }
}

/** coreos-installer finds busy partitions only by the kernel name of a disk. */
export async function resolveDevice(installation: Installation, signal: AbortSignal): Promise<void> {
  const { bootDevice } = installation.settings;
  const resolved = (await execute(installation.host, ['readlink', '-f', bootDevice], signal)).trim();
  if (!resolved.startsWith('/dev/') || !(await installation.host.exists(resolved)))
    throw new Error(`The boot device ${bootDevice} does not exist on this host. Check the installation disk.`);
  installation.device = resolved;
}

/**
 * Removes volume groups, physical volumes, mapped devices, RAID members and signatures from the disk. A failure is
 * reported with the stage and does not end the installation: coreos-installer determines whether it can write.
 */
export async function cleanDisk(installation: Installation, signal: AbortSignal): Promise<void> {
  const { device, host } = installation;
  const failures = new Set<string>();
  const attempt: Attempt = async (...command) => {
    if (signal.aborted) return '';
    return execute(host, command, signal, DISK_PROGRAM).catch((error: Error) => {
      failures.add(error.message);
      return '';
    });
  };
  const mapped: readonly string[] = await mappedNames(host, device, signal).catch((error: Error) => {
    failures.add(error.message);
    return [];
  });
  const isOnDisk: IsOn = (name) => isPartOf(name, device) || mapped.includes(name.replace(/^\/dev\/(mapper\/)?/, ''));
  await removeVolumes(attempt, isOnDisk);
  await removeMappedDevices(attempt, isOnDisk);
  await stopRaids(attempt, isOnDisk);
  const wipe = ['wipefs', '--all', '--force', device];
  await execute(host, wipe, signal, DISK_PROGRAM).catch(() => attempt('wipefs', '--all', device));
  if (failures.size === 0 || signal.aborted) return;
  const text = `Could not clean install device ${device}. The installation will continue. If the installation fails, clean the disk and try again: ${[...failures].join('; ')}`;
  note(installation, text);
  await reportStage(installation, 'Starting installation', text, signal);
}

/** Runs a command and returns its stdout. When it fails, the failure is kept for the report, and the text is empty. */
type Attempt = (...command: readonly string[]) => Promise<string>;

/** Whether a device is a disk or one of its partitions. `name`: path in /dev, or the name of a device. */
type IsOn = (name: string) => boolean;

/** Returns the names of a multipath disk and of its partitions. LVM does not call them by the path of the disk. */
async function mappedNames(host: Host, device: string, signal: AbortSignal): Promise<readonly string[]> {
  const { disk } = await readDisk(host, device, signal);
  if (disk?.type !== 'mpath') return [];
  const partitions = disk.children?.filter(({ type }) => type === 'part') ?? [];
  return [disk, ...partitions].flatMap(({ name, kname }) => [name, ...(kname ? [kname] : [])]);
}

async function removeVolumes(attempt: Attempt, isOn: IsOn): Promise<void> {
  const groups = await attempt('vgs', '--noheadings', '-o', 'vg_name,pv_name');
  const names = new Set(rowsOf(groups).flatMap(([group = '', volume = '']) => (isOn(volume) ? group : [])));
  for (const name of names) await attempt('vgremove', name, '-y');
  const volumes = await attempt('pvs', '--noheadings', '-o', 'pv_name');
  for (const [volume = ''] of rowsOf(volumes)) if (isOn(volume)) await attempt('pvremove', volume, '-y', '-ff');
}

async function removeMappedDevices(attempt: Attempt, isOn: IsOn): Promise<void> {
  const listed = await attempt('dmsetup', 'ls');
  if (/^No devices found/m.test(listed)) return;
  for (const [name = ''] of rowsOf(listed)) {
    // The partitions of a multipath disk are mapped devices, which coreos-installer updates.
    if (isOn(name)) continue;
    const below = await attempt('dmsetup', 'deps', '-o', 'devname', name);
    const members = [...below.matchAll(/\(([^)]+)\)/g)].map(([, member = '']) => member);
    if (members.some(isOn)) await attempt('dmsetup', 'remove', '--retry', name);
  }
}

async function stopRaids(attempt: Attempt, isOn: IsOn): Promise<void> {
  const listed = await attempt('mdadm', '-v', '--query', '--detail', '--scan');
  // Each array has a line "ARRAY /dev/md0 …", followed by an indented line "devices=/dev/sda1,/dev/sdb1". The line of an array that did not
  // start because it lacks members begins with "INACTIVE-ARRAY". It holds its members too.
  const arrays = [...listed.matchAll(/^(?:INACTIVE-)?ARRAY (\S+)[^\n]*(?:\n\s+devices=(\S+))?/gm)].flatMap(
    ([, link = '', members = '']) => {
      const own = members.split(',').filter(isOn);
      return own.length > 0 ? [{ link, own }] : [];
    },
  );
  // A container of the firmware is listed before the arrays in it, and stops only after them.
  for (const { link } of [...arrays].reverse()) {
    // A named array is listed as /dev/md/<name>. LVM and the device mapper know only its kernel name.
    const array = (await attempt('readlink', '-f', link)).trim() || link;
    const isOnArray: IsOn = (name) => isPartOf(name, array);
    await removeVolumes(attempt, isOnArray);
    await removeMappedDevices(attempt, isOnArray);
    await attempt('mdadm', '--stop', array);
  }
  for (const member of new Set(arrays.flatMap(({ own }) => own))) await attempt('mdadm', '--zero-superblock', member);
}

const rowsOf = (output: string): readonly (readonly string[])[] =>
  output
    .split('\n')
    .map((line) => line.trim().split(/\s+/))
    .filter(([first]) => first !== undefined && first !== '');

const TRIES = 3;
const RETRY_MS = 1_000;
/** Progress is reported in steps of this percentage. */
const PROGRESS_STEP_PERCENT = 5;
const SILENCE_MS = 5 * 60_000;
const PROGRESS = /\((\d+)(?:\.\d+)?%\)/;

/** Writes the operating system and the Ignition config with coreos-installer, and reports its progress. */
export async function writeDisk(installation: Installation, signal: AbortSignal): Promise<void> {
  await reportStage(installation, 'Writing image to disk', '', signal);
  const { sleep } = installation.timer;
  await withRetry(
    () => runCoreosInstaller(installation, signal),
    { tries: TRIES, intervalMs: RETRY_MS, sleep },
    signal,
  );
}

async function runCoreosInstaller(installation: Installation, signal: AbortSignal): Promise<void> {
  const { host, settings, ignitionPath, device } = installation;
  const command = ['coreos-installer', 'install', '--insecure', '-i', ignitionPath, ...settings.installerArgs, device];
  let reported = 0;
  let lines = 0;
  const reports = createProgressReports(installation, 'Writing image to disk', signal);
  const done = new AbortController();
  void reportSilence(installation, () => lines, AbortSignal.any([signal, done.signal]));
  await execute(host, command, signal, {
    environment: proxyEnvironment(settings),
    onLine: (line) => {
      lines += 1;
      const percent = percentOf(line);
      if (percent === undefined || (percent < reported + PROGRESS_STEP_PERCENT && percent !== 100)) return;
      if (percent === reported) return;
      reported = percent;
      reports.add(percent);
    },
  }).finally(() => (done.abort(), reports.end()));
}

/** coreos-installer does not end when its source never answers, so the stage reports the silence. */
async function reportSilence(installation: Installation, linesNow: () => number, signal: AbortSignal): Promise<void> {
  const text = `coreos-installer has printed nothing for ${SILENCE_MS / 60_000} minutes. Check the source of the image and the disk.`;
  for (let lines = linesNow(); !signal.aborted; lines = linesNow()) {
    await installation.timer.sleep(SILENCE_MS, signal);
    if (signal.aborted || linesNow() !== lines) continue;
    await reportStage(installation, 'Writing image to disk', text, signal).catch(() => undefined);
  }
}

/** Parses lines such as `Read disk 53.8 MiB/1.1 GiB (4%)`. */
export function percentOf(line: string): number | undefined {
  const percent = PROGRESS.exec(line)?.[1];
  return percent === undefined ? undefined : Number(percent);
}
