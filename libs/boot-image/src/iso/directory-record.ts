import { malformed } from '../boot-image.error';
import { latin1, uint32Le } from '../binary';

export const SECTOR_BYTES = 2048;

const NAME_OFFSET = 33;
const FLAG_DIRECTORY = 2;
const FLAG_MORE_EXTENTS = 128;

/** One record of a directory, as stored. Positions are bytes from the start of the image. */
export interface DirectoryRecord {
  /** The ISO 9660 identifier without version and trailing dot, such as `KARGS.JSO`. */
  readonly isoName: string;
  /** The identifier as stored, such as `KARGS.JSO;1`; one byte 0 or 1 for the directory itself and its parent. */
  readonly identifier: string;
  readonly flags: number;
  /** The 7 bytes of its date. */
  readonly recordedAt: Uint8Array;
  /** The directory itself or its parent. */
  readonly isSelfOrParent: boolean;
  readonly isDirectory: boolean;
  /** The file continues in the next record. */
  readonly hasMoreExtents: boolean;
  readonly offset: number;
  readonly length: number;
  /** What Rock Ridge and others add. */
  readonly systemUse: Uint8Array;
}

/** All records of a directory's bytes, in order. Throws `malformed`. */
export function parseDirectory(bytes: Uint8Array): DirectoryRecord[] {
  const records: DirectoryRecord[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = bytes[at] ?? 0;
    if (length === 0) {
      // Records never cross a sector: a zero length means that the rest of this one is unused.
      at = (Math.floor(at / SECTOR_BYTES) + 1) * SECTOR_BYTES;
      continue;
    }
    records.push(parseRecord(bytes.subarray(at, at + length), length));
    at += length;
  }
  return records;
}

/** One record; `bytes` begins with it. Throws `malformed`. */
export function parseRecord(bytes: Uint8Array, length: number): DirectoryRecord {
  const nameLength = bytes[32] ?? 0;
  if (bytes.length < length || nameLength === 0 || NAME_OFFSET + nameLength > length) {
    throw malformed('directory', 'a record is cut off');
  }
  const identifier = latin1(bytes.subarray(NAME_OFFSET, NAME_OFFSET + nameLength));
  const flags = bytes[25] ?? 0;
  const attributeSectors = bytes[1] ?? 0;
  return {
    isoName: identifier.replace(/;\d*$/, '').replace(/\.$/, ''),
    identifier,
    flags,
    recordedAt: bytes.subarray(18, 25),
    isSelfOrParent: identifier === '\0' || identifier === '\x01',
    isDirectory: (flags & FLAG_DIRECTORY) !== 0,
    hasMoreExtents: (flags & FLAG_MORE_EXTENTS) !== 0,
    offset: (uint32Le(bytes, 2) + attributeSectors) * SECTOR_BYTES,
    length: uint32Le(bytes, 10),
    // A pad byte follows a name of even length.
    systemUse: bytes.subarray(Math.min(length, NAME_OFFSET + nameLength + ((nameLength + 1) % 2)), length),
  };
}
