/**
 * Makes a live ISO in CoreOS layout out of Debian packages: a kernel, systemd, and the real `ignition`. Muster's image service
 * customises it like any other. The parts are cached by the digest of this file and of its lists.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  chmodSync,
  copyFileSync,
  cpSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';

const ROOT = new URL('../..', import.meta.url).pathname;
const CACHE = join(ROOT, 'node_modules', '.cache', 'muster-vm');
const IGNITION = '/usr/lib/dracut/modules.d/30ignition/ignition';
const BUSYBOX = '/bin/busybox';
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
];
/** In the order in which they are loaded, after what they depend on. */
const MODULES = [
  ...['virtio_pci', 'virtio_blk', 'virtio_scsi', 'sd_mod', 'sr_mod', 'virtio_net', 'virtio_rng'],
  ...['isofs', 'loop', 'squashfs', 'overlay', 'vfat', 'nls_ascii', 'nls_cp437'],
];

const INIT = `#!/bin/busybox sh
/bin/busybox --install -s /bin
mkdir -p /proc /sys /dev /run /sysroot
mount -t proc proc /proc
mount -t sysfs sysfs /sys
mount -t devtmpfs dev /dev
mount -t tmpfs -o mode=0755 tmpfs /run
exec >/dev/console 2>&1
# What the kernel prints is on every console.
say() { echo "initrd: $1" >/dev/kmsg; }
argument() { sed -n "s/.*\\(^\\| \\)\\"\\?$1=\\([^ \\"]*\\).*/\\2/p" /proc/cmdline; }
while read -r module; do insmod "/modules/$module" || say "$module is not loaded"; done </modules.list
mkdir -p /run/media/iso /run/lower /run/overlay
url=$(argument coreos.live.rootfs_url)
image=/run/media/iso/images/pxeboot/rootfs.img
for try in $(seq 30); do
  for disk in /dev/sr0 /dev/vd? /dev/sd?; do
    [ -b "$disk" ] && [ ! -e "$image" ] && mount -t iso9660 -o ro "$disk" /run/media/iso 2>/dev/null
  done
  { [ -e "$image" ] || [ -n "$url" ]; } && break
  sleep 1
done
if [ -n "$url" ]; then
  for link in /sys/class/net/e*; do ip link set "\${link##*/}" up; udhcpc -i "\${link##*/}" -s /udhcpc.sh -q; done
  image=/run/rootfs.img
  until wget -O "$image" "$url"; do sleep 2; done
fi
mount -t squashfs -o ro,loop "$image" /run/lower || { say 'there is no root file system'; exec sh; }
mount -t tmpfs -o size=80% tmpfs /run/overlay
mkdir -p /run/overlay/upper /run/overlay/work
mount -t overlay -o lowerdir=/run/lower,upperdir=/run/overlay/upper,workdir=/run/overlay/work overlay /sysroot
if [ -s /config.ign ]; then
  export IGNITION_CONFIG_FILE=/config.ign
  mkdir -p /run/ignition /etc
  for stage in fetch-offline fetch files; do
    ignition -platform file -root /sysroot -stage "$stage" -log-to-stdout >/run/ignition.log 2>&1 || {
      tail -c 2000 /run/ignition.log
      say "ignition failed in the stage $stage"
      poweroff -f
    }
  done
  say 'ignition applied the configuration of the image'
else
  say 'the image carries no configuration'
fi
mount --move /run /sysroot/run
mount --move /dev /sysroot/dev
umount /sys /proc
exec switch_root /sysroot /sbin/init
`;

const UDHCPC = `#!/bin/busybox sh
[ "$1" = bound ] || exit 0
ip addr add "$ip/$mask" dev "$interface"
[ -n "$router" ] && ip route add default via "$router"
for server in $dns; do echo "nameserver $server" >>/etc/resolv.conf; done
`;

const NETWORK = '[Match]\nName=en* eth*\n\n[Network]\nDHCP=ipv4\n\n[DHCPv4]\nUseHostname=no\n';
const GRUB_STUB = 'search --file --set=root /images/pxeboot/vmlinuz\nconfigfile ($root)/EFI/redhat/grub.cfg\n';

/** Returns the paths of the base ISO and of its parts, made now or in an earlier run. */
export async function liveImage(say = console.log) {
  const digest = createHash('sha256')
    .update(readFileSync(new URL(import.meta.url).pathname))
    .digest('hex')
    .slice(0, 12);
  const folder = join(CACHE, digest);
  const iso = join(folder, 'base.iso');
  if (existsSync(iso)) return { iso, folder };
  const part = `${folder}.part`;
  rmSync(part, { recursive: true, force: true });
  mkdirSync(part, { recursive: true });
  say('vm: building the root file system out of Debian packages (some minutes, once)…');
  const root = join(part, 'root');
  bootstrap(root, part);
  writeInitrd(root, part);
  configure(root);
  run('mksquashfs', [root, join(part, 'rootfs.img'), '-comp', 'lz4', '-noappend', '-quiet', '-no-progress']);
  rmSync(root, { recursive: true, force: true });
  await writeIso(part);
  rmSync(folder, { recursive: true, force: true });
  renameSync(part, folder);
  return { iso, folder };
}

function run(program, args, options = {}) {
  return execFileSync(program, args, { stdio: ['ignore', 'ignore', 'inherit'], ...options });
}

function bootstrap(root, folder) {
  const tar = process.env.MUSTER_VM_ROOT_TAR ?? join(folder, 'root.tar');
  if (!existsSync(tar)) {
    const excludes = ['doc', 'man', 'locale'].map((name) => `--dpkgopt=path-exclude=/usr/share/${name}/*`);
    run('nice', [
      '-n',
      '15',
      'mmdebstrap',
      '--quiet',
      '--variant=minbase',
      '--mode=root',
      `--include=${PACKAGES.join(',')}`,
      ...excludes,
      'bookworm',
      tar,
    ]);
  }
  mkdirSync(root);
  run('tar', ['-xf', tar, '-C', root]);
}

/** The kernel, and a ramdisk that finds the medium, applies the configuration and starts the system on it. */
function writeInitrd(root, folder) {
  const kernel = readdirSync(join(root, 'boot')).find((name) => name.startsWith('vmlinuz-'));
  copyFileSync(join(root, 'boot', kernel), join(folder, 'vmlinuz'));
  const release = kernel.slice('vmlinuz-'.length);
  const source = join(root, 'lib/modules', release);
  const tree = join(folder, 'initrd');
  for (const name of ['bin', 'modules', 'etc', 'usr/lib/ignition', 'lib64'])
    mkdirSync(join(tree, name), { recursive: true });
  const dependencies = new Map(
    readFileSync(join(source, 'modules.dep'), 'utf8')
      .split('\n')
      .filter(Boolean)
      .map((line) => line.split(': ').map((part) => part.replace(/:$/, '')))
      .map(([file, needed = '']) => [file, needed.split(' ').filter(Boolean)]),
  );
  const nameOf = (file) =>
    basename(file)
      .replace(/\.ko.*$/, '')
      .replaceAll('-', '_');
  const order = [];
  const add = (file) => {
    if (order.includes(file)) return;
    for (const needed of [...dependencies.get(file)].reverse()) add(needed);
    order.push(file);
  };
  for (const module of MODULES) {
    const file = [...dependencies.keys()].find((one) => nameOf(one) === module);
    if (file) add(file);
  }
  for (const file of order) copyFileSync(join(source, file), join(tree, 'modules', basename(file)));
  writeFileSync(join(tree, 'modules.list'), `${order.map((file) => basename(file)).join('\n')}\n`);
  copyFileSync(BUSYBOX, join(tree, 'bin/busybox'));
  symlinkSync('busybox', join(tree, 'bin/sh'));
  copyFileSync(IGNITION, join(tree, 'bin/ignition'));
  const libraries = execFileSync('ldd', [IGNITION], { encoding: 'utf8' }).matchAll(/(\/\S+\.so\S*)/g);
  for (const [, library] of libraries) {
    mkdirSync(join(tree, dirname(library)), { recursive: true });
    cpSync(library, join(tree, library), { dereference: true });
  }
  writeFileSync(join(tree, 'init'), INIT, { mode: 0o755 });
  // Ignition calls it from the ramdisk to relabel files; this system has no policy.
  writeFileSync(join(tree, 'bin/setfiles'), '#!/bin/busybox sh\nexec /bin/busybox cat >/dev/null\n', { mode: 0o755 });
  writeFileSync(join(tree, 'udhcpc.sh'), UDHCPC, { mode: 0o755 });
  writeFileSync(join(tree, 'etc/coreos-live-initramfs'), 'rhcos\n');
  execFileSync('sh', ['-c', `find . | cpio --quiet -o -H newc | gzip -6 >${join(folder, 'initrd.img')}`], {
    cwd: tree,
  });
  rmSync(tree, { recursive: true });
  rmSync(join(root, 'boot'), { recursive: true });
  mkdirSync(join(root, 'boot'));
}

function configure(root) {
  const write = (path, text, mode = 0o644) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    rmSync(join(root, path), { force: true });
    writeFileSync(join(root, path), text, { mode });
    chmodSync(join(root, path), mode);
  };
  write('etc/machine-id', 'uninitialized\n');
  write('etc/hostname', 'localhost\n');
  write('etc/resolv.conf', 'nameserver 10.0.2.3\n');
  write('etc/fstab', '');
  write('etc/systemd/network/80-dhcp.network', NETWORK);
  // Ignition relabels its files with SELinux where the system has a policy; this one has none.
  write('etc/selinux/config', 'SELINUX=disabled\nSELINUXTYPE=targeted\n');
  write(
    'etc/systemd/journald.conf.d/console.conf',
    '[Journal]\nForwardToConsole=yes\nTTYPath=/dev/ttyS0\nMaxLevelConsole=info\n',
  );
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

if (process.argv[1] === new URL(import.meta.url).pathname) {
  const { iso } = await liveImage();
  console.log(iso);
}
