/**
 * Makes the image that coreos-installer writes: the partitions of CoreOS (BIOS-BOOT, EFI-SYSTEM, boot, root) with GRUB for BIOS and
 * UEFI. Its root file system is the one of the live image, below a writable layer.
 */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  openSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
  writeSync,
} from 'node:fs';
import { createReadStream, createWriteStream } from 'node:fs';
import { join } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { createGzip } from 'node:zlib';

const GRUB_BIOS = '/usr/lib/grub/i386-pc';
const GRUB_EFI = '/usr/lib/grub/x86_64-efi/monolithic/grubx64.efi';
const SECTOR = 512;
const MIB = 2 ** 20;
/** Space for changes of the installed system. */
const SPACE_MIB = 320;
const EFI_MIB = 16;
const BOOT_MIB = 96;

export const DISK_NEEDED = [
  ['grub-pc-bin', join(GRUB_BIOS, 'boot.img')],
  ['grub-efi-amd64-bin', GRUB_EFI],
  ['grub-common', '/usr/bin/grub-mkimage'],
  ['fdisk', '/usr/sbin/sfdisk'],
  ['e2fsprogs', '/usr/sbin/mkfs.ext4'],
];

/** As CoreOS: the file ignition.firstboot, which the first boot removes, makes Ignition run. */
const MENU = `set timeout=0
search --label --set=root boot
if [ -f /ignition.firstboot ]; then
  set ignition_firstboot='ignition.firstboot'
  source /ignition.firstboot
fi
menuentry 'Installed by coreos-installer' {
  linux /vmlinuz root=LABEL=root rw console=ttyS0 console=tty0 printk.devkmsg=on no_timer_check ignition.platform.id=metal $ignition_firstboot $ignition_network_kcmdline
  initrd /initrd.img
}
`;
const ENTRY = `title Muster test system
version 1
options root=LABEL=root rw ignition.platform.id=metal $ignition_firstboot
linux /vmlinuz
initrd /initrd.img
`;

/** Writes \`disk.img.gz\` from the kernel, ramdisk and root file system in \`parts\`. */
export async function makeDiskImage({ vmlinuz, initrd, rootfs }, target) {
  const folder = `${target}.parts`;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const rootMib = Math.ceil(statSync(rootfs).size / MIB) + SPACE_MIB;
  const image = join(folder, 'disk.img');
  const layout = [
    ['BIOS-BOOT', 1, '21686148-6449-6E6F-744E-656564454649'],
    ['EFI-SYSTEM', EFI_MIB, 'C12A7328-F81F-11D2-BA4B-00A0C93EC93B'],
    ['boot', BOOT_MIB, '0FC63DAF-8483-4772-8E79-3D69D8477DE4'],
    ['root', rootMib, '0FC63DAF-8483-4772-8E79-3D69D8477DE4'],
  ];
  let startMib = 1;
  const partitions = layout.map(([name, mib, type]) => ({ name, mib, type, startMib: (startMib += mib) - mib }));
  execFileSync('truncate', ['-s', `${startMib + 1}M`, image]);
  const table = partitions.map(
    ({ name, mib, type, startMib: start }) => `start=${start}MiB, size=${mib}MiB, type=${type}, name=${name}`,
  );
  execFileSync('sfdisk', ['--quiet', image], {
    input: `label: gpt\n${table.join('\n')}\n`,
    stdio: ['pipe', 'ignore', 'inherit'],
  });
  const [bios, efi, boot, root] = partitions;
  const place = (file, { startMib: at }) =>
    execFileSync('dd', [`if=${file}`, `of=${image}`, 'bs=1M', `seek=${at}`, 'conv=notrunc,sparse', 'status=none']);
  place(efiFileSystem(folder), efi);
  place(bootFileSystem(folder, vmlinuz, initrd), boot);
  place(rootFileSystem(folder, rootfs, rootMib), root);
  writeGrubBios(folder, image, (bios.startMib * MIB) / SECTOR);
  await pipeline(createReadStream(image), createGzip({ level: 1 }), createWriteStream(`${target}.part`));
  execFileSync('mv', [`${target}.part`, target]);
  rmSync(folder, { recursive: true });
}

function efiFileSystem(folder) {
  const file = join(folder, 'efi.img');
  const stub = join(folder, 'stub.cfg');
  writeFileSync(stub, 'search --label --set=root boot\nconfigfile ($root)/grub/grub.cfg\n');
  execFileSync('truncate', ['-s', `${EFI_MIB}M`, file]);
  execFileSync('mkfs.vfat', ['-n', 'EFI-SYSTEM', file], { stdio: 'ignore' });
  for (const name of ['EFI', 'EFI/BOOT', 'EFI/redhat', 'EFI/debian']) execFileSync('mmd', ['-i', file, `::${name}`]);
  for (const name of ['EFI/BOOT/BOOTX64.EFI', 'EFI/redhat/shimx64.efi'])
    execFileSync('mcopy', ['-i', file, GRUB_EFI, `::${name}`]);
  // GRUB of Debian reads its menu in the folder of Debian.
  execFileSync('mcopy', ['-i', file, stub, '::EFI/debian/grub.cfg']);
  return file;
}

function bootFileSystem(folder, vmlinuz, initrd) {
  const tree = join(folder, 'boot');
  for (const name of ['grub', 'loader/entries', 'ignition']) mkdirSync(join(tree, name), { recursive: true });
  copyFileSync(vmlinuz, join(tree, 'vmlinuz'));
  copyFileSync(initrd, join(tree, 'initrd.img'));
  writeFileSync(join(tree, 'grub/grub.cfg'), MENU);
  writeFileSync(join(tree, 'loader/entries/ostree-1-rhcos.conf'), ENTRY);
  writeFileSync(join(tree, 'ignition.firstboot'), '');
  return fileSystem(join(folder, 'boot.img'), BOOT_MIB, 'boot', tree);
}

function rootFileSystem(folder, rootfs, mib) {
  const tree = join(folder, 'root');
  mkdirSync(tree);
  execFileSync('cp', ['--reflink=auto', rootfs, join(tree, 'rootfs.img')]);
  return fileSystem(join(folder, 'root.img'), mib, 'root', tree);
}

function fileSystem(file, mib, label, tree) {
  execFileSync('mkfs.ext4', ['-q', '-L', label, '-m', '0', '-d', tree, file, `${mib}M`], {
    stdio: ['ignore', 'ignore', 'inherit'],
  });
  rmSync(tree, { recursive: true });
  return file;
}

/** The first sector loads the sectors in BIOS-BOOT, as \`grub-bios-setup\` arranges it. */
function writeGrubBios(folder, image, sector) {
  const core = join(folder, 'core.img');
  const early = join(folder, 'early.cfg');
  writeFileSync(early, 'search --label --set=root boot\nset prefix=($root)/grub\nconfigfile ($root)/grub/grub.cfg\n');
  const modules = [
    'biosdisk',
    'part_gpt',
    'ext2',
    'search',
    'search_label',
    'configfile',
    'normal',
    'linux',
    'test',
    'echo',
  ];
  execFileSync('grub-mkimage', ['-O', 'i386-pc', '-d', GRUB_BIOS, '-c', early, '-p', '/grub', '-o', core, ...modules]);
  const loader = readFileSync(core);
  // The block list at the end of the first sector names where the rest is.
  loader.writeBigUInt64LE(BigInt(sector + 1), SECTOR - 12);
  const boot = readFileSync(join(GRUB_BIOS, 'boot.img'));
  boot.writeBigUInt64LE(BigInt(sector), 0x5c);
  const file = openSync(image, 'r+');
  writeSync(file, boot.subarray(0, 440), 0, 440, 0);
  writeSync(file, loader, 0, loader.length, sector * SECTOR);
}

export const isMissing = ([, path]) => !existsSync(path);
