import { execFileSync, spawn } from 'node:child_process';
import { copyFileSync, existsSync, mkdirSync } from 'node:fs';
import { createConnection } from 'node:net';
import { join } from 'node:path';
import { writePng } from './png.mjs';

const FIRMWARE = { code: '/usr/share/OVMF/OVMF_CODE.fd', vars: '/usr/share/OVMF/OVMF_VARS.fd' };
const LOG_CHARS_MAX = 4_000_000;
/** SATA, USB and other buses are left out of the cloud kernel: everything is virtio. */
const MACHINE = ['-machine', 'q35,accel=tcg', '-cpu', 'max', '-m', '2560', '-display', 'none', '-no-user-config'];

const SUBNET = '10.0.2';
const CARD = { mac: '52:54:00:12:34:56', subnet: SUBNET };

export const hasUefi = () => existsSync(FIRMWARE.code) && existsSync(FIRMWARE.vars);

/**
 * Returns the option of a network behind which this machine's loopback is the address .2. With `forwards`, further addresses and
 * ports of the network lead to ports of the loopback.
 */
export function userNetwork({ id, subnet = SUBNET, tftp, forwards = [] }) {
  return [
    `user,id=${id},net=${subnet}.0/24`,
    ...(tftp ? [`tftp=${tftp},bootfile=boot.ipxe`] : []),
    ...forwards.map(({ address, port, to }) => `guestfwd=tcp:${address}:${port}-cmd:/bin/busybox nc 127.0.0.1 ${to}`),
  ].join(',');
}

/**
 * A machine in software emulation. It reaches this machine's loopback as 10.0.2.2 and, with `restrict`, nothing else.
 * @param {{ folder: string, iso?: string, tftp?: string, kernel?: { image: string, initrd: string, args: string }, disks: string[],
 *   firmware: 'bios' | 'uefi', serial: string, cpus?: number, cards?: { mac: string, subnet?: string, cable?: string }[],
 *   forwards?: { address: string, port: number, to: number }[] }} options
 * `tftp`: folder with `boot.ipxe`, which the network card boots; `kernel`: booted without a medium; `subnet`: the first three numbers;
 * `cable`: the socket of a switch instead of a network of its own; `forwards`: as in `userNetwork`
 */
export function startMachine({
  folder,
  iso,
  tftp,
  kernel,
  disks,
  firmware,
  serial,
  cpus = 2,
  cards = [CARD],
  forwards,
}) {
  const monitor = join(folder, 'monitor.sock');
  const flash = [];
  if (firmware === 'uefi') {
    const vars = join(folder, 'vars.fd');
    if (!existsSync(vars)) copyFileSync(FIRMWARE.vars, vars);
    flash.push(
      '-drive',
      `if=pflash,format=raw,readonly=on,file=${FIRMWARE.code}`,
      '-drive',
      `if=pflash,format=raw,file=${vars}`,
    );
  }
  const args = [
    ...MACHINE,
    ...['-smp', String(cpus)],
    ...flash,
    ...[
      '-smbios',
      `type=1,serial=${serial},manufacturer=Muster,product=Virtual`,
      '-smbios',
      `type=2,serial=${serial}-board`,
    ],
    ...cards.flatMap(({ mac, subnet, cable }, index) => [
      '-netdev',
      cable
        ? `stream,id=net${index},server=off,addr.type=unix,addr.path=${cable}`
        : userNetwork({ id: `net${index}`, subnet, tftp, forwards }),
      ...['-device', `virtio-net-pci,netdev=net${index},mac=${mac}${tftp ? ',bootindex=8' : ',romfile='}`],
    ]),
    ...(kernel ? ['-kernel', kernel.image, '-initrd', kernel.initrd, '-append', kernel.args] : []),
    ...['-device', 'virtio-scsi-pci,id=scsi', '-device', 'virtio-rng-pci', '-vga', 'std'],
    // The last disk first: it boots once it is written, and the image before. A BIOS boots no other hard disk than the first.
    ...disks.flatMap((disk, index) => [
      ...['-drive', `if=none,id=disk${index},format=raw,file=${disk},cache=unsafe`],
      ...[
        '-device',
        `scsi-hd,drive=disk${index},bus=scsi.0,serial=${serial}D${index},wwn=0x500000000000000${index + 1},bootindex=${disks.length - index}`,
      ],
    ]),
    ...(iso
      ? [
          '-drive',
          `if=none,id=cd,media=cdrom,format=raw,readonly=on,file=${iso}`,
          '-device',
          'scsi-cd,drive=cd,bus=scsi.0,bootindex=9',
        ]
      : []),
    // Both serial ports write to the log: the iPXE script names ttyS1 first, the installed system ttyS0.
    ...['-chardev', 'stdio,id=console,mux=on,signal=off', '-serial', 'chardev:console', '-serial', 'chardev:console'],
    ...['-monitor', `unix:${monitor},server,nowait`],
  ];
  const child = spawn('qemu-system-x86_64', args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let log = '';
  let onText = () => {};
  const keep = (chunk) => {
    log = (log + chunk).slice(-LOG_CHARS_MAX);
    onText(String(chunk));
  };
  child.stdout.on('data', keep);
  child.stderr.on('data', keep);
  const ended = new Promise((resolve) => child.once('close', resolve));
  return {
    log: () => log,
    watch: (listener) => (onText = listener),
    isRunning: () => child.exitCode === null && child.signalCode === null,
    /** Writes what the screen shows as a PNG where there is a converter, otherwise as PPM; returns the path. */
    screenshot: async (path) => {
      const ppm = `${path}.ppm`;
      await command(monitor, `screendump ${ppm}`);
      await new Promise((resolve) => setTimeout(resolve, 1_000));
      return ppm;
    },
    stop: async () => {
      child.kill('SIGKILL');
      await ended;
    },
  };
}

function command(socket, line) {
  return new Promise((resolve, reject) => {
    const connection = createConnection(socket, () => connection.write(`${line}\n`));
    connection.once('error', reject);
    connection.once('data', () => setTimeout(() => connection.end(), 500));
    connection.once('close', resolve);
  });
}

export function createDisk(path, gigabytes) {
  execFileSync('truncate', ['-s', `${gigabytes}G`, path]);
  return path;
}

/** Keeps what the screen shows in the folder that MUSTER_VM_PICTURES names; does nothing without it. */
export async function shoot({ name, folder, machine }, moment) {
  const target = process.env.MUSTER_VM_PICTURES;
  if (!target) return;
  const ppm = await machine.screenshot(join(folder, moment));
  mkdirSync(target, { recursive: true });
  writePng(ppm, join(target, `vm-${name}-${moment}.png`));
}
