/**
 * Proves the static networks of a ramdisk in an initramfs of dracut, systemd and NetworkManager, as CoreOS has one. The machine has
 * two network cards. The ramdisk is the one that Muster serves; it lies behind the initramfs, as on a medium. CoreOS' own units are
 * represented by two stand-ins with the same names and the same order: one copies the profiles to the folder of NetworkManager, the
 * other, in the place of the download of the root file system, requests a page of this process and prints what it finds.
 */
import { execFileSync } from 'node:child_process';
import { createHash } from 'node:crypto';
import {
  appendFileSync,
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { createServer } from 'node:http';
import { join } from 'node:path';
import { bootstrap, CACHE } from './live-image.mjs';
import { startMuster } from './muster-process.mjs';
import { startMachine } from './virtual-machine.mjs';

const PACKAGES = [
  ...['systemd-sysv', 'udev', 'dbus', 'kmod', 'linux-image-cloud-amd64', 'dracut-core', 'dracut-network'],
  ...['network-manager', 'iproute2', 'procps', 'bash', 'coreutils'],
];
const BOOT_SECONDS = 600;
const CARDS = [
  { mac: '52:54:00:aa:00:01', subnet: '10.9.1', name: 'eth7' },
  { mac: '52:54:00:aa:00:02', subnet: '10.9.2', name: 'uplink' },
];
/** Not the first address that the emulated network gives by DHCP. */
const ADDRESS = 77;
const PROXY = 'http://user:p%40ss@proxy.example.com:3128';

const COPY_SCRIPT = `#!/bin/bash
shopt -s nullglob
profiles=(/etc/coreos-firstboot-network/*)
mkdir -p /etc/NetworkManager/system-connections
[ "\${#profiles[@]}" -eq 0 ] || cp "\${profiles[@]}" /etc/NetworkManager/system-connections/
`;
const COPY_UNIT = `[Unit]
Description=Copy CoreOS Firstboot Networking Config
DefaultDependencies=no
After=dracut-cmdline.service
Before=nm-initrd.service
[Service]
Type=oneshot
RemainAfterExit=yes
ExecStart=/usr/sbin/coreos-copy-firstboot-network
`;
const REPORT_UNIT = `[Unit]
Description=Acquire live PXE rootfs image
DefaultDependencies=no
After=nm-initrd.service nm-wait-online-initrd.service
Wants=nm-initrd.service nm-wait-online-initrd.service
[Service]
Type=oneshot
StandardOutput=tty
TTYPath=/dev/ttyS0
ExecStart=/usr/sbin/report
`;
const REPORT = `#!/bin/bash
say() { printf 'report: %s\\n' "$*"; }
port=$(sed -n 's/.*muster\\.vm_port=\\([0-9]*\\).*/\\1/p' /proc/cmdline)
for card in 10.9.1 10.9.2; do
  for try in $(seq 30); do
    if exec 3<>"/dev/tcp/$card.2/$port"; then printf 'GET /%s HTTP/1.0\\r\\n\\r\\n' "$card" >&3; read -r answer <&3; say "answer $card $answer"; break; fi
    sleep 1
  done 2>/dev/null
done
for file in /etc/NetworkManager/system-connections/*; do
  say "profile $(stat -c %a "$file") \${file##*/}"
done
for link in /sys/class/net/*; do
  name=\${link##*/}
  say "link $(<"$link/address") $name $(ip -o -4 address show dev "$name" | sed 's/.*inet \\([^ ]*\\).*/\\1/')"
done
say "proxy \$HTTP_PROXY"
say "unit $(systemctl show -p Result --value pre-network-manager-config.service)"
systemctl --no-pager --failed --plain --no-legend | while read -r line; do say "failed $line"; done
say end
poweroff -f
`;

/** The initramfs, made now or in an earlier run; made by dracut from Debian packages. */
function initramfs(say) {
  const digest = createHash('sha256')
    .update(readFileSync(new URL(import.meta.url)))
    .digest('hex')
    .slice(0, 12);
  const folder = join(CACHE, `dracut-${digest}`);
  if (existsSync(join(folder, 'done'))) return folder;
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  say('network-ramdisk: dracut builds an initramfs from Debian packages (a minute, once)…');
  const root = join(folder, 'root');
  bootstrap(root, PACKAGES);
  const add = (path, text, mode = 0o644) => writeFileSync(join(root, path), text, { mode });
  add('usr/sbin/coreos-copy-firstboot-network', COPY_SCRIPT, 0o755);
  add('usr/sbin/report', REPORT, 0o755);
  add('etc/systemd/system/coreos-copy-firstboot-network.service', COPY_UNIT);
  add('etc/systemd/system/coreos-livepxe-rootfs.service', REPORT_UNIT);
  const kernel = readdirSync(join(root, 'boot')).find((name) => name.startsWith('vmlinuz-'));
  const units = ['coreos-copy-firstboot-network', 'coreos-livepxe-rootfs'].map((name) => `${name}.service`);
  for (const unit of units) {
    mkdirSync(join(root, 'wants/etc/systemd/system/initrd.target.wants'), { recursive: true });
    execFileSync('ln', [
      '-s',
      `/etc/systemd/system/${unit}`,
      join(root, 'wants/etc/systemd/system/initrd.target.wants'),
    ]);
  }
  const programs = ['coreos-copy-firstboot-network', 'report'].map((name) => `/usr/sbin/${name}`);
  const others = ['bash', 'cp', 'mkdir', 'chmod', 'sleep', 'cat', 'sed', 'seq', 'stat', 'ip'];
  const mounts = ['proc', 'sys', 'dev'].map((name) => `mount --rbind /${name} "$0/${name}"`).join(' && ');
  execFileSync(
    'unshare',
    [
      ...['--mount', 'sh', '-c', `${mounts} && exec chroot "$0" "$@"`],
      ...[root, 'dracut', '--quiet', '--no-hostonly', '--kver', kernel.slice('vmlinuz-'.length), '--gzip'],
      ...[
        '--add',
        'bash systemd network-manager',
        '--no-early-microcode',
        '--drivers',
        'virtio_net virtio_pci af_packet',
      ],
      ...['--install', [...programs, ...others, ...units.map((unit) => `/etc/systemd/system/${unit}`)].join(' ')],
      ...['--include', '/wants', '/', '/boot/initramfs.img'],
    ],
    { stdio: ['ignore', 'ignore', 'inherit'] },
  );
  copyFileSync(join(root, 'boot', kernel), join(folder, 'vmlinuz'));
  copyFileSync(join(root, 'boot/initramfs.img'), join(folder, 'initramfs.img'));
  rmSync(root, { recursive: true });
  writeFileSync(join(folder, 'done'), '');
  return folder;
}

function staticNetwork(cards) {
  const interfaces = cards.map(
    ({ name, subnet }) =>
      `- {name: ${name}, type: ethernet, state: up, ipv4: {enabled: true, dhcp: false, address: [{ip: ${subnet}.${ADDRESS}, prefix-length: 24}]}}`,
  );
  return {
    network_yaml: `interfaces:\n${interfaces.join('\n')}\n`,
    mac_interface_map: cards.map(({ mac, name }) => ({ mac_address: mac, logical_nic_name: name })),
  };
}

/** Boots the machine and compares what it reports with the static network; throws when they differ. */
export async function playNetworkRamdisk({ folder, iso, pullSecret, say }) {
  const parts = initramfs(say);
  const requests = [];
  const page = createServer((request, answer) => {
    requests.push(request.url);
    answer.end('here');
  });
  await new Promise((resolve) => page.listen(0, '127.0.0.1', resolve));
  const muster = await startMuster({ folder, iso });
  let machine;
  try {
    const { id } = await muster.call('POST', '/infra-envs', {
      name: 'edge',
      openshift_version: '4.18',
      cpu_architecture: 'x86_64',
      pull_secret: pullSecret,
      image_type: 'minimal-iso',
      proxy: { http_proxy: PROXY },
      static_network_config: [
        // The machine has neither of these two cards.
        staticNetwork(CARDS.map((card) => ({ ...card, mac: card.mac.replace('aa', 'bb'), subnet: '10.9.9' }))),
        staticNetwork(CARDS),
      ],
    });
    const ramdisk = await muster.bytes(`/infra-envs/${id}/downloads/minimal-initrd`);
    const initrd = join(folder, 'initrd.img');
    copyFileSync(join(parts, 'initramfs.img'), initrd);
    appendFileSync(initrd, ramdisk);
    machine = startMachine({
      folder,
      disks: [],
      firmware: 'bios',
      serial: 'VM0002',
      cards: CARDS,
      kernel: {
        image: join(parts, 'vmlinuz'),
        initrd,
        args: `console=ttyS0 no_timer_check rd.neednet=1 rd.shell=0 muster.vm_port=${page.address().port}`,
      },
    });
    say('network-ramdisk: the machine starts with two network cards');
    for (let waited = 0; !/report: end/.test(machine.log()); waited += 1) {
      if (!machine.isRunning() || waited > BOOT_SECONDS) throw new Error('The ramdisk reported nothing.');
      await new Promise((resolve) => setTimeout(resolve, 1_000));
    }
    compare(machine.log(), requests, say);
  } catch (error) {
    console.log(machine?.log().split('\n').slice(-80).join('\n'));
    throw error;
  } finally {
    await machine?.stop();
    await muster.stop();
    page.close();
  }
}

/** Prints what the machine reported; throws when a card, profile, answer or setting is missing or a foreign profile is there. */
function compare(log, requests, say) {
  const report = [...log.matchAll(/^report: (.*?)\r?$/gm)].map(([, line]) => line);
  const links = CARDS.map(({ mac, subnet }) => {
    const line = report.find((one) => one.startsWith(`link ${mac} `)) ?? '';
    return { name: line.split(' ')[2], mac, address: line.split(' ')[3], subnet };
  });
  const expected = [
    ...links.map(({ name }) => `profile 600 ${name}.nmconnection`),
    ...links.map(({ mac, name, subnet }) => `link ${mac} ${name} ${subnet}.${ADDRESS}/24`),
    ...CARDS.map(({ subnet }) => `answer ${subnet} HTTP/1.1 200 OK`),
    `proxy ${PROXY}`,
    'unit success',
  ];
  const missing = expected.filter((line) => !report.some((one) => one.trim() === line));
  const foreign = report.filter((line) => line.startsWith('profile ') && !expected.includes(line));
  for (const line of report) say(`  ${line}`);
  if (missing.length > 0 || foreign.length > 0)
    throw new Error(
      `The report lacks: ${missing.join('; ') || 'nothing'}. It has too much: ${foreign.join('; ') || 'nothing'}.`,
    );
  if (requests.length !== CARDS.length)
    throw new Error(`The machine requested ${requests.length} pages, not ${CARDS.length}.`);
  say(
    'network-ramdisk: both cards have their static addresses and reach this process before the root file system is fetched',
  );
}
