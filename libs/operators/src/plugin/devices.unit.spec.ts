import { extraDisks, gpusOf, listedDevices, localDisks } from './devices';
import type { OperatorDisk, OperatorHardware } from './operator-facts';
import { disk, GB, hardware, host, INSTALLATION_DISK, nic } from './sample-subjects.fixture.spec';

const extra = (changes: Partial<OperatorDisk>): OperatorDisk =>
  disk({ id: '/dev/sdb', name: 'sdb', sizeBytes: 30 * GB, ...changes });
const namesOf = (disks: readonly OperatorDisk[]): string[] => disks.map(({ name }) => name);
const withDisk = (changes: Partial<OperatorDisk>) => host('worker', { disks: [disk(), extra(changes)] });

describe('disks for storage operators', () => {
  it.each<[string, Partial<OperatorDisk>, number, boolean]>([
    ['an HDD', { driveType: 'HDD' }, 0, true],
    ['an SSD', { driveType: 'SSD' }, 0, true],
    ['a multipath device', { driveType: 'Multipath' }, 0, false],
    ['an iSCSI disk', { driveType: 'iSCSI' }, 0, false],
    ['a CD drive', { driveType: 'ODD' }, 0, false],
    ['the installation media', { isInstallationMedia: true }, 0, false],
    ['a member of an array', { holders: 'md127' }, 0, false],
    ['a device of 0 bytes', { sizeBytes: 0 }, 0, false],
    ['a device of 1 byte', { sizeBytes: 1 }, 0, true],
    ['a disk of exactly the minimum size', {}, 30 * GB, true],
    ['a disk below the minimum size', { sizeBytes: 30 * GB - 1 }, 30 * GB, false],
    ['a disk without an id', { id: '' }, 0, true],
  ])('include %s when it is usable', (_case, changes, minBytes, isUsable) => {
    expect(namesOf(extraDisks(withDisk(changes), minBytes))).toEqual(isUsable ? ['sdb'] : []);
  });

  it('count sizes in decimal GB', () => {
    expect(extraDisks(withDisk({ sizeBytes: 30_000_000_000 }), 30 * GB)).toHaveLength(1);
  });

  it.each([
    ['by its id', disk({ id: '/dev/disk/by-id/wwn-0x5', name: 'sdc' }), '/dev/disk/by-id/wwn-0x5'],
    ['by its device path when it has no id', disk({ id: '' }), INSTALLATION_DISK],
  ])('leave out the installation disk, which is known %s', (_case, installed, installationDiskId) => {
    const subject = { ...host('worker', { disks: [installed, extra({})] }), installationDiskId };
    expect(namesOf(extraDisks(subject))).toEqual(['sdb']);
  });

  it('are removable for some operators only', () => {
    const subject = withDisk({ removable: true });
    expect([namesOf(extraDisks(subject)), namesOf(localDisks(subject))]).toEqual([['sdb'], []]);
    expect(namesOf(localDisks(withDisk({}), 30 * GB))).toEqual(['sdb']);
    expect(localDisks(withDisk({}), 31 * GB)).toEqual([]);
  });

  it('are not known without an inventory', () => {
    expect(extraDisks({ ...withDisk({}), hardware: undefined })).toEqual([]);
  });
});

describe('devices of a host', () => {
  const DEVICES: Partial<OperatorHardware> = {
    gpus: [
      { vendorId: '10de', deviceId: '1eb8' },
      { vendorId: '10de', deviceId: '1db6' },
      { vendorId: '1002', deviceId: '1eb8' },
    ],
    nics: [nic('15b3', '1015'), nic('8086', '1015')],
  };

  it('are counted by vendor and device', () => {
    const subject = { hardware: hardware(DEVICES) };
    expect(listedDevices(subject, ['10de:1eb8'], [])).toBe(1);
    expect(listedDevices(subject, [], ['15b3:1015'])).toBe(1);
    expect(listedDevices(subject, ['10de:1eb8', '10de:1db6'], ['15b3:1015', '8086:1015'])).toBe(4);
    expect(listedDevices(subject, ['15b3:1015'], ['10de:1eb8'])).toBe(0);
  });

  it('count as GPUs by vendor', () => {
    const subject = { hardware: hardware(DEVICES) };
    expect([['10de'], ['1002'], ['10de', '1002'], ['8086']].map((vendors) => gpusOf(subject, vendors))).toEqual([
      2, 1, 3, 0,
    ]);
  });

  it('are none without an inventory', () => {
    expect([
      listedDevices({ hardware: undefined }, ['10de:1eb8'], []),
      gpusOf({ hardware: undefined }, ['10de']),
    ]).toEqual([0, 0]);
  });
});
