import { mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import type { Inventory } from '../machine/inventory';
import { runStep } from '../steps/run-step';
import { moduleBytes } from './hardware';
import { linuxMachine } from './linux-machine';
import { recorded } from './recorded-commands.fixture.spec';

const GIB = 1024 ** 3;
const never = new AbortController().signal;
const EUI = 'nvme-eui.002538b3010a1b2c';

/** An entry of SMBIOS type 17 with a size in MiB. */
const memoryModule = (size: number, extended = 0): Buffer => {
  const table = Buffer.alloc(0x28);
  table.writeUInt16LE(size, 0x0c);
  table.writeUInt32LE(extended, 0x1c);
  return table;
};

const BOOT_SECTOR = Buffer.alloc(512);
BOOT_SECTOR.writeUInt16LE(0xaa55, 510);

const SERVER: { readonly [path: string]: string | Buffer } = {
  '/proc/cpuinfo': Array.from(
    { length: 4 },
    (_, n) => `processor\t: ${n}\nmodel name\t: Test CPU: fast\ncpu MHz\t\t: 2100.5\nflags\t\t: fpu vmx sse\n`,
  ).join('\n'),
  '/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq': '3400000\n',
  '/proc/meminfo': 'MemTotal:       32594560 kB\nMemFree: 1 kB\n',
  '/sys/firmware/dmi/entries/17-0/raw': memoryModule(16384),
  '/sys/firmware/dmi/entries/17-1/raw': memoryModule(0x7fff, 16384),
  '/sys/firmware/dmi/entries/17-2/raw': memoryModule(0),
  '/proc/mounts':
    '/dev/loop1 /sysroot squashfs ro 0 0\n/dev/sr0 /run/media/iso iso9660 ro 0 0\n/dev/sda2 /data xfs rw 0 0\n',
  '/run/media/iso/.keep': '',
  '/proc/cmdline': 'BOOT_IMAGE=/vmlinuz BOOTIF=01-52-54-00-00-00-01 quiet\n',
  '/sys/firmware/efi/efivars/SecureBoot-8be4df61-93ca-11d2-aa0d-00e098032b8c': Buffer.from([6, 0, 0, 0, 1]),
  '/sys/class/dmi/id/sys_vendor': 'Dell Inc.\n',
  '/sys/class/dmi/id/product_name': 'PowerEdge R650\n',
  '/sys/class/dmi/id/product_serial': 'ABC1234\n',
  '/sys/class/dmi/id/product_uuid': '4C4C4544-0051-3310-8051-B7C04F4D3632\n',
  '/sys/class/dmi/id/board_serial': '.ABC1234.CN1.\n',
  '/sys/class/tpm/tpm0/tpm_version_major': '2\n',
  '/proc/sys/kernel/random/boot_id': 'b0b0b0b0-0000-4000-8000-000000000000\n',
  '/proc/net/route':
    'Iface\tDestination\tGateway\tFlags\tRefCnt\tUse\tMetric\tMask\neno1\t00000000\t010200C0\t0003\t0\t0\t100\t00000000\neno1\t000200C0\t00000000\t0001\t0\t0\t100\t00FFFFFF\n',
  '/proc/net/ipv6_route':
    '20010db8000000000000000000000000 40 00000000000000000000000000000000 00 00000000000000000000000000000000 00000064 00000001 00000000 00000001     eno1\n' +
    '00000000000000000000000000000001 80 00000000000000000000000000000000 00 00000000000000000000000000000000 00000000 00000002 00000000 80200001       lo\n' +
    'ff000000000000000000000000000000 08 00000000000000000000000000000000 00 00000000000000000000000000000000 00000100 00000004 00000000 00000001     eno1\n',
  '/sys/bus/pci/devices/0000:3b:00.0/class': '0x030200\n',
  '/sys/bus/pci/devices/0000:3b:00.0/vendor': '0x10de\n',
  '/sys/bus/pci/devices/0000:3b:00.0/device': '0x1eb8\n',
  '/sys/bus/pci/devices/0000:00:1f.0/class': '0x060100\n',
  '/sys/devices/pci0/net/eno1/address': '52:54:00:00:00:01\n',
  '/sys/devices/pci0/net/eno1/flags': '0x1003\n',
  '/sys/devices/pci0/net/eno1/carrier': '1\n',
  '/sys/devices/pci0/net/eno1/mtu': '9000\n',
  '/sys/devices/pci0/net/eno1/speed': '25000\n',
  '/sys/devices/pci0/net/eno1/device/vendor': '0x8086\n',
  '/sys/devices/pci0/net/eno1/device/device': '0x1563\n',
  '/sys/devices/virtual/net/bond0/address': '52:54:00:00:00:09\n',
  '/sys/devices/virtual/net/bond0/flags': '0x1003\n',
  '/sys/devices/virtual/net/bond0/uevent': 'DEVTYPE=bond\nINTERFACE=bond0\n',
  '/sys/devices/pci0/net/eno2/address': '52:54:00:00:00:09\n',
  '/sys/devices/pci0/net/eno2/bonding_slave/perm_hwaddr': '52:54:00:00:00:02\n',
  '/sys/block/sda/size': '1953525168\n',
  '/sys/block/sda/dev': '8:0\n',
  '/sys/block/sda/removable': '0\n',
  '/sys/block/sda/queue/rotational': '1\n',
  '/sys/block/sda/device/vendor': 'ATA     \n',
  '/sys/block/sda/device/model': 'ST1000NX0423-1A2\n',
  '/sys/block/sda/device/scsi_device/2:0:0:0/x': '',
  '/sys/block/sda/device/vpd_pg83': Buffer.from([0, 131]),
  '/run/udev/data/b8:0':
    'S:disk\nE:ID_MODEL=ST1000NX0423-1A2345\nE:ID_SERIAL=ST_W471ABCD\nE:ID_SERIAL_SHORT=W471ABCD\nE:ID_WWN=0x5000c500\nE:ID_WWN_WITH_EXTENSION=0x5000c50000000001\n',
  '/dev/sda': BOOT_SECTOR,
  '/sys/block/nvme0n1/size': '2000409264\n',
  '/sys/block/nvme0n1/queue/rotational': '0\n',
  '/sys/block/nvme0n1/serial': 'S4X\n',
  '/sys/block/nvme0n1/dev': '259:0\n',
  '/run/udev/data/b259:0': 'E:ID_SERIAL=Disk_S4X\n',
  '/dev/nvme0n1': Buffer.alloc(512),
  '/sys/block/sr0/size': '2097152\n',
  '/sys/block/sr0/removable': '1\n',
  '/dev/sr0': BOOT_SECTOR,
  '/sys/block/loop0/size': '100\n',
  '/sys/block/zram0/size': '100\n',
  '/sys/block/dm-0/dm/uuid': 'CRYPT-x\n',
  '/sys/block/dm-1/dm/uuid': 'mpath-3600\n',
  '/sys/block/dm-1/size': '2048\n',
  '/sys/block/sdz/hidden': '1\n',
};
const LINKS: { readonly [path: string]: string } = {
  '/sys/class/net/eno1': '../../devices/pci0/net/eno1',
  '/sys/class/net/eno2': '../../devices/pci0/net/eno2',
  '/sys/class/net/bond0': '../../devices/virtual/net/bond0',
  '/dev/disk/by-id/wwn-0x5000c500': '../../sda',
  '/dev/disk/by-id/ata-ST1000NX0423': '../../sda',
  [`/dev/disk/by-id/${EUI}`]: '../../nvme0n1',
  '/dev/disk/by-path/pci-0000:00:17.0-ata-1': '../../sda',
  '/dev/disk/by-path/pci-0000:00:17.0-ata-1-part2': '../../sda2',
};

describe('a Linux machine', () => {
  let root: string;
  let inventory: Inventory;
  const open = () =>
    linuxMachine({
      root,
      // The programs of the machine of this test show that machine.
      run: recorded({}).run,
      architecture: 'x86_64',
      hostname: () => 'localhost.localdomain',
      addresses: () => ({
        eno1: [
          { family: 'IPv4', address: '192.0.2.2', cidr: '192.0.2.2/24', netmask: '', mac: '', internal: false },
          { family: 'IPv4', address: '169.254.1.1', cidr: '169.254.1.1/16', netmask: '', mac: '', internal: false },
          { family: 'IPv6', address: 'fe80::1', cidr: 'fe80::1/64', netmask: '', mac: '', internal: false, scopeid: 2 },
          {
            family: 'IPv6',
            address: '2001:db8::2',
            cidr: '2001:db8::2/64',
            netmask: '',
            mac: '',
            internal: false,
            scopeid: 0,
          },
        ],
      }),
    });
  beforeAll(async () => {
    root = mkdtempSync(join(tmpdir(), 'muster-machine-'));
    for (const [path, content] of Object.entries(SERVER)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      writeFileSync(join(root, path), content);
    }
    for (const [path, target] of Object.entries(LINKS)) {
      mkdirSync(dirname(join(root, path)), { recursive: true });
      symlinkSync(target, join(root, path));
    }
    inventory = (await open().abilities.inventory?.({ hostId: '' }, never)) as Inventory;
  });
  afterAll(() => rmSync(root, { recursive: true }));
  const disk = (name: string) => inventory.disks.find((one) => one.name === name);

  it('counts its processors and reports the highest frequency', () => {
    expect(inventory.cpu).toEqual({
      architecture: 'x86_64',
      count: 4,
      flags: ['fpu', 'vmx', 'sse'],
      frequency: 3400,
      model_name: 'Test CPU: fast',
    });
  });

  it('reports the sum of its memory modules', () => {
    expect(inventory.memory).toEqual({
      physical_bytes: 32 * GIB,
      physical_bytes_method: 'dmidecode',
      usable_bytes: 32_594_560 * 1024,
    });
    expect(moduleBytes(memoryModule(0x8000 | 512))).toBe(512 * 1024);
    expect(moduleBytes(memoryModule(0xffff))).toBe(0);
  });

  it('reports physical disks only', () => {
    expect(inventory.disks.map(({ name }) => name)).toEqual(['dm-1', 'nvme0n1', 'sda', 'sr0']);
    expect(disk('dm-1')?.drive_type).toBe('Multipath');
  });

  it('names a disk by its persistent names', () => {
    expect(disk('sda')).toMatchObject({
      id: '/dev/disk/by-id/wwn-0x5000c500',
      by_id: '/dev/disk/by-id/wwn-0x5000c500',
      by_path: '/dev/disk/by-path/pci-0000:00:17.0-ata-1',
      drive_type: 'HDD',
      hctl: '2:0:0:0',
      serial: 'W471ABCD',
      model: 'ST1000NX0423-1A2345',
      wwn: '0x5000c50000000001',
      vendor: 'ATA',
      bootable: true,
      has_uuid: true,
      size_bytes: 1953525168 * 512,
    });
    expect(disk('nvme0n1')).toMatchObject({
      id: `/dev/disk/by-id/${EUI}`,
      drive_type: 'SSD',
      serial: 'Disk_S4X',
      bootable: false,
      installation_eligibility: { eligible: true, not_eligible_reasons: [] },
    });
  });

  it('reports why a disk is not eligible for installation', () => {
    expect(disk('sda')?.installation_eligibility).toEqual({
      eligible: false,
      not_eligible_reasons: ['Disk is in use: /dev/sda2 is mounted at /data'],
    });
    expect(disk('sr0')).toMatchObject({ is_installation_media: true, drive_type: 'ODD', removable: true });
  });

  it('reports its network cards with their permanent addresses, without link-local ones', () => {
    expect(inventory.interfaces.find(({ name }) => name === 'eno1')).toEqual({
      flags: ['up', 'broadcast', 'multicast'],
      has_carrier: true,
      ipv4_addresses: ['192.0.2.2/24'],
      ipv6_addresses: ['2001:db8::2/64'],
      mac_address: '52:54:00:00:00:01',
      mtu: 9000,
      name: 'eno1',
      product: '0x1563',
      speed_mbps: 25000,
      type: 'physical',
      vendor: '0x8086',
    });
    expect(inventory.interfaces.find(({ name }) => name === 'eno2')?.mac_address).toBe('52:54:00:00:00:02');
    expect(inventory.interfaces.find(({ name }) => name === 'bond0')?.type).toBe('bond');
  });

  it('reports its routes to hosts', () => {
    expect(inventory.routes).toEqual([
      { destination: '0.0.0.0', family: 2, gateway: '192.0.2.1', interface: 'eno1', metric: 100 },
      { destination: '192.0.2.0', family: 2, gateway: undefined, interface: 'eno1', metric: 100 },
      { destination: '2001:db8::', family: 10, gateway: undefined, interface: 'eno1', metric: 100 },
    ]);
  });

  it('reports how it was booted', () => {
    expect(inventory.boot).toEqual({
      command_line: SERVER['/proc/cmdline'],
      current_boot_mode: 'uefi',
      device_type: 'ephemeral',
      pxe_interface: '01-52-54-00-00-00-01',
      secure_boot_state: 'Enabled',
    });
    expect(inventory.tpm_version).toBe('2.0');
    expect(inventory.gpus).toEqual([{ address: '0000:3b:00.0', device_id: '1eb8', vendor_id: '10de' }]);
    expect(inventory.system_vendor).toMatchObject({
      manufacturer: 'Dell Inc.',
      serial_number: 'ABC1234',
      virtual: false,
    });
  });

  it('is named after its first interface when it has no name', () => {
    expect(inventory.hostname).toBe('52-54-00-00-00-01');
  });

  it('reads its identity', async () => {
    expect(await open().identity()).toEqual({
      baseboardSerial: '.ABC1234.CN1.',
      systemUuid: '4C4C4544-0051-3310-8051-B7C04F4D3632',
      systemSerial: 'ABC1234',
      macAddresses: ['52:54:00:00:00:09', '52:54:00:00:00:01', '52:54:00:00:00:02'],
      bootId: 'b0b0b0b0-0000-4000-8000-000000000000',
    });
  });

  it('never writes to a disk', async () => {
    const machine = { ...open(), isMediaReadable: async () => true };
    const install = {
      role: 'master',
      cluster_id: 'c',
      infra_env_id: 'i',
      host_id: 'h',
      boot_device: '/dev/sda',
      controller_image: 'x',
      installer_image: 'y',
    };
    expect((await runStep(machine, 'install', [JSON.stringify(install)], never)).error).toContain(
      'does not support the step "install"',
    );
    expect(await runStep(machine, 'installation-disk-speed-check', ['{"path":"/dev/sda"}', '1'], never)).toMatchObject({
      exitCode: -1,
    });
  });
});
