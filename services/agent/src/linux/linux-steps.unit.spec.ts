import { execFileSync } from 'node:child_process';
import dgram from 'node:dgram';
import { closeSync, constants, ftruncateSync, mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import fsPromises from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { eventually } from '@muster/testing';
import { StepFailed } from '../machine/machine.port';
import { kernelNeighbours, type NeighbourProbe, parseNeighbours, upAddresses } from './address-checks';
import type { RunCommand } from './command';
import { lastLease } from './dhcp-leases';
import { BLOCK_BYTES, measureDiskSpeed, percentileMs } from './disk-speed';
import { linuxMachine } from './linux-machine';
import { collect } from './logs-gather';
import { recorded, step } from './recorded-commands.fixture.spec';

const { signal } = new AbortController();

const answering = (...addresses: string[]): NeighbourProbe => ({
  find: async (asked) =>
    addresses
      .filter((address) => asked.includes(address))
      .map((address) => ({ address, interface: 'eno1', mac: '52:54:00:00:00:09' })),
});
describe('free addresses', () => {
  const addresses = () => ({});

  it('are those without an answer, according to the kernel when nmap is missing', async () => {
    const machine = linuxMachine({ ...recorded({}), probe: answering('192.0.2.1', '192.0.2.2'), addresses });
    expect(await step(machine, 'free-network-addresses', ['192.0.2.0/29'])).toMatchObject({
      result: [
        {
          network: '192.0.2.0/29',
          free_addresses: ['192.0.2.0', '192.0.2.3', '192.0.2.4', '192.0.2.5', '192.0.2.6', '192.0.2.7'],
        },
      ],
    });
  });

  it('are found with nmap when it is installed', async () => {
    const xml =
      '<nmaprun><host><status state="up" reason="arp-response"/><address addr="192.0.2.1" addrtype="ipv4"/><address addr="52:54:00:00:00:01" addrtype="mac"/></host><host><status state="down"/><address addr="192.0.2.2" addrtype="ipv4"/></host></nmaprun>';
    const { lines, run } = recorded({ nmap: xml });
    const { result } = await step(linuxMachine({ run, probe: answering(), addresses }), 'free-network-addresses', [
      '192.0.2.0/30',
    ]);
    expect(result).toEqual([{ network: '192.0.2.0/30', free_addresses: ['192.0.2.0', '192.0.2.2', '192.0.2.3'] }]);
    expect(lines).toContain('nmap -sn -PR -n -oX - 192.0.2.0/30');
    expect(upAddresses(xml)).toEqual(['192.0.2.1']);
  });

  it('are limited to 8,000, in whole blocks', async () => {
    const { result } = await step(linuxMachine({ ...recorded({}), probe: answering() }), 'free-network-addresses', [
      '10.0.0.0/16',
    ]);
    expect((result as { free_addresses: string[] }[])[0]?.free_addresses).toHaveLength(8_000);
  });

  it.each(['192.0.2.1/24', '192.0.2.0', '300.0.2.0/24', '192.0.2.0/33'])('are refused for %s', async (network) => {
    const { error, exitCode } = await step(
      linuxMachine({ ...recorded({}), probe: answering() }),
      'free-network-addresses',
      [network],
    );
    expect(exitCode).toBe(-1);
    expect(error).toContain(`"${network}" is not an IPv4 network`);
  });
});

describe('the neighbour table', () => {
  it('has a MAC address only for addresses that answered', () => {
    const json = JSON.stringify([
      { dst: '192.0.2.1', dev: 'eno1', lladdr: '52:54:00:00:00:0A', state: ['REACHABLE'] },
      { dst: '192.0.2.2', dev: 'eno1', state: ['FAILED'] },
      { dst: '192.0.2.3', dev: 'eno1', lladdr: '52:54:00:00:00:0b', state: ['FAILED'] },
    ]);
    expect(parseNeighbours(json)).toEqual([
      { address: '192.0.2.1', interface: 'eno1', mac: '52:54:00:00:00:0a' },
      { address: '192.0.2.2', interface: 'eno1' },
      { address: '192.0.2.3', interface: 'eno1' },
    ]);
    expect(parseNeighbours('')).toEqual([]);
  });

  it('has no IPv6 address on a machine that cannot open a socket for it', async () => {
    const socket = dgram.createSocket({ type: 'udp6', lookup: (_name, _options, end) => end(new Error('no'), '', 6) });
    const ending = new AbortController();
    socket.once('error', () => ending.abort());
    const create = jest.spyOn(dgram, 'createSocket').mockReturnValue(socket);
    const { run } = recorded({ ip: '[]' });
    expect(await kernelNeighbours(run).find(['2001:db8::1'], ending.signal)).toEqual([]);
    create.mockRestore();
  });
});

describe('the check of VIPs', () => {
  it('fails for an address that a neighbour or ping finds in use', async () => {
    const { run } = recorded({ ping: { exitCode: 1 }, 'ping -c 2 -W 2 -q 198.51.100.5': '' });
    const machine = linuxMachine({ run, probe: answering('192.0.2.100') });
    const vips = ['192.0.2.100', '192.0.2.101', '198.51.100.5'].map((vip) => ({ vip, vip_type: 'api' }));
    expect((await step(machine, 'verify-vips', vips)).result).toEqual([
      { vip: '192.0.2.100', vip_type: 'api', verification: 'failed' },
      { vip: '192.0.2.101', vip_type: 'api', verification: 'succeeded' },
      { vip: '198.51.100.5', vip_type: 'api', verification: 'failed' },
    ]);
  });
});

describe('the speed of a disk', () => {
  const limits = (path: string, timeoutMs: number) => ({ path, timeoutMs, hanging: new Set<string>() });
  const folder = mkdtempSync(join(tmpdir(), 'disk-speed-'));
  afterAll(() => rmSync(folder, { recursive: true }));
  const disk = (): string => {
    const path = join(folder, 'disk');
    const file = openSync(path, 'w');
    ftruncateSync(file, 1024 * 1024);
    closeSync(file);
    return path;
  };

  it('is measured with as many synchronous writes as the size requires', async () => {
    const options = { ...limits(disk(), 20_000), totalBytes: 20 * BLOCK_BYTES, isTarget: () => true };
    expect(await measureDiskSpeed(options, signal)).toBeGreaterThanOrEqual(0);
  });

  it('is the 99th percentile in whole milliseconds', () => {
    const latencies = Array.from({ length: 100 }, (_, index) => BigInt(index + 1) * 1_000_000n + 999_999n);
    expect(percentileMs(latencies)).toBe(99);
    expect(percentileMs([2_500_000n])).toBe(2);
  });

  it('is not measured on a path that is not a disk', async () => {
    await expect(measureDiskSpeed(limits(disk(), 1_000), signal)).rejects.toThrow(/is not a disk/);
    await expect(measureDiskSpeed(limits('/dev/none', 1_000), signal)).rejects.toThrow(StepFailed);
  });

  it('is a failure at the time limit when a write does not end, and is measured again after that write', async () => {
    const options = { ...limits(join(folder, 'pipe'), 50), isTarget: () => true };
    const { path, hanging } = options;
    // A pipe opens for writing when it has a reader.
    execFileSync('mkfifo', [path]);
    const message = `The disk ${path} did not finish a write within 0.05 s.`;
    await expect(measureDiskSpeed(options, signal)).rejects.toMatchObject({ exitCode: 124, message });
    const again = { exitCode: 124, message: `${message} That write still has not ended.` };
    await expect(measureDiskSpeed(options, signal)).rejects.toMatchObject(again);
    const reader = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    await eventually('the write has ended', () => hanging.size === 0);
    const patient = measureDiskSpeed({ ...options, timeoutMs: 20_000 }, signal);
    await expect(patient).rejects.toThrow(/failed while it was measured/);
    closeSync(reader);
  });

  it('is not measured again while the write of one writer does not end after the other one failed', async () => {
    const options = { ...limits(disk(), 50), isTarget: () => true };
    let endOpening = (): void => undefined;
    const opening = new Promise<never>((_, reject) => (endOpening = () => reject(new Error('the disk is gone'))));
    const open = jest.spyOn(fsPromises, 'open').mockRejectedValueOnce(new Error('EIO')).mockReturnValueOnce(opening);
    await expect(measureDiskSpeed(options, signal)).rejects.toMatchObject({ exitCode: 124 });
    await expect(measureDiskSpeed(options, signal)).rejects.toThrow(/That write still has not ended\.$/);
    endOpening();
    await eventually('the write has ended', () => options.hanging.size === 0);
    open.mockRestore();
  });
});

describe('the check of the speed of a disk', () => {
  const check = (path: string) => step(linuxMachine(recorded({})), 'installation-disk-speed-check', { path }, '480.00');

  it('reports the disk also when it cannot be measured', async () => {
    expect(await check('/dev/none')).toEqual({
      exitCode: -1,
      error: '/dev/none is not a disk of this machine.',
      result: { path: '/dev/none', io_sync_duration: 0 },
    });
  });
});

describe('the check of images', () => {
  it('reports size and speed of pulled images, and images that cannot be pulled', async () => {
    const { run, given } = recorded({
      'podman images --quiet a': 'id\n',
      'podman pull c': {
        exitCode: 125,
        stderr: 'Trying to pull c...\nError: http://me:canary@proxy:1: unauthorized\n',
      },
      'podman pull d': { exitCode: 124 },
      'podman image inspect': '5000000\n',
    });
    const { exitCode, error, result } = await step(linuxMachine({ run }), 'container-image-availability', {
      images: ['a', 'b', 'c', 'd'],
      timeout: 60,
    });
    expect(exitCode).toBe(2);
    expect(error).toBe(
      'These images cannot be pulled: c (Error: http://proxy:1: unauthorized), d (not complete after 0 s).',
    );
    expect(JSON.stringify(result)).not.toContain('reason');
    expect(result).toMatchObject({
      images: [
        { name: 'a', result: 'success', size_bytes: 0 },
        { name: 'b', result: 'success', size_bytes: 5_000_000 },
        { name: 'c', result: 'failure' },
        { name: 'd', result: 'failure' },
      ],
    });
    expect(Math.max(...given.flatMap((one) => one?.timeoutMs ?? []))).toBeLessThanOrEqual(60_000);
  });

  it('measures independently of the clock, which may be set meanwhile', async () => {
    const { given, lines, run } = recorded({ podman: '' });
    const wallClock = jest.spyOn(Date, 'now');
    const running: RunCommand = (program, args, ...more) => {
      if (args[0] === 'pull') wallClock.mockReturnValue(Date.UTC(2040, 0, lines.length));
      return run(program, args, ...more);
    };
    const { result } = await step(linuxMachine({ run: running }), 'container-image-availability', {
      images: ['a', 'b'],
      timeout: 60,
    });
    wallClock.mockRestore();
    const limits = given
      .filter((_, index) => lines[index]?.startsWith('podman pull'))
      .map((one) => one?.timeoutMs ?? 0);
    expect(Math.min(...limits)).toBeGreaterThan(1_000);
    expect(limits.filter((limit) => !Number.isInteger(limit))).toEqual([]);
    const { images } = result as { images: readonly { readonly time: number }[] };
    expect(Math.max(...images.map(({ time }) => time))).toBeLessThan(60);
  });

  it('reports all images as missing without podman, because the preparation waits for a report', async () => {
    const { error, exitCode, result } = await step(linuxMachine(recorded({})), 'container-image-availability', {
      images: ['a', 'b'],
    });
    const reason = 'The program podman is not installed on this machine.';
    expect([exitCode, error]).toEqual([2, `These images cannot be pulled: a (${reason}), b (${reason}).`]);
    const missing = { size_bytes: 0, time: 0, download_rate: 0, result: 'failure' };
    expect(result).toEqual({ images: ['a', 'b'].map((name) => ({ name, ...missing })) });
  });
});

const LEASE_ORDER = { interface: 'eno1', api_vip_mac: '00:1a:4a:00:00:01', ingress_vip_mac: '00:1a:4a:00:00:02' };

describe('DHCP leases for VIPs', () => {
  it('are the last ones in the lease file', () => {
    const lease = (address: string): string => `lease {\n  fixed-address ${address};\n}`;
    expect(lastLease(`${lease('192.0.2.5')}\n${lease('192.0.2.6')}\n`, 'eno1')).toBe(lease('192.0.2.6'));
    expect(() => lastLease('', 'eno1')).toThrow(/No DHCP server on the network of eno1/);
  });

  it('request the address of an earlier lease', async () => {
    const files: string[] = [];
    const run: RunCommand = async (program, args) => {
      const file = args[args.indexOf('-lf') + 1];
      if (program === 'dhclient' && file) files.push(readFileSync(file, 'utf8'));
      return { exitCode: 0, stdout: '', stderr: '' };
    };
    const lease = (address: string): string => `lease {\n  interface "eno2";\n  fixed-address ${address};\n}\n`;
    const leases = { api_vip_lease: lease('192.0.2.100'), ingress_vip_lease: lease('192.0.2.101') };
    const order = { ...LEASE_ORDER, ...leases };
    const { result } = await step(linuxMachine({ run }), 'dhcp-lease-allocate', order);
    expect(result).toMatchObject({ api_vip_address: '192.0.2.100', ingress_vip_address: '192.0.2.101' });
    expect(files).toEqual([
      'lease {\n  interface "api";\n  fixed-address 192.0.2.100;\n}\n',
      'lease {\n  interface "ingress";\n  fixed-address 192.0.2.101;\n}\n',
    ]);
  });

  it('leave no interface and no dhclient, even when a program is missing', async () => {
    const { lines, run } = recorded({ ip: '' });
    expect((await step(linuxMachine({ run }), 'dhcp-lease-allocate', LEASE_ORDER)).error).toMatch(
      /dhclient is not installed/,
    );
    expect(lines).toEqual([
      'ip link delete api',
      'ip link add link eno1 name api address 00:1a:4a:00:00:01 type macvlan',
      'ip link set api up',
      expect.stringMatching(/^dhclient -v -H 00-1a-4a-00-00-01-api -sf \/bin\/true -lf .* --no-pid -1 api$/),
      `pkill -f dhclient .*-lf ${join(tmpdir(), 'muster-lease-api')} `,
      'ip link delete api',
    ]);
  });
});

describe('the logs', () => {
  it('contain the output of each program, and a report of the missing ones', async () => {
    const { run } = recorded({ journalctl: 'a line\n', lsblk: 'NAME\n', dmesg: { exitCode: 1, stderr: 'denied' } });
    const files = await collect(false, run, signal);
    expect(Object.keys(files)).toEqual([
      'mount.logs',
      'agent.logs',
      'installer.logs',
      'ironic-agent.logs',
      'dmesg.logs',
      'report.logs',
    ]);
    expect(files['mount.logs']).toContain('NAME\n');
    expect(files['report.logs']).toContain('mount.logs: The program findmnt is not installed on this machine.');
    expect(files['report.logs']).toContain('dmesg.logs: "dmesg -T" ended with exit code 1: denied');
  });
});
