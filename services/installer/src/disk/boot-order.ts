import { errorMessage } from '@muster/schema';
import { execute } from '../host.port';
import { type Installation, note } from '../installation';
import { DISK_PROGRAM, partitionOf } from './write-disk';

const BOOTLIST = '/usr/sbin/bootlist';
const EFI_PARTITION = 2;
const EFI_MOUNT = '/mnt';
const EFI_FOLDERS = ['redhat', 'centos', 'fedora'];
const BOOT_LABEL = 'Red Hat Enterprise Linux';
const SHIMS = new Map([
  ['aarch64', 'shimaa64.efi'],
  ['arm64', 'shimaa64.efi'],
]);

/**
 * Makes the firmware boot from the installed disk next. A failure is logged, also when the firmware or the disk does not answer, because
 * the firmware may find the disk anyway.
 */
export async function setBootOrder(installation: Installation, signal: AbortSignal): Promise<void> {
  const { host, device } = installation;
  try {
    if (await host.exists(BOOTLIST))
      await execute(host, ['bootlist', '-m', 'normal', '-o', device], signal, DISK_PROGRAM);
    else if (await host.exists('/sys/firmware/efi')) await setEfiBootOrder(installation, signal);
  } catch (error) {
    note(installation, `The boot order was not set: ${errorMessage(error)}`);
  }
}

async function setEfiBootOrder(installation: Installation, signal: AbortSignal): Promise<void> {
  const { device, host } = installation;
  const { path } = await partitionOf(host, device, EFI_PARTITION, signal);
  const folder = await findEfiFolder(installation, path, signal);
  const machine = (await execute(host, ['uname', '-m'], signal)).trim();
  const loader = `\\EFI\\${folder}\\${SHIMS.get(machine) ?? 'shimx64.efi'}`;
  const lines: string[] = [];
  await execute(
    host,
    ['efibootmgr', '-v', '-d', device, '-p', String(EFI_PARTITION), '-c', '-L', BOOT_LABEL, '-l', loader],
    signal,
    { ...DISK_PROGRAM, onLine: (line) => lines.push(line) },
  );
  // A previous installation may have left entries with the same name. efibootmgr writes the warnings to stderr.
  for (const [, number = ''] of lines.join('\n').matchAll(/Boot([0-9A-Fa-f]{4}) has same label/g))
    await execute(host, ['efibootmgr', '-b', number, '-B'], signal, DISK_PROGRAM);
}

async function findEfiFolder(installation: Installation, partition: string, signal: AbortSignal): Promise<string> {
  const { host } = installation;
  await execute(host, ['mount', partition, EFI_MOUNT], signal, DISK_PROGRAM);
  try {
    for (const folder of EFI_FOLDERS) if (await host.exists(`${EFI_MOUNT}/EFI/${folder}`)) return folder;
    throw new Error(`The partition ${partition} has none of the folders EFI/${EFI_FOLDERS.join(', EFI/')}.`);
  } finally {
    // The firmware entry does not need it, and a failure would replace the reason of the block above.
    await execute(host, ['umount', EFI_MOUNT], signal, DISK_PROGRAM).catch((error: unknown) =>
      note(installation, `The EFI partition was not unmounted: ${errorMessage(error)}`),
    );
  }
}
