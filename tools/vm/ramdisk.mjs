/** The ramdisk of the machine: it finds the live medium or the installed disk, and runs the real `ignition`. */
import { execFileSync } from 'node:child_process';
import {
  copyFileSync,
  cpSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs';
import { basename, dirname, join } from 'node:path';
import { HOSTS } from './stand-ins.mjs';

export const IGNITION = '/usr/lib/dracut/modules.d/30ignition/ignition';
export const BUSYBOX = '/bin/busybox';
/** In load order, dependencies first. */
const MODULES = [
  ...['virtio_pci', 'virtio_blk', 'virtio_scsi', 'sd_mod', 'sr_mod', 'virtio_net', 'virtio_rng'],
  ...['isofs', 'crc32c_generic', 'ext4', 'loop', 'squashfs', 'overlay', 'vfat', 'nls_ascii', 'nls_cp437'],
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
connect() {
  for link in /sys/class/net/e*; do ip link set "\${link##*/}" up; udhcpc -i "\${link##*/}" -s /udhcpc.sh -q; done
}
argument() { sed -n "s/.*\\(^\\| \\)\\"\\?$1=\\([^ \\"]*\\).*/\\2/p" /proc/cmdline; }
while read -r module; do insmod "/modules/$module" || say "$module is not loaded"; done </modules.list
mkdir -p /run/media/iso /run/lower /run/overlay /run/disk /run/boot
url=$(argument coreos.live.rootfs_url)
disk=$(argument root)
image=/run/media/iso/images/pxeboot/rootfs.img
config=/config.ign
for try in $(seq 30); do
  if [ -n "$disk" ]; then
    found=$(findfs "$disk") && mount -t ext4 "$found" /run/disk && break
  else
    for medium in /dev/sr0 /dev/vd? /dev/sd?; do
      [ -b "$medium" ] && [ ! -e "$image" ] && mount -t iso9660 -o ro "$medium" /run/media/iso 2>/dev/null
    done
    { [ -e "$image" ] || [ -n "$url" ]; } && break
  fi
  sleep 1
done
if [ -n "$disk" ]; then
  say 'this is the installed system'
  image=/run/disk/rootfs.img
  config=/run/boot/ignition/config.ign
  mount -t ext4 "$(findfs LABEL=boot)" /run/boot
  mkdir -p /run/disk/upper /run/disk/work
  upper=/run/disk
else
  if [ -n "$url" ] && [ ! -e "$image" ]; then
    connect
    image=/run/rootfs.img
    until wget -O "$image" "$url"; do sleep 2; done
    say 'the root file system was downloaded'
  fi
  mount -t tmpfs -o size=80% tmpfs /run/overlay
  mkdir -p /run/overlay/upper /run/overlay/work
  upper=/run/overlay
fi
# The agent watches the medium where this folder exists.
rmdir /run/media/iso 2>/dev/null
mount -t squashfs -o ro,loop "$image" /run/lower || { say 'there is no root file system'; exec sh; }
mount -t overlay -o lowerdir=/run/lower,upperdir=$upper/upper,workdir=$upper/work overlay /sysroot
if grep -q ignition.firstboot /proc/cmdline && [ -s "$config" ]; then
  export IGNITION_CONFIG_FILE=$config
  mkdir -p /run/ignition /etc
  # The configuration of a node names another one at the machine-config server.
  grep -q '"https://' "$config" && connect
  for stage in fetch-offline fetch files; do
    ignition -platform file -root /sysroot -stage "$stage" -log-to-stdout >/run/ignition.log 2>&1 || {
      tail -c 2000 /run/ignition.log
      say "ignition failed in the stage $stage"
      poweroff -f
    }
  done
  say 'ignition applied the configuration'
  [ -z "$disk" ] || rm /run/boot/ignition.firstboot
else
  say 'ignition has nothing to apply'
fi
[ -z "$disk" ] || umount /run/boot
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

/** Writes `vmlinuz` and `initrd.img`: the kernel, and a ramdisk that finds the medium, applies the configuration and starts the system on it. */
export function writeRamdisk(root, folder) {
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
  writeFileSync(join(tree, 'etc/hosts'), HOSTS);
  writeFileSync(join(tree, 'etc/nsswitch.conf'), 'hosts: files dns\n');
  execFileSync('sh', ['-c', `find . | cpio --quiet -o -H newc | gzip -6 >"$0"`, join(folder, 'initrd.img')], {
    cwd: tree,
  });
  rmSync(tree, { recursive: true });
  rmSync(join(root, 'boot'), { recursive: true });
  mkdirSync(join(root, 'boot'));
}
