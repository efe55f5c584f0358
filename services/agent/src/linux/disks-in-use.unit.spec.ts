import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { temporaryDirectory } from '@muster/testing';
import { readDisks } from './disks';
import { createMachineFiles } from './machine-files';

type Files = { readonly [path: string]: string };

/** Returns the names of the disks on which nothing can be installed, with the reasons. */
async function disksInUse(files: Files): Promise<object> {
  const directory = temporaryDirectory();
  for (const [path, content] of Object.entries(files)) {
    mkdirSync(dirname(join(directory.path, path)), { recursive: true });
    writeFileSync(join(directory.path, path), content);
  }
  const disks = await readDisks(createMachineFiles(directory.path)).finally(() => directory.remove());
  const used = disks.filter(({ installation_eligibility: { eligible } }) => !eligible);
  return Object.fromEntries(used.map((disk) => [disk.name, disk.installation_eligibility.not_eligible_reasons]));
}

/** Mounts of the file systems on these devices, at /. */
const mounted = (...devices: readonly string[]): Files => ({
  '/proc/self/mountinfo': devices.map((device) => `36 35 253:0 / / rw - xfs /dev/${device} rw\n`).join(''),
});
const reason = (device: string): string => `Disk is in use: /dev/${device} is mounted at /`;
/** `device` belongs to the partition or disk `part`. */
const holder = (part: string, device: string): Files => ({ [`/sys/block/${part}/holders/${device}/size`]: '' });
const mapped = (device: string, name: string, uuid: string): Files => ({
  [`/sys/block/${device}/dm/name`]: `${name}\n`,
  [`/sys/block/${device}/dm/uuid`]: `${uuid}\n`,
});
const DISKS: Files = { '/sys/block/sda/size': '2048', '/sys/block/sdb/size': '2048' };

describe('a disk is in use while the file system is mounted', () => {
  it('of a logical volume on one of its partitions', async () => {
    const volume = { ...mapped('dm-0', 'rhel-root', 'LVM-1'), ...holder('sda/sda3', 'dm-0') };
    expect(await disksInUse({ ...DISKS, ...volume, ...mounted('mapper/rhel-root') })).toEqual({
      'dm-0': ['Disk is a logical volume of LVM', reason('mapper/rhel-root')],
      sda: [reason('mapper/rhel-root')],
    });
  });

  it('of a logical volume in an encrypted partition', async () => {
    const encrypted = { ...mapped('dm-0', 'luks-1', 'CRYPT-LUKS2-1'), ...holder('sda/sda3', 'dm-0') };
    const volume = { ...mapped('dm-1', 'rhel-root', 'LVM-1'), ...holder('dm-0', 'dm-1') };
    const found = await disksInUse({ ...DISKS, ...encrypted, ...volume, ...mounted('mapper/rhel-root') });
    expect(found).toMatchObject({ sda: [reason('mapper/rhel-root')] });
    expect(found).not.toHaveProperty('sdb');
  });

  it('of a partition of the multipath disk to which it is a path, as the multipath disk itself', async () => {
    const multipath = { ...mapped('dm-0', 'mpatha', 'mpath-1'), ...holder('sda', 'dm-0'), ...holder('sdb', 'dm-0') };
    const partition = { ...mapped('dm-4', 'mpatha4', 'part4-mpath-1'), ...holder('dm-0', 'dm-4') };
    const reasons = [reason('mapper/mpatha4')];
    expect(await disksInUse({ ...DISKS, ...multipath, ...partition, ...mounted('mapper/mpatha4') })).toEqual({
      'dm-0': reasons,
      sda: reasons,
      sdb: reasons,
    });
  });

  it('of a partition of its RAID', async () => {
    const raid = { ...holder('sda/sda1', 'md127'), '/sys/block/md127/md127p2/dev': '259:1\n' };
    const reasons = [reason('md127p2')];
    expect(await disksInUse({ ...DISKS, ...raid, ...mounted('md127p2') })).toEqual({ md127: reasons, sda: reasons });
  });

  it('and not of a volume on another disk', async () => {
    const volume = { ...mapped('dm-0', 'data', 'CRYPT-1'), ...holder('sda/sda3', 'dm-0') };
    const other = { ...mapped('dm-1', 'data1', 'CRYPT-2'), ...holder('sdb', 'dm-1') };
    expect(await disksInUse({ ...DISKS, ...volume, ...other, ...mounted('mapper/data1') })).toEqual({
      sdb: [reason('mapper/data1')],
    });
  });
});
