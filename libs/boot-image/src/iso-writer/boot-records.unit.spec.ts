import { crc32 } from 'node:zlib';
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

describe('the partition tables of xorriso', () => {
  const BLOCK_BYTES = 512;
  const ENTRIES = 248;
  const [PROTECTIVE_AT, HEADER_AT, ENTRIES_AT, ENTRY_BYTES] = [446, BLOCK_BYTES, 2 * BLOCK_BYTES, 128];
  const [ORIGINAL_BYTES, VOLUME_BYTES] = [1_200 * SECTOR_BYTES, 500 * SECTOR_BYTES];
  const EFI_BLOCKS = 80;

  function original(): Buffer {
    const area = Buffer.alloc(SYSTEM_AREA_BYTES);
    area.set([0x55, 0xaa], 510);
    area.set([0x00, 0x00, 0x02, 0x00, 0xee, 0xff, 0xff, 0xff], PROTECTIVE_AT);
    area.writeUInt32LE(1, PROTECTIVE_AT + 8);
    area.writeUInt32LE(ORIGINAL_BYTES / BLOCK_BYTES - 1, PROTECTIVE_AT + 12);
    area.write('EFI PART', HEADER_AT, 'latin1');
    area.writeUInt32LE(92, HEADER_AT + 12);
    area.writeBigUInt64LE(64n, HEADER_AT + 40);
    area.writeBigUInt64LE(2n, HEADER_AT + 72);
    area.writeUInt32LE(ENTRIES, HEADER_AT + 80);
    area.writeUInt32LE(ENTRY_BYTES, HEADER_AT + 84);
    area.fill(0xef, ENTRIES_AT, ENTRIES_AT + 32);
    area.writeBigUInt64LE(BigInt(OLD_SECTOR * 4), ENTRIES_AT + 32);
    area.writeBigUInt64LE(BigInt(OLD_SECTOR * 4 + EFI_BLOCKS - 1), ENTRIES_AT + 40);
    return area;
  }
  const moved = movedHybridDisk(original(), ORIGINAL_BYTES, VOLUME_BYTES, (offset) =>
    offset === OLD_SECTOR * SECTOR_BYTES ? NEW_SECTOR * SECTOR_BYTES : undefined,
  );
  const area = Buffer.from(moved.systemArea);
  const blocks = (VOLUME_BYTES + moved.tailBytes) / BLOCK_BYTES;

  it('keep the partition that protects the other table, with the size of the disk', () => {
    expect([area[PROTECTIVE_AT + 4], area.readUInt32LE(PROTECTIVE_AT + 8)]).toEqual([0xee, 1]);
    expect(area.readUInt32LE(PROTECTIVE_AT + 12)).toBe(blocks - 1);
  });

  it('keep the partition of the EFI boot file, at its new position', () => {
    expect(area.readBigUInt64LE(ENTRIES_AT + 32)).toBe(BigInt(NEW_SECTOR * 4));
    expect(area.readBigUInt64LE(ENTRIES_AT + 40)).toBe(BigInt(NEW_SECTOR * 4 + EFI_BLOCKS - 1));
  });

  it('have equal entries and valid checksums at both ends of the disk', () => {
    const disk = Buffer.concat([
      area,
      Buffer.alloc(VOLUME_BYTES + moved.tailBytes - area.length - moved.tail.length),
      moved.tail,
    ]);
    for (const [own, other] of [
      [1, blocks - 1],
      [blocks - 1, 1],
    ] as const) {
      const header = Buffer.from(disk.subarray(own * BLOCK_BYTES, own * BLOCK_BYTES + 92));
      expect([header.readBigUInt64LE(24), header.readBigUInt64LE(32)]).toEqual([BigInt(own), BigInt(other)]);
      const at = Number(header.readBigUInt64LE(72)) * BLOCK_BYTES;
      const entries = disk.subarray(at, at + ENTRIES * ENTRY_BYTES);
      expect(header.readUInt32LE(88)).toBe(crc32(entries));
      expect(entries.subarray(0, 16).every((byte) => byte === 0xef)).toBe(true);
      // The last block for partitions is before the second copy of the entries.
      expect(Number(header.readBigUInt64LE(48))).toBe(blocks - 1 - (ENTRIES * ENTRY_BYTES) / BLOCK_BYTES - 1);
      const checksum = header.readUInt32LE(16);
      header.writeUInt32LE(0, 16);
      expect(checksum).toBe(crc32(header));
    }
  });
});
