import { sampleDisk as disk, sampleHardware, sampleNic } from '../facts/sample.facts';
import type { Disk, Hardware } from './hardware';
import {
  assessDisks,
  chooseInstallationDisk,
  disksToFormat,
  eligibleDisks,
  NO_INSTALLATION_DISK,
} from './installation-disk';

const reasons = (hardware: Partial<Hardware>, version = '4.18.0', minGb = 100): readonly (readonly string[])[] =>
  assessDisks(sampleHardware(hardware), version, minGb).map((assessed) => assessed.reasons);
const isEligible = (one: Partial<Disk>, version = '4.18.0', hardware: Partial<Hardware> = {}): boolean =>
  eligibleDisks(sampleHardware({ ...hardware, disks: [disk(one)] }), version, 100).length === 1;

describe('eligibility of disks', () => {
  it('counts gigabytes as decimal', () => {
    expect(isEligible({ sizeBytes: 100_000_000_000 })).toBe(true);
    expect(isEligible({ sizeBytes: 99_999_999_999 })).toBe(false);
    expect(reasons({ disks: [disk({ sizeBytes: 5_000_000_000 })] })[0]).toEqual([
      'Disk has 5.0 GB, 100 GB are required',
    ]);
  });

  it('is kept per inventory, and determined again for another version and size', () => {
    const hardware = sampleHardware({ disks: [disk({ driveType: 'RAID', sizeBytes: 110_000_000_000 })] });
    expect(eligibleDisks(hardware, '4.18.0', 100)).toBe(eligibleDisks(hardware, '4.18.0', 100));
    expect(eligibleDisks(hardware, '4.18.0', 120)).toEqual([]);
    expect(eligibleDisks(hardware, '4.13.0', 100)).toEqual([]);
    expect(eligibleDisks(hardware, '4.18.0', 100)).toHaveLength(1);
  });

  it.each([
    ['HDD', '4.8.0', 'x86_64', true],
    ['SSD', '', 'x86_64', true],
    ['ODD', '4.18.0', 'x86_64', false],
    ['RAID', '4.13.9', 'x86_64', false],
    ['RAID', '4.14.0-rc.1', 'x86_64', true],
    ['RAID', '', 'x86_64', false],
    ['FC', '4.18.0', 'x86_64', true],
    ['FC', '4.18.0', 'aarch64', false],
    ['FC', '4.18.0', 's390x', true],
    ['ECKD', '4.18.0', 's390x', true],
    ['ECKD (ESE)', '4.18.0', 's390x', true],
    ['FBA', '4.18.0', 's390x', true],
    ['ECKD', '4.18.0', 'x86_64', false],
  ])('accepts type %s with version "%s" on %s: %s', (driveType, version, cpuArchitecture, expected) => {
    expect(isEligible({ driveType }, version, { cpuArchitecture })).toBe(expected);
  });

  it('keeps the reasons of the agent, except those that earlier services computed', () => {
    const agentReasons = [
      'Disk is removable',
      'Disk is too small (disk only has 1.0 GB, but 10 GB are required)',
      'Drive type is ODD, it must be one of HDD, SSD.',
    ];
    expect(reasons({ disks: [disk({ agentReasons })] })).toEqual([['Disk is removable']]);
  });

  it('accepts a multipath device and refuses its paths', () => {
    const path = (name: string, driveType: string): Disk => disk({ name, driveType, holders: 'dm-0' });
    const multipath = disk({ name: 'dm-0', driveType: 'Multipath' });
    expect(reasons({ disks: [path('sda', 'FC'), path('sdb', 'FC'), multipath] }).map(({ length }) => length)).toEqual([
      1, 1, 0,
    ]);
    expect(reasons({ disks: [path('sda', 'FC'), path('sdb', 'iSCSI'), multipath] })[2]).toHaveLength(1);
    expect(reasons({ disks: [path('sda', 'HDD'), multipath] })[1]).toHaveLength(1);
    expect(reasons({ disks: [multipath] })[0]).toHaveLength(1);
  });

  it('accepts disks of other devices that are no multipath devices', () => {
    const member = disk({ name: 'sda', driveType: 'FC', holders: 'dm-1,md127' });
    const local = disk({ name: 'sdb', driveType: 'SSD', holders: 'dm-0' });
    const [ofVolumes, , ofMultipath] = reasons({ disks: [member, disk({ name: 'dm-1', driveType: 'LVM' }), local] });
    expect([ofVolumes, ofMultipath]).toEqual([[], []]);
  });

  it('accepts a multipath device of iSCSI sessions when each session is accepted', () => {
    const nics = [sampleNic({ name: 'ens4', ipv4Addresses: ['10.0.0.5/24'] }), sampleNic()];
    const ofPaths = (addresses: readonly string[], version = '4.18.0'): readonly string[] | undefined => {
      const paths = addresses.map((iscsiHostIpAddress, index) =>
        disk({ name: `sd${index}`, driveType: 'iSCSI', holders: 'dm-0', iscsiHostIpAddress }),
      );
      return reasons({ nics, disks: [...paths, disk({ name: 'dm-0', driveType: 'Multipath' })] }, version).at(-1);
    };
    expect(ofPaths(['10.0.0.5', '10.0.1.5'])).toEqual([]);
    expect(ofPaths(['192.168.128.10', '10.0.0.5'])).toEqual([
      'iSCSI session uses ens3, the interface of the default route',
    ]);
    expect(ofPaths(['', ''])).toEqual(['The host address of the iSCSI session is missing']);
    expect(ofPaths(['10.0.0.5'], '4.14.9')).toEqual(['Its paths are iSCSI, which requires OpenShift 4.15 or later']);
  });

  it('refuses an iSCSI session over the interface of the default route', () => {
    const nics = [sampleNic(), sampleNic({ name: 'ens4', ipv4Addresses: ['10.0.0.5/24'] })];
    const iscsi = (iscsiHostIpAddress: string): Disk => disk({ driveType: 'iSCSI', iscsiHostIpAddress });
    expect(reasons({ nics, disks: [iscsi('10.0.0.5')] })).toEqual([[]]);
    expect(reasons({ nics, disks: [iscsi('192.168.128.10')] })[0]).toHaveLength(1);
    expect(reasons({ nics, disks: [iscsi('')] })[0]).toHaveLength(1);
    expect(reasons({ nics, disks: [iscsi('10.0.0.5')] }, '4.14.9')[0]).toHaveLength(1);
    expect(reasons({ nics: [], disks: [iscsi('10.0.0.5')] })[0]).toHaveLength(1);
    expect(reasons({ nics, routes: [], disks: [iscsi('192.168.128.10')] })).toEqual([[]]);
    const both = [
      sampleNic({ ipv4Addresses: ['192.168.128.9/24', '192.168.128.10/24'], ipv6Addresses: ['fd00::5/64'] }),
    ];
    expect(reasons({ nics: both, disks: [iscsi('192.168.128.10')] })[0]).toHaveLength(1);
    const routes = [{ interface: 'ens3', gateway: 'fe80::1', destination: '::', family: 10, metric: 100 }];
    expect(reasons({ nics: both, routes, disks: [iscsi('fd00::5')] })[0]).toHaveLength(1);
    expect(reasons({ nics: both, routes, disks: [iscsi('192.168.128.10')] })).toEqual([[]]);
  });
});

describe('selection of the installation disk', () => {
  const chosen = (...disks: readonly Disk[]): string => chooseInstallationDisk(NO_INSTALLATION_DISK, disks).diskId;
  const named = (id: string, changes: Partial<Disk>): Disk => disk({ id, byId: id, byPath: id, ...changes });

  it.each([
    ['bootable before others', named('b', { bootable: true, name: 'nvme0n1', sizeBytes: 9e12 }), named('a', {})],
    ['other disks before NVMe', named('b', { driveType: 'SSD' }), named('a', { name: 'nvme0n1' })],
    ['HDD before SSD', named('b', {}), named('a', { driveType: 'SSD', sizeBytes: 1 })],
    [
      'SSD before iSCSI, by byte order',
      named('b', { driveType: 'SSD' }),
      named('a', { driveType: 'iSCSI', sizeBytes: 1 }),
    ],
    ['smaller before larger', named('b', { sizeBytes: 1 }), named('a', { sizeBytes: 2 })],
    ['the lower HCTL first', named('b', { hctl: '0:0:0:0' }), named('a', { hctl: '1:0:0:0' })],
  ])('prefers %s', (_rule, better, other) => {
    expect([chosen(other, better), chosen(better, other)]).toEqual(['b', 'b']);
  });

  it('keeps a selected disk that is still eligible, identified by any of its names', () => {
    const disks = [
      named('a', { name: 'sda', path: '/dev/sda' }),
      named('b', { name: 'sdb', path: '/dev/mapper/b', byPath: '/by-path/b', byId: '/by-id/b', driveType: 'SSD' }),
    ];
    for (const diskId of ['b', '/by-path/b', '/by-id/b', '/dev/mapper/b', '/dev/sdb'])
      expect(chooseInstallationDisk({ diskId, diskPath: '' }, disks)).toEqual({
        diskId: 'b',
        diskPath: '/dev/mapper/b',
      });
    expect(chooseInstallationDisk({ diskId: 'gone', diskPath: '/dev/sdz' }, disks).diskId).toBe('a');
    expect(chooseInstallationDisk({ diskId: 'b', diskPath: '/dev/sdb' }, [])).toEqual(NO_INSTALLATION_DISK);
  });

  it('keeps the selected disk when another disk has its path after a reboot', () => {
    const selected = { diskId: 'a', diskPath: '/dev/sda' };
    const swapped = [named('b', { name: 'sda', path: '/dev/sda' }), named('a', { name: 'sdb', path: '/dev/sdb' })];
    expect(chooseInstallationDisk(selected, swapped)).toEqual({ diskId: 'a', diskPath: '/dev/sdb' });
  });

  it('keeps the selected disk that earlier records name by its path only', () => {
    const disks = [named('a', { path: '/dev/sda' }), named('b', { path: '/dev/sdb', driveType: 'SSD' })];
    expect(chooseInstallationDisk({ diskId: '', diskPath: '/dev/sdb' }, disks).diskId).toBe('b');
  });

  it('does not take a disk without a by-path name for the selected one while none is selected', () => {
    expect(chosen(named('b', { byPath: '', driveType: 'SSD' }), named('a', { byPath: '' }))).toBe('a');
  });

  it('identifies a disk without an id by its device path', () => {
    expect(chooseInstallationDisk(NO_INSTALLATION_DISK, [disk({ id: '', path: '', name: 'vda' })])).toEqual({
      diskId: '/dev/vda',
      diskPath: '/dev/vda',
    });
  });

  it('formats bootable local disks only', () => {
    const bootable = { bootable: true };
    expect(
      disksToFormat([
        named('yes', bootable),
        named('not-bootable', {}),
        named('removable', { ...bootable, removable: true }),
        named('media', { ...bootable, isInstallationMedia: true }),
        named('x', { ...bootable, byPath: '/dev/disk/by-path/platform-mmcblk0' }),
        ...['FC', 'iSCSI', 'LVM', 'Multipath'].map((driveType) => named(driveType, { ...bootable, driveType })),
      ]),
    ).toEqual(['yes']);
  });
});
