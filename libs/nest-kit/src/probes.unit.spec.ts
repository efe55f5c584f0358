import { DISK_PROBE, isFullDisk, requireDiskReserve } from './http-endpoint';

describe('disk reserve', () => {
  const probe = (reason?: string) => ({ part: DISK_PROBE, check: () => Promise.resolve(reason) });

  it('causes a refusal with status 507 and the reason when it is not available', async () => {
    await expect(requireDiskReserve([probe('the disk has 3 MiB left')])).rejects.toMatchObject({
      refusal: { code: 'insufficient-storage', reason: 'The body was not stored: the disk has 3 MiB left.' },
    });
  });

  it('accepts a body while it is available, and when no probe exists', async () => {
    await requireDiskReserve([probe()]);
    await requireDiskReserve([]);
  });

  it('isDiskFull is true when a disk or a database reports that it is full', () => {
    expect(isFullDisk(Object.assign(new Error('no space'), { code: 'ENOSPC' }))).toBe(true);
    expect(isFullDisk(Object.assign(new Error('full'), { code: 'SQLITE_FULL' }))).toBe(true);
    expect(isFullDisk(Object.assign(new Error('full'), { code: 'XMinioStorageFull' }))).toBe(true);
    expect(isFullDisk(new Error('other'))).toBe(false);
  });
});
