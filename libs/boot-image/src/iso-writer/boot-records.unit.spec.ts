import { SECTOR_BYTES } from '../iso/directory-record';
import { movedHybridDisk } from './boot-records';

const SYSTEM_AREA_BYTES = 16 * SECTOR_BYTES;
const BOOT_FILE_AT = 432;
const [OLD_SECTOR, NEW_SECTOR] = [100, 40];

describe('the boot code before the file system', () => {
  /** Returns the position in blocks of 512 bytes after the boot file moved. */
  const movedBootFile = (block: number): bigint => {
    const area = Buffer.alloc(SYSTEM_AREA_BYTES);
    area.set([0xeb, 0x63]);
    area.set([0x55, 0xaa], 510);
    area.writeBigUInt64LE(BigInt(block), BOOT_FILE_AT);
    const { systemArea } = movedHybridDisk(area, 200 * SECTOR_BYTES, 90 * SECTOR_BYTES, (offset) =>
      offset === OLD_SECTOR * SECTOR_BYTES ? NEW_SECTOR * SECTOR_BYTES : undefined,
    );
    return Buffer.from(systemArea).readBigUInt64LE(BOOT_FILE_AT);
  };

  it.each([
    ['ISOLINUX, which is read from its start', 0],
    ['GRUB, which is read from its second sector', 4],
  ])('finds %s', (_, skipped) => {
    expect(movedBootFile(OLD_SECTOR * 4 + skipped)).toBe(BigInt(NEW_SECTOR * 4 + skipped));
  });

  it('keeps the position of a file that is not a boot file', () => {
    expect(movedBootFile(7_000)).toBe(7_000n);
  });
});
