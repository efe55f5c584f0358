import { parse } from 'yaml';
import { type BareMetalHost, bareMetalHosts, describeBareMetalHost } from './bare-metal-hosts';

type Disk = NonNullable<NonNullable<BareMetalHost['hardware']>['disks']>[number];
type Nic = NonNullable<NonNullable<BareMetalHost['hardware']>['nics']>[number];
type Rows = readonly Record<string, unknown>[];

/** Returns the hardware in the status annotation of a host. */
function hardwareOf(hardware: { readonly disks?: readonly Disk[]; readonly nics?: readonly Nic[] }) {
  const host: BareMetalHost = {
    hostname: 'master-0',
    role: 'master',
    bootMacAddress: '52:54:00:00:00:01',
    isLegacyBoot: false,
    hardware: hardware as BareMetalHost['hardware'],
  };
  const [file] = bareMetalHosts([host]);
  const { metadata } = parse(file?.content ?? '') as { metadata: { annotations: Record<string, string> } };
  const status = JSON.parse(metadata.annotations['baremetalhost.metal3.io/status'] ?? '') as {
    hardware: { nics: Rows; storage: Rows };
  };
  return status.hardware;
}

/** Returns the disks of a host that has one disk of each type. */
function storageOf(driveTypes: readonly string[]): Rows {
  return hardwareOf({ disks: driveTypes.map((driveType, index) => ({ name: `sd${index}`, driveType }) as Disk) })
    .storage;
}

describe('the status of a BareMetalHost', () => {
  it('contains the type of a hard disk and of a solid-state drive', () => {
    expect(storageOf(['HDD', 'SSD'])).toMatchObject([
      { name: '/dev/sd0', type: 'HDD', rotational: true },
      { name: '/dev/sd1', type: 'SSD', rotational: false },
    ]);
  });

  it.each(['ODD', 'FC', 'iSCSI', 'Multipath', 'RAID', 'LVM', 'Virtual', 'Unknown', ''])(
    'has a disk of type "%s" without a type, because the resource allows HDD, SSD and NVME only',
    (driveType) => {
      const [disk] = storageOf([driveType]);
      expect(disk).toMatchObject({ name: '/dev/sd0', rotational: false });
      expect(disk).not.toHaveProperty('type');
    },
  );

  it('has the loopback interface without a MAC address, because the resource does not allow an empty one', () => {
    const nics = ['52:54:00:00:00:01', ''].map(
      (macAddress, index) => ({ name: ['eth0', 'lo'][index], macAddress }) as Nic,
    );
    const [card, loopback] = hardwareOf({ nics }).nics;
    expect(card).toMatchObject({ name: 'eth0', mac: '52:54:00:00:00:01' });
    expect(loopback).toMatchObject({ name: 'lo' });
    expect(loopback).not.toHaveProperty('mac');
  });
});

describe('the BareMetalHosts of a large cluster', () => {
  const BYTES_MAX = 5 * 1024 * 1024;
  const DISKS = Array.from({ length: 24 }, (_, index) => ({
    path: `/dev/disk-${index}`,
    driveType: 'SSD',
    sizeBytes: 1_920_383_410_176,
    model: 'SAMSUNG MZ7LH1T9',
    serial: `S455NY0M2103${index}`,
    hctl: `0:0:${index}:0`,
  }));
  const cards = (count: number) =>
    Array.from({ length: count }, (_, index) => ({
      name: `ens${index}f0np0`,
      macAddress: `52:54:00:00:00:${10 + index}`,
      ipv4Addresses: index === 1 ? ['192.168.128.10/24'] : [],
      vendorId: '0x15b3',
      productId: '0x1017',
      speedMbps: 25_000,
    }));
  const hosts = (count: number, hardware: object): BareMetalHost[] =>
    Array.from({ length: count }, (_, index) => ({
      hostname: `worker-${index}.cluster.example.com`,
      role: 'worker',
      bootMacAddress: '52:54:00:00:00:01',
      isLegacyBoot: false,
      hardware: { cpuArchitecture: 'x86_64', cpuCount: 128, ...hardware } as BareMetalHost['hardware'],
    }));
  const detailsOf = ({ content = '' }: { readonly content?: string } = {}) => {
    const { metadata } = parse(content) as { metadata: { annotations: Record<string, string> } };
    const status = JSON.parse(metadata.annotations['baremetalhost.metal3.io/status'] ?? '') as {
      hardware: { cpu: object; nics: Rows; storage: Rows };
    };
    return status.hardware;
  };

  it.each([
    ['12 disks and 12 network cards', { disks: DISKS.slice(12), nics: cards(12) }],
    ['24 disks and 12 network cards', { disks: DISKS, nics: cards(12) }],
    ['24 disks and 64 network cards', { disks: DISKS, nics: cards(64) }],
  ])('are smaller than an artifact may be with %s per host, and have the address of each host', (_, hardware) => {
    const files = [...bareMetalHosts(hosts(1_000, hardware))];
    const bytes = files.reduce((sum, { content }) => sum + Buffer.from(content).toString('base64').length, 0);
    expect(bytes).toBeLessThan(BYTES_MAX * 0.8);
    for (const file of [files[0], files[999]]) {
      expect(detailsOf(file).cpu).toEqual({ arch: 'x86_64', count: 128 });
      expect(detailsOf(file).nics).toContainEqual(expect.objectContaining({ ip: '192.168.128.10' }));
    }
  });

  it('have all network cards when the disks alone are too large', () => {
    const [file] = bareMetalHosts(hosts(1_000, { disks: DISKS, nics: cards(12) }));
    expect(detailsOf(file).storage).toEqual([]);
    expect(detailsOf(file).nics).toHaveLength(12);
  });

  it('have the disks of hosts with few of them', () => {
    const [file] = bareMetalHosts([
      ...hosts(1, { disks: DISKS.slice(0, 2), nics: cards(4) }),
      ...hosts(999, { disks: DISKS, nics: cards(12) }),
    ]);
    expect(detailsOf(file).storage).toHaveLength(2);
  });

  it('have all disks and network cards in a cluster of 400 hosts', () => {
    const [file] = bareMetalHosts(hosts(400, { disks: DISKS, nics: cards(12) }));
    expect(detailsOf(file).storage).toHaveLength(24);
    expect(detailsOf(file).nics).toHaveLength(12);
  });

  it('are described in the same way in the manifests of the installer', () => {
    const all = hosts(1_000, { disks: DISKS, nics: cards(12) });
    const resource = `kind: BareMetalHost\nmetadata: {name: ${all[0]?.hostname}}\nspec: {}\n`;
    const content = describeBareMetalHost(resource, all);
    expect(detailsOf({ content })).toEqual(detailsOf([...bareMetalHosts(all)][0]));
    expect(detailsOf({ content }).storage).toEqual([]);
  });
});
