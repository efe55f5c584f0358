import { errorMessage, createJsonReader } from '@muster/schema';
import { Type } from '@sinclair/typebox';
import { execute, type Host } from '../host.port';
import { type Installation, note } from '../installation';

const BOOTLIST = '/usr/sbin/bootlist';
const EFI_PARTITION = 2;
const EFI_MOUNT = '/mnt';
const EFI_FOLDERS = ['redhat', 'centos'];
const BOOT_LABEL = 'Red Hat Enterprise Linux';
const SHIMS = new Map([
  ['aarch64', 'shimaa64.efi'],
  ['arm64', 'shimaa64.efi'],
]);

/**
 * Makes the firmware boot from the installed disk next. A failure is logged, because the firmware may find the disk
 * anyway.
 */
export async function setBootOrder(installation: Installation, signal: AbortSignal): Promise<void> {
  const { host, device } = installation;
  try {
    if (await host.exists(BOOTLIST)) await execute(host, ['bootlist', '-m', 'normal', '-o', device], signal);
    else if (await host.exists('/sys/firmware/efi')) await setEfiBootOrder(installation, signal);
  } catch (error) {
    note(installation, `The boot order was not set: ${errorMessage(error)}`);
  }
}

async function setEfiBootOrder({ host, device }: Installation, signal: AbortSignal): Promise<void> {
  const partition = await partitionOf(host, device, EFI_PARTITION, signal);
  const folder = await findEfiFolder(host, partition, signal);
  const machine = (await execute(host, ['uname', '-m'], signal)).trim();
  const loader = `\\EFI\\${folder}\\${SHIMS.get(machine) ?? 'shimx64.efi'}`;
  const lines: string[] = [];
  await execute(
    host,
    ['efibootmgr', '-v', '-d', device, '-p', String(EFI_PARTITION), '-c', '-L', BOOT_LABEL, '-l', loader],
    signal,
    { onLine: (line) => lines.push(line) },
  );
  // A previous installation may have left entries with the same name. efibootmgr writes the warnings to stderr.
  for (const [, number = ''] of lines.join('\n').matchAll(/Boot([0-9A-Fa-f]{4}) has same label/g))
    await execute(host, ['efibootmgr', '-b', number, '-B'], signal);
}

const BLOCK_DEVICE = Type.Recursive((device) =>
  Type.Object({
    name: Type.String(),
    type: Type.Optional(Type.String()),
    children: Type.Optional(Type.Array(device)),
  }),
);
const readBlockDevices = createJsonReader(Type.Object({ blockdevices: Type.Array(BLOCK_DEVICE) }), {
  name: 'the output of lsblk',
  nullIsAbsent: true,
});

/** Returns the path of a partition. On a multipath disk it is a mapped device. A disk may lack lower numbers. */
export async function partitionOf(host: Host, device: string, number: number, signal: AbortSignal): Promise<string> {
  const text = await execute(host, ['lsblk', '--bytes', '--json', device], signal);
  const [disk] = readBlockDevices(text).blockdevices;
  const mapped = disk?.type === 'mpath' ? disk : disk?.children?.find(({ type }) => type === 'mpath');
  const parent = mapped ?? disk;
  const names = ['', 'p', '-part'].map((infix) => `${parent?.name}${infix}${number}`);
  const partition = parent?.children?.find(({ name }) => names.includes(name));
  if (!partition) throw new Error(`The disk ${device} has no partition ${number}.`);
  return mapped ? `/dev/mapper/${partition.name}` : `/dev/${partition.name}`;
}

async function findEfiFolder(host: Host, partition: string, signal: AbortSignal): Promise<string> {
  await execute(host, ['mount', partition, EFI_MOUNT], signal);
  try {
    for (const folder of EFI_FOLDERS) if (await host.exists(`${EFI_MOUNT}/EFI/${folder}`)) return folder;
    throw new Error(`The partition ${partition} has none of the folders EFI/${EFI_FOLDERS.join(', EFI/')}.`);
  } finally {
    await execute(host, ['umount', EFI_MOUNT], signal);
  }
}
