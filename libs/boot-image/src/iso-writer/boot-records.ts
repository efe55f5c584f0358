import { crc32 } from 'node:zlib';
import { isZero, latin1, roundUp, setUint32Le, setUint64Le, startsWith, uint32Le, uint64Le } from '../binary';
import type { ByteSource } from '../byte-source';
import { SECTOR_BYTES } from '../iso/directory-record';
import { type BootCatalogue, readBootCatalogue } from '../iso/el-torito';
import { type Overlay, overlaySource } from '../overlay-source';

const DESCRIPTOR_SECTOR = 16;
/** The writer of the image stores the position of ISOLINUX and similar loaders in them. */
const INFO_TABLE = { descriptorAt: 8, fileAt: 12, endAt: 64 } as const;
/** GRUB for BIOS contains its own sector number plus five, in blocks of 512 bytes. */
const GRUB = { positionAt: 2548, extraBlocks: 5 } as const;
const BLOCK_BYTES = 512;
const BLOCKS_PER_SECTOR = SECTOR_BYTES / BLOCK_BYTES;

/** A boot image of the original and the offsets in it that contain its position. */
export interface BootImage {
  readonly originalOffset: number;
  /** Set for a boot image that is in no file. */
  readonly length: number;
  readonly hasInfoTable: boolean;
  readonly hasGrubPosition: boolean;
}

export interface BootRecords {
  readonly catalogue: BootCatalogue;
  readonly images: ReadonlyMap<number, BootImage>;
}

/**
 * Returns the boot images and the catalogue for firmware that supports El Torito. Undefined when there are none.
 * @throws BootImageError `malformed`
 */
export async function readBootRecords(source: ByteSource): Promise<BootRecords | undefined> {
  const catalogue = await readBootCatalogue(source);
  if (!catalogue) return undefined;
  const images = new Map<number, BootImage>();
  for (const { offset, loadBlocks } of catalogue.entries) {
    const readable = Math.min(source.size - offset, GRUB.positionAt + 8);
    const head = readable > 0 ? await source.read(offset, readable) : new Uint8Array();
    const sector = offset / SECTOR_BYTES;
    images.set(offset, {
      originalOffset: offset,
      length: Math.max(0, Math.min(loadBlocks * BLOCK_BYTES, source.size - offset)),
      hasInfoTable:
        head.length >= INFO_TABLE.endAt &&
        uint32Le(head, INFO_TABLE.descriptorAt) === DESCRIPTOR_SECTOR &&
        uint32Le(head, INFO_TABLE.fileAt) === sector,
      hasGrubPosition:
        head.length === GRUB.positionAt + 8 &&
        uint64Le(head, GRUB.positionAt) === sector * BLOCKS_PER_SECTOR + GRUB.extraBlocks,
    });
  }
  return { catalogue, images };
}

/** Returns the boot image with the number of another sector. */
export function bootImageAt(content: ByteSource, image: BootImage, sector: number): ByteSource {
  const overlays: Overlay[] = [];
  if (image.hasInfoTable) overlays.push({ offset: INFO_TABLE.fileAt, bytes: number32(sector) });
  if (image.hasGrubPosition) {
    const bytes = new Uint8Array(8);
    setUint64Le(bytes, 0, sector * BLOCKS_PER_SECTOR + GRUB.extraBlocks);
    overlays.push({ offset: GRUB.positionAt, bytes });
  }
  return overlays.length === 0 ? content : overlaySource(content, overlays);
}

/** Returns the catalogue with the new positions of its images. */
export function movedCatalogue(
  { bytes, entries }: BootCatalogue,
  movedTo: (originalOffset: number) => number | undefined,
): Uint8Array {
  const moved = Uint8Array.from(bytes);
  for (const { entryOffset, offset } of entries) {
    const target = movedTo(offset);
    if (target !== undefined) setUint32Le(moved, entryOffset + 8, target / SECTOR_BYTES);
  }
  return moved;
}

function number32(value: number): Uint8Array {
  const bytes = new Uint8Array(4);
  setUint32Le(bytes, 0, value);
  return bytes;
}

/** From a USB stick or disk, an ISO boots through a partition table before its file system. */
const MBR = { bootFileAt: 432, partitionsAt: 446, partitionBytes: 16, partitions: 4, magicAt: 510 } as const;
const GPT = { at: BLOCK_BYTES, headerBytes: 92, entriesMin: 128, entryBytes: 128 } as const;
/** Partitioning tools require whole cylinders. Writers of hybrid images use cylinders of 1 MiB. */
const CYLINDER_BYTES = 1024 * 1024;

export interface HybridDisk {
  /** The 32 KiB before the file system. */
  readonly systemArea: Uint8Array;
  /**
   * The data after the file system: padding and the second copy of the partition table. Empty for an image that is not
   * a disk image.
   */
  readonly tailBytes: number;
  readonly tail: Uint8Array;
}

/**
 * Returns the partition tables of the original with the new positions. `movedTo` converts positions in bytes from the
 * start of the image. Partitions without content are removed. Unknown tables are omitted: the image then boots as a
 * disc only.
 */
export function movedHybridDisk(
  original: Uint8Array,
  originalBytes: number,
  volumeBytes: number,
  movedTo: (originalOffset: number) => number | undefined,
): HybridDisk {
  const isDisk = startsWith(original, [0x55, 0xaa], MBR.magicAt) && !isZero(original.subarray(0, MBR.magicAt));
  if (!isDisk) return { systemArea: new Uint8Array(original.length), tailBytes: 0, tail: new Uint8Array() };
  const gpt = readGpt(original);
  const totalBytes = roundUp(volumeBytes + (gpt ? gpt.tableBytes + BLOCK_BYTES : 0), CYLINDER_BYTES);
  const systemArea = new Uint8Array(original.length);
  // Copies code, disk identity and partitions, and rewrites the rest.
  systemArea.set(original.subarray(0, BLOCK_BYTES));
  const block = (old: number): number | undefined => {
    // A partition that begins after the first block protects the other partition table.
    if (old === 0 || (old === 1 && gpt)) return old;
    const moved = movedTo(Math.floor(old / BLOCKS_PER_SECTOR) * SECTOR_BYTES);
    return moved === undefined ? undefined : moved / BLOCK_BYTES + (old % BLOCKS_PER_SECTOR);
  };
  // The boot code of GRUB continues with the second sector of its boot file.
  const secondSectorOf = (old: number): number | undefined => {
    const start = old > BLOCKS_PER_SECTOR ? block(old - BLOCKS_PER_SECTOR) : undefined;
    return start === undefined ? undefined : start + BLOCKS_PER_SECTOR;
  };
  const bootFile = uint64Le(original, MBR.bootFileAt);
  const movedBootFile = bootFile ? (block(bootFile) ?? secondSectorOf(bootFile)) : undefined;
  if (movedBootFile !== undefined) setUint64Le(systemArea, MBR.bootFileAt, movedBootFile);
  for (let index = 0; index < MBR.partitions; index += 1)
    movePartition(systemArea, MBR.partitionsAt + index * MBR.partitionBytes, block, originalBytes, totalBytes);
  const tail = gpt ? moveGpt(systemArea, gpt, block, originalBytes, totalBytes) : new Uint8Array();
  return { systemArea, tailBytes: totalBytes - volumeBytes, tail };
}

function movePartition(
  area: Uint8Array,
  at: number,
  block: (old: number) => number | undefined,
  originalBytes: number,
  totalBytes: number,
): void {
  const [start, length] = [uint32Le(area, at + 8), uint32Le(area, at + 12)];
  if (length === 0) return;
  const moved = block(start);
  if (moved === undefined) return void area.fill(0, at, at + MBR.partitionBytes);
  // A partition that began at the start contained the whole image, with or without the data after the file system.
  const isWhole = start <= 1 && length * BLOCK_BYTES > originalBytes / 2;
  setUint32Le(area, at + 8, moved);
  if (isWhole) setUint32Le(area, at + 12, totalBytes / BLOCK_BYTES - start);
}

interface Gpt {
  readonly header: Uint8Array;
  readonly entriesAt: number;
  readonly entries: Uint8Array;
  /** The space for the entries at both ends of the disk, a multiple of the block size. */
  readonly tableBytes: number;
}

/** Returns undefined without a table before the file system. */
function readGpt(original: Uint8Array): Gpt | undefined {
  if (latin1(original.subarray(GPT.at, GPT.at + 8)) !== 'EFI PART') return undefined;
  const header = Uint8Array.from(original.subarray(GPT.at, GPT.at + GPT.headerBytes));
  const entriesAt = (uint64Le(header, 72) ?? 0) * BLOCK_BYTES;
  const [count, size] = [uint32Le(header, 80), uint32Le(header, 84)];
  const end = entriesAt + count * size;
  if (size !== GPT.entryBytes || entriesAt < GPT.at + BLOCK_BYTES || end > original.length) return undefined;
  const tableBytes = roundUp(Math.max(count, GPT.entriesMin) * size, BLOCK_BYTES);
  return { header, entriesAt, entries: Uint8Array.from(original.subarray(entriesAt, end)), tableBytes };
}

/** Writes the first table into the system area and returns the second: entries, then header. */
function moveGpt(
  area: Uint8Array,
  { header, entriesAt, entries, tableBytes }: Gpt,
  block: (old: number) => number | undefined,
  originalBytes: number,
  totalBytes: number,
): Uint8Array {
  const size = GPT.entryBytes;
  const entryBlocks = tableBytes / BLOCK_BYTES;
  for (let at = 0; at < entries.length; at += size) {
    const [first, last] = [uint64Le(entries, at + 32) ?? 0, uint64Le(entries, at + 40) ?? 0];
    if (isZero(entries.subarray(at, at + 16))) continue;
    const moved = block(first);
    if (moved === undefined) {
      entries.fill(0, at, at + size);
      continue;
    }
    const isWhole = first === 0 && last * BLOCK_BYTES > originalBytes / 2;
    setUint64Le(entries, at + 32, moved);
    const lastUsable = totalBytes / BLOCK_BYTES - 2 - entryBlocks;
    setUint64Le(entries, at + 40, isWhole ? lastUsable : moved + last - first);
  }
  const lastBlock = totalBytes / BLOCK_BYTES - 1;
  setUint32Le(header, 88, crc32(entries));
  setUint64Le(header, 48, lastBlock - entryBlocks - 1);
  const seal = (own: number, other: number, table: number): Uint8Array => {
    const sealed = Uint8Array.from(header);
    setUint64Le(sealed, 24, own);
    setUint64Le(sealed, 32, other);
    setUint64Le(sealed, 72, table);
    setUint32Le(sealed, 16, 0);
    setUint32Le(sealed, 16, crc32(sealed));
    return sealed;
  };
  area.set(seal(1, lastBlock, entriesAt / BLOCK_BYTES), GPT.at);
  area.set(entries, entriesAt);
  const second = new Uint8Array((entryBlocks + 1) * BLOCK_BYTES);
  second.set(entries);
  second.set(seal(lastBlock, 1, lastBlock - entryBlocks), entryBlocks * BLOCK_BYTES);
  return second;
}
