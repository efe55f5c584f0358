import { type InventoryDisk, MAX_DISK_FACTS, toHardwareFacts } from './inventory.report';

/** Each LUN of a storage network has a multipath disk and four paths. */
const LUNS = 100;
const PATHS = 4;
const lunDisks: readonly InventoryDisk[] = Array.from({ length: LUNS }, (_, lun) => [
  { name: `dm-${lun}`, drive_type: 'Multipath' },
  ...Array.from({ length: PATHS }, (_path, path) => ({
    name: `sd${String(lun * PATHS + path).padStart(3, '0')}`,
    drive_type: 'FC',
    holders: `dm-${lun}`,
    installation_eligibility: { not_eligible_reasons: path === 0 ? ['Disk is in use'] : [] },
  })),
]).flat();

it('of more disks than an event contains, it has each multipath disk with one of its paths, and each other disk', () => {
  const local: InventoryDisk = { name: 'sdzz', drive_type: 'SSD' };
  const disks = [...lunDisks, local].sort((a, b) => ((a.name ?? '') < (b.name ?? '') ? -1 : 1));
  const kept = toHardwareFacts({ disks: [...disks] }).disks;
  expect(kept).toHaveLength(MAX_DISK_FACTS);
  const held = new Set(kept.map(({ holders }) => holders));
  const multipaths = kept.filter(({ driveType }) => driveType === 'Multipath');
  expect([multipaths.length, multipaths.filter(({ name }) => !held.has(name))]).toEqual([LUNS, []]);
  expect(kept.map(({ name }) => name)).toContain(local.name);
});
