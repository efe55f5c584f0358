import { once } from 'node:events';
import { existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import type { CommandResult, RunCommand } from './command';
import { linuxMachine } from './linux-machine';
import { recorded, step } from './recorded-commands.fixture.spec';

const KERNEL = 'k'.repeat(100);
const INITRD = 'i'.repeat(900);
const FREE_BYTES_MIN = KERNEL.length + INITRD.length;

const server = createServer((request, response) => {
  const body = request.url?.startsWith('/kernel') ? KERNEL : INITRD;
  response.writeHead(200).end(body);
});
let url = '';
beforeAll(async () => {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterAll(() => server.close());

let mount: string;
beforeEach(() => {
  mount = mkdtempSync(join(tmpdir(), 'reclaim-'));
  for (const folder of ['boot', 'proc', 'run']) mkdirSync(join(mount, folder));
});
afterEach(() => rmSync(mount, { recursive: true }));

const machineWith = (run: RunCommand, architecture = 'x86_64') =>
  linuxMachine({
    run,
    architecture,
    root: mount,
    settings: { serviceUrl: url, infraEnvId: 'i', agentVersion: 'muster-host:1', token: '', isInsecure: false },
  });

const df = (bytes: number): string => `     Avail\n${bytes}\n`;
const discovery = (): string => join(mount, 'boot/discovery');
const entry = (): string => join(mount, 'boot/loader/entries/00-assisted-discovery.conf');
const cleanup = (): string => `chroot ${mount} rpm-ostree cleanup --os=rhcos -r`;

/** Runs the download with these free bytes in /boot, before and after the cleanup. */
const download = async (free: readonly number[], programs: Record<string, Partial<CommandResult>> = {}) => {
  const left = [...free];
  const { lines, run } = recorded({ mount: '', chroot: '', ...programs });
  const withDf: RunCommand = async (program, ...more) =>
    program === 'df' ? { exitCode: 0, stdout: df(left.shift() ?? 0) } : run(program, ...more);
  const order = {
    host_fs_mount_dir: mount,
    kernel_url: `${url}/kernel`,
    initrd_url: `${url}/initrd?token=a`,
    rootfs_url: `${url}/rootfs`,
  };
  return { lines, ...(await step(machineWith(withDf), 'download-boot-artifacts', order)) };
};

describe('the boot artifacts of a reclaimed host', () => {
  it('are in /boot, with a boot entry', async () => {
    const { exitCode, lines } = await download([FREE_BYTES_MIN + 1]);
    expect(exitCode).toBe(0);
    expect(lines).toEqual([`mount -o remount,rw ${join(mount, 'boot')}`]);
    expect(readFileSync(join(discovery(), 'vmlinuz'), 'utf8')).toBe(KERNEL);
    expect(readFileSync(join(discovery(), 'initrd'), 'utf8')).toBe(INITRD);
    expect(readFileSync(entry(), 'utf8')).toBe(
      `title Assisted Installer Discovery\nversion 999\noptions random.trust_cpu=on ignition.firstboot ignition.platform.id=metal 'coreos.live.rootfs_url=${url}/rootfs'\nlinux /discovery/vmlinuz\ninitrd /discovery/initrd\n`,
    );
  });

  it('replace the previous operating system when /boot lacks space', async () => {
    const { exitCode, lines } = await download([FREE_BYTES_MIN - 1, FREE_BYTES_MIN + 1]);
    expect(exitCode).toBe(0);
    expect(lines.at(-1)).toBe(cleanup());
    expect(readdirSync(discovery()).sort()).toEqual(['initrd', 'vmlinuz']);
  });

  it('leave nothing in /boot when the space is not sufficient', async () => {
    await download([FREE_BYTES_MIN + 1]);
    expect([existsSync(discovery()), existsSync(entry())]).toEqual([true, true]);
    const { error, lines } = await download([0, FREE_BYTES_MIN - 1]);
    expect(error).toBe(
      `The discovery image needs ${FREE_BYTES_MIN} bytes in /boot, and ${FREE_BYTES_MIN - 1} bytes are free. Remove files from /boot, or boot the discovery image at the machine.`,
    );
    expect(lines).toContain(cleanup());
    expect([existsSync(discovery()), existsSync(entry())]).toEqual([false, false]);
  });

  it('are not in /boot when the previous operating system cannot be removed', async () => {
    const { error } = await download([0], { chroot: { exitCode: 1, stderr: 'busy' } });
    expect(error).toContain('ended with exit code 1: busy');
    expect(existsSync(discovery())).toBe(false);
  });
});

describe('the reboot of a reclaimed host', () => {
  const reboot = async (architecture: string) => {
    const { lines, run } = recorded({ mount: '', chroot: '' });
    const order = { host_fs_mount_dir: mount };
    return { lines, ...(await step(machineWith(run, architecture), 'reboot-for-reclaim', order)) };
  };

  it('uses the boot entry', async () => {
    const { exitCode, lines } = await reboot('x86_64');
    expect([exitCode, lines]).toEqual([0, [`chroot ${mount} systemctl reboot`]]);
  });

  it('writes the boot record on s390x, with the arguments for the network and the disks', async () => {
    mkdirSync(join(mount, 'boot/loader/entries'), { recursive: true });
    writeFileSync(entry(), 'title x\noptions ignition.firstboot coreos.live.rootfs_url=http://r\nlinux /x\n');
    writeFileSync(
      join(mount, 'proc/cmdline'),
      'root=UUID=1 ip=192.0.2.2::192.0.2.1:24 nameserver=192.0.2.53 rd.znet=qeth,0.0.1 zfcp.allow_lun_scan=0 rd.zfcp=0.0.8,0x1,0x0 rd.zfcp=0.0.9,0x2,0x0 rd.dasd=0.0.3 ostree=/x\n',
    );
    const { exitCode, lines } = await reboot('s390x');
    expect(exitCode).toBe(0);
    expect(lines).toEqual([
      `mount -o remount,rw ${join(mount, 'boot')}`,
      `chroot ${mount} zipl -V -t /boot -i /boot/discovery/vmlinuz -r /boot/discovery/initrd -P ignition.firstboot coreos.live.rootfs_url=http://r ip=192.0.2.2::192.0.2.1:24 nameserver=192.0.2.53 rd.znet=qeth,0.0.1 zfcp.allow_lun_scan=0 rd.zfcp=0.0.8,0x1,0x0 rd.zfcp=0.0.9,0x2,0x0 rd.dasd=0.0.3`,
      `chroot ${mount} systemctl reboot`,
    ]);
  });
});
