import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Inventory } from '../machine/inventory';
import { ProgramMissing, type RunCommand } from './command';
import { readDisks } from './disks';
import { linuxMachine } from './linux-machine';
import type { MachineFiles } from './machine-files';

const never = new AbortController().signal;
const withoutTools: RunCommand = async (program) => {
  throw new ProgramMissing(program);
};
const roots: string[] = [];
afterAll(() => roots.forEach((root) => rmSync(root, { recursive: true })));

type Files = { readonly [path: string]: string };

/** Returns the inventory of a machine with these files. A content that starts with `->` is a symbolic link. */
async function inventoryOf(files: Files, run = withoutTools, architecture = 'x86_64'): Promise<Inventory> {
  const root = mkdtempSync(join(tmpdir(), 'muster-inventory-'));
  roots.push(root);
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    if (content.startsWith('->')) symlinkSync(content.slice(2), join(root, path));
    else writeFileSync(join(root, path), content);
  }
  const machine = linuxMachine({ root, architecture, hostname: () => 'node', addresses: () => ({}), run });
  return (await machine.abilities.inventory?.({ hostId: '' }, never)) as Inventory;
}

const diskOf = async (name: string, files: Files) =>
  (await inventoryOf({ [`/sys/block/${name}/size`]: '2048', ...files })).disks.find((one) => one.name === name);

describe('the disks of a machine', () => {
  it.each([
    ['ECKD', { discipline: 'ECKD' }],
    ['ECKD (ESE)', { discipline: 'ECKD', ese: '1' }],
    ['FBA', { discipline: 'FBA' }],
  ])('include direct access storage devices of type %s', async (type, device) => {
    const files = Object.entries(device).map(([name, text]) => [`/sys/block/dasda/device/${name}`, text] as const);
    expect((await diskOf('dasda', Object.fromEntries(files)))?.drive_type).toBe(type);
  });

  const SESSION = '/sys/devices/platform/host2/session1/target/block/sdb';
  const ISCSI: Files = {
    '/sys/block/sdb': `->../devices/platform/host2/session1/target/block/sdb`,
    [`${SESSION}/size`]: '2048',
    [`${SESSION}/device/state`]: 'running',
    '/dev/disk/by-path/ip-192.0.2.9:3260-iscsi-iqn.2026-01.com.example:disk-lun-0': '->../../sdb',
    '/sys/class/iscsi_host/host2/ipaddress': '192.0.2.20',
    '/sys/class/iscsi_session/session1/targetname': 'iqn.2026-01.com.example:disk',
    '/sys/firmware/ibft/target0/target-name': 'iqn.2026-01.com.example:disk',
  };
  const iscsiDisk = async (changes: { readonly [path: string]: string | undefined } = {}) => {
    const files = Object.entries({ ...ISCSI, ...changes }).flatMap(([path, text]) =>
      text === undefined ? [] : [[path, text] as const],
    );
    return (await inventoryOf(Object.fromEntries(files))).disks[0];
  };

  it('have the host address of an iSCSI session', async () => {
    expect(await iscsiDisk()).toMatchObject({
      drive_type: 'iSCSI',
      iscsi: { host_ip_address: '192.0.2.20' },
      installation_eligibility: { eligible: true },
    });
  });

  it.each([
    [{ [`${SESSION}/device/state`]: 'offline' }, 'iSCSI disk is offline, it must be running'],
    [{ '/sys/class/iscsi_session/session1/targetname': undefined }, 'Cannot find iSCSI target name'],
    [{ '/sys/firmware/ibft/target0/target-name': undefined }, 'iBFT firmware is missing'],
    [
      { '/sys/firmware/ibft/target0/target-name': 'iqn.other' },
      'iSCSI target iqn.2026-01.com.example:disk is missing in the iBFT',
    ],
  ])('are not eligible when the firmware cannot boot from them: %#', async (changes, reason) => {
    expect((await iscsiDisk(changes))?.installation_eligibility.not_eligible_reasons).toEqual([reason]);
  });

  it('are found with one read of each persistent name, however many disks there are', async () => {
    const names = Array.from({ length: 50 }, (_, index) => `sd${index}`);
    const reads: string[] = [];
    const files: MachineFiles = {
      text: () => undefined,
      bytes: () => undefined,
      firstBytes: async () => undefined,
      resolved: () => undefined,
      exists: () => true,
      list: (path) => (path.startsWith('/dev/disk/') ? names.map((name) => `wwn-${name}`) : names),
      link: (path) => {
        reads.push(path);
        return `../../${path.replace(/.*wwn-/, '')}`;
      },
    };
    expect((await readDisks(files)).map(({ by_id }) => by_id)).toEqual(
      names.map((name) => `/dev/disk/by-id/wwn-${name}`),
    );
    expect(reads).toHaveLength(2 * names.length);
  });

  it('are Fibre Channel according to their path on s390x too', async () => {
    const disk = await diskOf('sdc', { '/dev/disk/by-path/fc-0x500507-lun-0': '->../../sdc' });
    expect(disk?.drive_type).toBe('FC');
  });

  it.each(['pmem0', 'nbd0', 'rbd0', 'drbd0', 'mtdblock0'])(
    'are not eligible for installation when their controller is unknown: %s',
    async (name) => {
      const disk = await diskOf(name, { [`/sys/block/${name}/queue/rotational`]: '0' });
      expect(disk?.installation_eligibility).toEqual({
        eligible: false,
        not_eligible_reasons: ['Disk has an unknown storage controller'],
      });
    },
  );

  it.each(['sda', 'hda', 'vda', 'xvda', 'nvme0n1', 'mmcblk0', 'dasda', 'md0', 'md127', 'md_d0'])(
    'are eligible for installation with a known controller: %s',
    async (name) => {
      expect((await diskOf(name, {}))?.installation_eligibility.eligible).toBe(true);
    },
  );

  it('are not in use because of a bind mount', async () => {
    const mountInfo = (folder: string): Files => ({
      '/proc/self/mountinfo': `36 35 8:2 ${folder} /var/data rw - xfs /dev/sda2 rw\n`,
    });
    expect((await diskOf('sda', mountInfo('/folder')))?.installation_eligibility.eligible).toBe(true);
    expect((await diskOf('sda', mountInfo('/')))?.installation_eligibility.not_eligible_reasons).toEqual([
      'Disk is in use: /dev/sda2 is mounted at /var/data',
    ]);
  });

  const useOf = async (disk: string, mounted: string) => {
    const mount = `36 35 8:2 / /var/data rw - xfs /dev/${mounted} rw\n`;
    return (await diskOf(disk, { '/proc/self/mountinfo': mount }))?.installation_eligibility.not_eligible_reasons;
  };

  it.each([
    ['sda', 'sdap1', 'sda1'],
    ['nvme0n1', 'nvme0n10', 'nvme0n1p2'],
    ['md1', 'md12', 'md1p2'],
  ])('are in use because of their partitions, not because of other disks: %s, %s', async (disk, other, partition) => {
    expect(await useOf(disk, other)).toEqual([]);
    expect(await useOf(disk, partition)).toEqual([`Disk is in use: /dev/${partition} is mounted at /var/data`]);
    expect(await useOf(disk, disk)).toEqual([`Disk is in use: /dev/${disk} is mounted at /var/data`]);
  });

  it('are one disk of 100 GiB on an appliance', async () => {
    const { disks } = await inventoryOf({
      '/sys/block/sda/size': '2048',
      '/sys/block/dm-0/dm/name': 'agentboot',
      '/sys/block/dm-0/size': '2048',
    });
    expect(disks).toMatchObject([{ name: 'dm-0', drive_type: 'SSD', size_bytes: 100 * 1024 ** 3 }]);
  });
});

describe('the network interfaces of a machine', () => {
  const interfaceWith = async (files: Files) => {
    const net = '/sys/devices/virtual/net/x0';
    const all = Object.entries({ address: '52:54:00:00:00:01', ...files }).map(([n, text]) => [`${net}/${n}`, text]);
    const link = { '/sys/class/net/x0': '->../../devices/virtual/net/x0' };
    return (await inventoryOf({ ...Object.fromEntries(all), ...link })).interfaces[0];
  };

  it.each([
    ['0x1003', 'up', ['up', 'broadcast', 'multicast', 'running']],
    ['0x1003', 'unknown', ['up', 'broadcast', 'multicast', 'running']],
    ['0x1003', 'down', ['up', 'broadcast', 'multicast']],
    ['0x1002', 'up', ['broadcast', 'multicast']],
  ])('with flags %s are running in state %s: %j', async (flags, operstate, names) => {
    expect((await interfaceWith({ flags, operstate }))?.flags).toEqual(names);
  });

  it.each<[string, Files]>([
    ['vlan', { uevent: 'DEVTYPE=vlan\n' }],
    ['bridge', { uevent: 'DEVTYPE=bridge\n' }],
    ['tun', { tun_flags: '0x1' }],
    ['veth', { iflink: '7', ifindex: '3' }],
    ['device', { iflink: '3', ifindex: '3' }],
  ])('are of type %s', async (type, files) => {
    expect((await interfaceWith(files))?.type).toBe(type);
  });
});

describe('the IPv6 addresses of a machine', () => {
  const inventoryWith = async (route: string) => {
    const root = mkdtempSync(join(tmpdir(), 'muster-inventory-'));
    roots.push(root);
    mkdirSync(join(root, 'sys/class/net/eth0'), { recursive: true });
    writeFileSync(join(root, 'sys/class/net/eth0/address'), '52:54:00:00:00:01');
    mkdirSync(join(root, 'proc/net'), { recursive: true });
    writeFileSync(join(root, 'proc/net/ipv6_route'), route);
    const address = '2001:db8::5';
    const addresses = () => ({
      eth0: [
        { address, cidr: `${address}/128`, family: 'IPv6', netmask: '', mac: '', internal: false, scopeid: 0 } as const,
      ],
    });
    const machine = linuxMachine({
      root,
      architecture: 'x86_64',
      hostname: () => 'node',
      addresses,
      run: withoutTools,
    });
    const { interfaces } = (await machine.abilities.inventory?.({ hostId: '' }, never)) as Inventory;
    return interfaces[0]?.ipv6_addresses;
  };
  const route = (prefix: string, flags: string, device = 'eth0') =>
    `20010db8000000000000000000000000 ${prefix} ${'0'.repeat(32)} 00 ${'0'.repeat(32)} 00000400 00000001 00000000 ${flags} ${device}\n`;

  it.each([
    ['on the link', route('40', '00040001'), '2001:db8::5/64'],
    ['through a gateway', route('40', '00000003'), '2001:db8::5/128'],
    ['of another interface', route('40', '00040001', 'eth1'), '2001:db8::5/128'],
    ['to the address itself', route('80', '00000001'), '2001:db8::5/128'],
    ['to all networks', route('00', '00000001'), '2001:db8::5/128'],
  ])('of DHCPv6 with a route %s have its prefix', async (_, routes, expected) => {
    expect(await inventoryWith(routes)).toEqual([expected]);
  });
});

describe('a machine of s390x', () => {
  const CPU_INFO =
    'vendor_id       : IBM/S390\n# processors    : 1\nprocessor 0: version = FF,  identification = 1,  machine = 3931\n';

  it.each([
    ['LPAR', 'Manufacturer:         IBM\n', false],
    ['z/VM    7.3.0', 'VM00 Control Program: z/VM    7.3.0\n', false],
    ['KVM/Linux', 'VM00 Control Program: KVM/Linux\n', true],
  ])('is named %s', async (product_name, sysinfo, virtual) => {
    const { cpu, system_vendor } = await inventoryOf({ '/proc/cpuinfo': CPU_INFO, '/proc/sysinfo': sysinfo });
    expect(system_vendor).toMatchObject({ manufacturer: 'IBM/S390', product_name, virtual });
    expect(cpu).toMatchObject({ count: 1, model_name: '3931' });
  });

  it('has routes whose addresses the kernel prints in the byte order of the machine', async () => {
    const header = 'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\n';
    const table = `${header}enc1\t00000000\tC0000201\t0003\t0\t0\t100\t00000000\n`;
    const { routes } = await inventoryOf({ '/proc/net/route': table }, withoutTools, 's390x');
    expect(routes).toMatchObject([{ destination: '0.0.0.0', gateway: '192.0.2.1', interface: 'enc1' }]);
  });
});

it.each([
  ['a virtual machine of aarch64, whose processors do not show it', 'aarch64', { exitCode: 0, stdout: 'kvm\n' }, true],
  ['a physical machine', 'aarch64', { exitCode: 1, stdout: 'none\n' }, false],
])('%s is known from systemd', async (_, architecture, answer, virtual) => {
  const run: RunCommand = async (program, args, ...more) =>
    [program, ...args].join(' ') === 'systemd-detect-virt --vm' ? answer : withoutTools(program, args, ...more);
  expect((await inventoryOf({}, run, architecture)).system_vendor).toMatchObject({ virtual });
});

describe('the cards and controllers of a machine', () => {
  it('have the names of the PCI database', async () => {
    const { gpus } = await inventoryOf({
      '/sys/bus/pci/devices/0000:3b:00.0/class': '0x030200',
      '/sys/bus/pci/devices/0000:3b:00.0/vendor': '0x10de',
      '/sys/bus/pci/devices/0000:3b:00.0/device': '0x1eb8',
      '/usr/share/hwdata/pci.ids':
        '# list\n1002  Other\n\t1eb8  Wrong card\n10de  NVIDIA Corporation\n\t1eb8  TU104GL [Tesla T4]\n\t\t10de 12a2  Sub\n',
    });
    expect(gpus).toMatchObject([{ vendor: 'NVIDIA Corporation', name: 'TU104GL [Tesla T4]' }]);
  });

  it('are queried with ipmitool and biosdevname when those are installed', async () => {
    const answers = new Map([
      ['ipmitool lan print 2', 'IP Address Source : DHCP\nIP Address              : 192.0.2.77\n'],
      ['ipmitool lan6 print 2 enables', 'IPv6/IPv4 Addressing Enables: both\n'],
      [
        'ipmitool lan6 print 2 static_addr',
        'IPv6 Static Address 0:\n    Enabled:        yes\n    Address:        2001:db8::77/64\n    Status:         active\n',
      ],
      ['biosdevname -i x0', 'em1\n'],
    ]);
    const run: RunCommand = async (program, args) => {
      const line = [program, ...args].join(' ');
      return line === 'ipmitool lan print 1'
        ? { exitCode: 1, stdout: '', stderr: 'Invalid channel: 1' }
        : { exitCode: 0, stdout: answers.get(line) ?? '' };
    };
    const found = await inventoryOf({ '/sys/class/net/x0/address': '52:54:00:00:00:01' }, run);
    expect(found).toMatchObject({ bmc_address: '192.0.2.77', bmc_v6address: '2001:db8::77' });
    expect(found.interfaces[0]?.biosdevname).toBe('em1');
  });

  it('have the defaults of assisted-service v2 when the tools are missing', async () => {
    expect(await inventoryOf({})).toMatchObject({ bmc_address: '0.0.0.0', bmc_v6address: '::/0' });
  });
});
