import { latin1, startsWith, uint16Le, uint32Le } from '../binary';
import { malformed } from '../boot-image.error';
import type { ByteSource } from '../byte-source';
import { SECTOR_BYTES } from './directory-record';

const BOOT_RECORD_OFFSET = 17 * SECTOR_BYTES;
const SYSTEM_ID = 'EL TORITO SPECIFICATION';
const ENTRY_BYTES = 32;
const ENTRIES_MAX = SECTOR_BYTES / ENTRY_BYTES;
const HEADER = { validation: 0x01, section: 0x90, lastSection: 0x91, extension: 0x44 } as const;
const BOOTABLE = 0x88;

const PLATFORMS: ReadonlyMap<number, string> = new Map([
  [0x00, 'bios'],
  [0x01, 'powerpc'],
  [0x02, 'mac'],
  [0xef, 'efi'],
]);
const EMULATIONS = ['none', 'floppy-1.2', 'floppy-1.44', 'floppy-2.88', 'hard-disk'] as const;

/** One image that firmware can boot. */
export interface BootEntry {
  /** bios, powerpc, mac, efi, or the hexadecimal number. */
  readonly platform: string;
  readonly isBootable: boolean;
  readonly emulation: (typeof EMULATIONS)[number];
  /** Zero: the default of the firmware. */
  readonly loadSegment: number;
  /** Number of blocks of 512 bytes that firmware loads. */
  readonly loadBlocks: number;
  /** From the start of the image, in bytes. */
  readonly offset: number;
  /** Position of this entry in bytes from the start of the catalogue. */
  readonly entryOffset: number;
}

export interface BootCatalogue {
  /** From the start of the image, in bytes. */
  readonly offset: number;
  readonly bytes: Uint8Array;
  readonly entries: readonly BootEntry[];
}

/**
 * Returns the boot images for firmware. Undefined without a boot record.
 * @throws BootImageError `malformed`
 */
export async function readBootCatalogue(source: ByteSource): Promise<BootCatalogue | undefined> {
  if (source.size < BOOT_RECORD_OFFSET + SECTOR_BYTES) return undefined;
  const record = await source.read(BOOT_RECORD_OFFSET, SECTOR_BYTES);
  const isBootRecord = record[0] === 0 && latin1(record.subarray(1, 6)) === 'CD001';
  if (!isBootRecord || !latin1(record.subarray(7, 39)).startsWith(SYSTEM_ID)) return undefined;
  const offset = uint32Le(record, 71) * SECTOR_BYTES;
  if (offset === 0 || offset + SECTOR_BYTES > source.size)
    throw malformed('boot record', 'its catalogue is not in the image');
  const bytes = await source.read(offset, SECTOR_BYTES);
  return { offset, bytes, entries: parseCatalogue(bytes) };
}

/** @throws BootImageError `malformed` when the first entry is not a valid validation entry */
export function parseCatalogue(bytes: Uint8Array): BootEntry[] {
  assertValidation(bytes);
  const entries = [parseEntry(bytes, ENTRY_BYTES, bytes[1] ?? 0)];
  let at = 2 * ENTRY_BYTES;
  for (let isLast = false; !isLast && at + ENTRY_BYTES <= bytes.length;) {
    const kind = bytes[at];
    if (kind !== HEADER.section && kind !== HEADER.lastSection) break;
    isLast = kind === HEADER.lastSection;
    const [platform, count] = [bytes[at + 1] ?? 0, uint16Le(bytes, at + 2)];
    at += ENTRY_BYTES;
    for (let index = 0; index < Math.min(count, ENTRIES_MAX) && at + ENTRY_BYTES <= bytes.length; index += 1) {
      entries.push(parseEntry(bytes, at, platform));
      at += ENTRY_BYTES;
      while (bytes[at] === HEADER.extension && at + ENTRY_BYTES <= bytes.length) at += ENTRY_BYTES;
    }
  }
  return entries;
}

function assertValidation(bytes: Uint8Array): void {
  let sum = 0;
  if (bytes.length >= 2 * ENTRY_BYTES)
    for (let at = 0; at < ENTRY_BYTES; at += 2) sum = (sum + uint16Le(bytes, at)) & 0xffff;
  const isValid = bytes.length >= 2 * ENTRY_BYTES && startsWith(bytes, [0x55, 0xaa], 30) && sum === 0;
  if (bytes[0] !== HEADER.validation || !isValid)
    throw malformed('boot catalogue', 'its validation entry is not valid');
}

function parseEntry(bytes: Uint8Array, at: number, platform: number): BootEntry {
  return {
    platform: PLATFORMS.get(platform) ?? `0x${platform.toString(16)}`,
    isBootable: bytes[at] === BOOTABLE,
    emulation: EMULATIONS[(bytes[at + 1] ?? 0) & 0x0f] ?? 'none',
    loadSegment: uint16Le(bytes, at + 2),
    loadBlocks: uint16Le(bytes, at + 6),
    offset: uint32Le(bytes, at + 8) * SECTOR_BYTES,
    entryOffset: at,
  };
}
