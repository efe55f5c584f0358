/**
 * Makes a live ISO in CoreOS layout from Debian packages: a kernel, systemd, and the real `ignition`. Muster's image service
 * customises it like any other. The parts are cached by the digest of this file and of its lists.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readFileSync,
  renameSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { DISK_NEEDED, makeDiskImage } from './disk-image.mjs';
import { BUSYBOX, IGNITION, writeRamdisk } from './ramdisk.mjs';
import { STAND_IN_FILES, STAND_INS } from './stand-ins.mjs';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
export const CACHE = join(ROOT, 'node_modules', '.cache', 'muster-vm');
const ISOLINUX = '/usr/lib/ISOLINUX/isolinux.bin';
const SYSLINUX = '/usr/lib/syslinux/modules/bios';
/** The loader that Debian's own media boot: it looks for the file `.disk/info` and reads `boot/grub/grub.cfg` beside it. */
const GRUB_EFI = '/usr/lib/grub/x86_64-efi/monolithic/gcdx64.efi';
const EPOCH = '1735689600';

/** What this needs of the machine, by the Debian package that brings it. */
export const NEEDED = [
  ['mmdebstrap', '/usr/bin/mmdebstrap'],
  ['squashfs-tools', '/usr/bin/mksquashfs'],
  ['ignition', IGNITION],
  ['busybox-static', BUSYBOX],
  ['isolinux', ISOLINUX],
  ['syslinux-common', join(SYSLINUX, 'ldlinux.c32')],
  ['xorriso', '/usr/bin/xorriso'],
  ['cpio', '/usr/bin/cpio'],
  ['mtools', '/usr/bin/mcopy'],
  ['dosfstools', '/usr/sbin/mkfs.vfat'],
  ['qemu-system-x86', '/usr/bin/qemu-system-x86_64'],
  ...DISK_NEEDED,
];

const PACKAGES = [
  ...[
    'systemd-sysv',
    'systemd',
    'udev',
    'dbus',
    'kmod',
    'linux-image-cloud-amd64',
    'login',
    'passwd',
    'util-linux',
    'procps',
  ],
  ...['iproute2', 'iputils-ping', 'iputils-arping', 'curl', 'ca-certificates', 'chrony', 'ethtool', 'dmidecode'],
  ...['lvm2', 'mdadm', 'dmsetup', 'fdisk', 'gdisk', 'efibootmgr', 'libstdc++6', 'libssl3', 'libzstd1', 'less'],
  ...['e2fsprogs', 'jq', 'openssh-client'],
];
const NETWORK = '[Match]\nName=en* eth*\n\n[Network]\nDHCP=ipv4\n\n[DHCPv4]\nUseHostname=no\n';
const GRUB_STUB = 'search --file --set=root /images/pxeboot/vmlinuz\nconfigfile ($root)/EFI/redhat/grub.cfg\n';

/**
 * Returns the paths of the base ISO and of the disk image, made now or in an earlier run.
 * @param {{ say?: (text: string) => void, coreosInstaller?: string }} options `coreosInstaller`: path of the executable
 */
export async function liveImage({ say = console.log, coreosInstaller } = {}) {
  const hash = createHash('sha256');
  for (const name of ['live-image', 'ramdisk', 'disk-image', 'stand-ins'])
    hash.update(readFileSync(new URL(`${name}.mjs`, import.meta.url)));
  if (coreosInstaller) hash.update(readFileSync(coreosInstaller));
  const digest = hash.digest('hex').slice(0, 12);
  const folder = join(CACHE, digest);
  const iso = join(folder, 'base.iso');
  const disk = join(folder, 'disk.img.gz');
  if (existsSync(iso)) return { iso, disk, folder };
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  say('vm: building the root file system from Debian packages (some minutes, once)…');
  const root = join(part, 'root');
  bootstrap(root, PACKAGES);
  writeRamdisk(root, part);
  configure(root, coreosInstaller);
  run('mksquashfs', [root, join(part, 'rootfs.img'), '-comp', 'lz4', '-noappend', '-quiet', '-no-progress']);
  rmSync(root, { recursive: true, force: true });
  const [vmlinuz, initrd, rootfs] = ['vmlinuz', 'initrd.img', 'rootfs.img'].map((name) => join(part, name));
  await makeDiskImage({ vmlinuz, initrd, rootfs }, join(part, 'disk.img.gz'));
  await writeIso(part);
  rmSync(folder, { recursive: true, force: true });
  renameSync(part, folder);
  return { iso, disk, folder };
}

function run(program, args, options = {}) {
  return execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
}

/** Unpacks a Debian system with these packages to the folder `root`. Its archive is made in the first run with these packages. */
export function bootstrap(root, packages) {
  const digest = createHash('sha256').update(packages.join()).digest('hex').slice(0, 12);
  const tar = join(CACHE, `debian-${digest}.tar`);
  if (!existsSync(tar)) {
    const excludes = ['doc', 'man', 'locale'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);
    const retries = '--aptopt=Acquire::Retries "5"';
    const options = [
      '--quiet',
      '--variant=minbase',
      '--mode=root',
      `--include=${packages.join(',')}`,
      retries,
      ...excludes,
    ];
    mkdirSync(CACHE, { recursive: true });
    run('mmdebstrap', [...options, 'bookworm', `${tar}.part.tar`]);
    renameSync(`${tar}.part.tar`, tar);
  }
  mkdirSync(root);
  run('tar', ['-xf', tar, '-C', root]);
}

function configure(root, coreosInstaller) {
  const write = (path, text, mode = 0o644) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    rmSync(join(root, path), { force: true });
    writeFileSync(join(root, path), text, { mode });
    chmodSync(join(root, path), mode);
  };
  write('etc/machine-id', 'uninitialized\n');
  write('etc/hostname', 'localhost\n');
  for (const file of STAND_IN_FILES) write(...file);
  copyFileSync(IGNITION, join(root, STAND_INS, 'ignition'));
  if (coreosInstaller) copyFileSync(coreosInstaller, join(root, 'usr/bin/coreos-installer'));
  write('etc/resolv.conf', 'nameserver 10.0.2.3\n');
  write('etc/fstab', '');
  write('etc/systemd/network/80-dhcp.network', NETWORK);
  // Ignition relabels its files with SELinux where the system has a policy; this one has none.
  write('etc/selinux/config', 'SELINUX=disabled\nSELINUXTYPE=targeted\n');
  write('etc/systemd/journald.conf.d/console.conf', '[Journal]\nForwardToKMsg=yes\nMaxLevelKMsg=info\n');
  mkdirSync(join(root, 'var/log/journal'), { recursive: true });
  run('systemctl', [`--root=${root}`, 'enable', 'systemd-networkd.service', 'systemd-networkd-wait-online.service'], {
    stdio: 'ignore',
  });
}

async function writeIso(folder) {
  const { createBaseImage } = (await import(join(ROOT, 'libs/base-image/dist/index.js'))).default;
  const [stubs, tree, iso, volume] = [
    join(folder, 'stubs.iso'),
    join(folder, 'tree'),
    join(folder, 'base.iso'),
    'rhcos-muster-vm',
  ];
  await createBaseImage({ outPath: stubs, volumeId: volume });
  const xorriso = (...args) =>
    run('xorriso', args, { stdio: 'ignore', env: { ...process.env, SOURCE_DATE_EPOCH: EPOCH } });
  xorriso('-osirrox', 'on', '-indev', stubs, '-extract', '/', tree);
  run('chmod', ['-R', 'u+w', tree]);
  copyFileSync(ISOLINUX, join(tree, 'isolinux/isolinux.bin'));
  for (const name of ['ldlinux.c32', 'libcom32.c32', 'libutil.c32'])
    copyFileSync(join(SYSLINUX, name), join(tree, 'isolinux', name));
  copyFileSync(join(SYSLINUX, 'menu.c32'), join(tree, 'isolinux/vesamenu.c32'));
  for (const name of ['vmlinuz', 'initrd.img', 'rootfs.img'])
    renameSync(join(folder, name), join(tree, 'images/pxeboot', name));
  for (const [name, text] of [
    ['.disk/info', 'Muster\n'],
    ['boot/grub/grub.cfg', GRUB_STUB],
  ]) {
    mkdirSync(dirname(join(tree, name)), { recursive: true });
    writeFileSync(join(tree, name), text);
  }
  writeEfiPartition(folder, join(tree, 'images/efiboot.img'));
  const bios = [
    '-b',
    'isolinux/isolinux.bin',
    '-c',
    'isolinux/boot.cat',
    '-no-emul-boot',
    '-boot-load-size',
    '4',
    '-boot-info-table',
  ];
  const efi = ['-eltorito-alt-boot', '-e', 'images/efiboot.img', '-no-emul-boot'];
  xorriso('-as', 'mkisofs', '-o', iso, '-V', volume, '-iso-level', '1', '-R', ...bios, ...efi, tree);
  rmSync(tree, { recursive: true });
  rmSync(stubs);
}

/** A FAT file system with a boot loader that reads the menu of the ISO; the stub stays where there is no loader. */
function writeEfiPartition(folder, path) {
  if (!existsSync(GRUB_EFI)) return;
  const image = join(folder, 'efi.img');
  execFileSync('truncate', ['-s', '8M', image]);
  run('mkfs.vfat', [image], { stdio: 'ignore' });
  for (const name of ['::EFI', '::EFI/BOOT']) run('mmd', ['-i', image, name]);
  run('mcopy', ['-i', image, GRUB_EFI, '::EFI/BOOT/BOOTX64.EFI']);
  copyFileSync(image, path);
}
