import { setUint32Le, setUint64Le, uint32Le, uint64Le } from '../binary';
import type { ByteSource } from '../byte-source';
import { type BootCatalogue, readBootCatalogue } from '../iso/el-torito';
import { SECTOR_BYTES } from '../iso/directory-record';
import { type Overlay, overlaySource } from '../overlay-source';

const DESCRIPTOR_SECTOR = 16;
/** The writer of the image stores the position of ISOLINUX and similar loaders in them. */
const INFO_TABLE = { descriptorAt: 8, fileAt: 12, endAt: 64 } as const;
/** GRUB for BIOS keeps its own sector number, in blocks of 512 bytes and five further on. */
const GRUB = { positionAt: 2548, extraBlocks: 5 } as const;
const BLOCKS_PER_SECTOR = SECTOR_BYTES / 512;
const LOAD_BLOCK_BYTES = 512;

/** A boot image of the original and the places in it that name its own position. */
export interface BootImage {
  readonly originalOffset: number;
  /** For one that is in no file. */
  readonly length: number;
  readonly hasInfoTable: boolean;
  readonly hasGrubPosition: boolean;
}

export interface BootRecords {
  readonly catalogue: BootCatalogue;
  readonly images: ReadonlyMap<number, BootImage>;
}

/** What makes the image bootable by firmware that reads El Torito; undefined when nothing does. Throws `malformed`. */
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
      length: Math.max(0, Math.min(loadBlocks * LOAD_BLOCK_BYTES, source.size - offset)),
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

/** The boot image as it has to be at another sector. */
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

/** The catalogue with each entry leading to where its image is now. */
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
