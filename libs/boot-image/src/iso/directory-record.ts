import { concatBytes, latin1, uint32Le, utf8 } from '../binary';
import { malformed } from '../boot-image.error';
import type { ByteSource } from '../byte-source';

export const SECTOR_BYTES = 2048;

const NAME_OFFSET = 33;
const FLAG_DIRECTORY = 2;
const FLAG_MORE_EXTENTS = 128;

/** One record of a directory as stored. Positions are bytes from the start of the image. */
export interface DirectoryRecord {
  /** The ISO 9660 identifier without version and trailing dot, such as `KARGS.JSO`. */
  readonly isoName: string;
  /** The identifier as stored, such as `KARGS.JSO;1`. One byte 0 or 1 for the directory itself and its parent. */
  readonly identifier: string;
  readonly flags: number;
  /** The 7 bytes of its date. */
  readonly recordedAt: Uint8Array;
  /** The record of the directory itself or of its parent. */
  readonly isSelfOrParent: boolean;
  readonly isDirectory: boolean;
  /** The file continues in the next record. */
  readonly hasMoreExtents: boolean;
  readonly offset: number;
  readonly length: number;
  /** Extension fields, such as those of Rock Ridge. */
  readonly systemUse: Uint8Array;
}

/**
 * Returns all records of a directory in order.
 * @throws BootImageError `malformed`
 */
export function parseDirectory(bytes: Uint8Array): DirectoryRecord[] {
  const records: DirectoryRecord[] = [];
  for (let at = 0; at < bytes.length;) {
    const length = bytes[at] ?? 0;
    if (length === 0) {
      // Records never cross the end of a sector: a zero length means that the rest of the sector is unused.
      at = (Math.floor(at / SECTOR_BYTES) + 1) * SECTOR_BYTES;
      continue;
    }
    records.push(parseRecord(bytes.subarray(at, at + length), length));
    at += length;
  }
  return records;
}

/**
 * Returns the record at the start of `bytes`.
 * @throws BootImageError `malformed`
 */
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

const CONTINUATIONS_MAX = 16;
const NAME_CONTINUES = 1;

/**
 * Returns the long name in the Rock Ridge fields of a record, or undefined when there is none. Damaged extension fields
 * are treated as absent, because the ISO 9660 name can be used instead.
 */
export async function rockRidgeName(source: ByteSource, systemUse: Uint8Array): Promise<string | undefined> {
  const nameParts: Uint8Array[] = [];
  let area: Uint8Array | undefined = systemUse;
  for (let hops = 0; area && hops <= CONTINUATIONS_MAX; hops += 1) {
    let continuation: Uint8Array | undefined;
    for (const entry of entriesOf(area)) {
      if (entry.signature === 'NM' && entry.data.length > 0) {
        const [flags = 0] = entry.data;
        nameParts.push(entry.data.subarray(1));
        if ((flags & NAME_CONTINUES) === 0) return decoded(nameParts);
      }
      if (entry.signature === 'CE' && entry.data.length >= 24) continuation = entry.data;
    }
    area = continuation && (await readContinuation(source, continuation));
  }
  return decoded(nameParts);
}

function decoded(parts: readonly Uint8Array[]): string | undefined {
  const name = utf8(concatBytes(parts));
  return name === '' || name.includes('/') || name.includes('\0') ? undefined : name;
}

/** Returns all extension fields of a record, including those in continuation areas, without the references to these. */
export async function collectSystemUse(source: ByteSource, systemUse: Uint8Array): Promise<Uint8Array[]> {
  const fields: Uint8Array[] = [];
  let area: Uint8Array | undefined = systemUse;
  for (let hops = 0; area && hops <= CONTINUATIONS_MAX; hops += 1) {
    let continuation: Uint8Array | undefined;
    for (const { signature, data, field } of entriesOf(area)) {
      if (signature === 'CE' && data.length >= 24) continuation = data;
      else if (signature !== 'ST' && signature !== 'CE') fields.push(field);
    }
    area = continuation && (await readContinuation(source, continuation));
  }
  return fields;
}

function* entriesOf(area: Uint8Array): Generator<{ signature: string; data: Uint8Array; field: Uint8Array }> {
  for (let at = 0; at + 4 <= area.length;) {
    const length = area[at + 2] ?? 0;
    if (length < 4 || at + length > area.length) return;
    const field = area.subarray(at, at + length);
    yield { signature: latin1(field.subarray(0, 2)), data: field.subarray(4), field };
    at += length;
  }
}

/** Block, offset and length are stored in both byte orders, 8 bytes each. */
async function readContinuation(source: ByteSource, data: Uint8Array): Promise<Uint8Array | undefined> {
  const offset = uint32Le(data, 0) * SECTOR_BYTES + uint32Le(data, 8);
  const length = uint32Le(data, 16);
  return length > SECTOR_BYTES || offset + length > source.size ? undefined : source.read(offset, length);
}

/**
 * Returns the identifier of a file name in ISO 9660 level 1: `kargs.json` → `KARGS.JSO`. CoreOS images have these in
 * addition to the Rock Ridge names, and some tools read only these.
 */
export function toIsoName(name: string): string {
  const dot = name.lastIndexOf('.');
  const stem = dot > 0 ? name.slice(0, dot) : name;
  const extension = dot > 0 ? name.slice(dot + 1) : '';
  const clean = (part: string, length: number) =>
    part
      .toUpperCase()
      .replace(/[^A-Z0-9_]/g, '_')
      .slice(0, length);
  return extension === '' ? clean(stem, 8) : `${clean(stem, 8)}.${clean(extension, 3)}`;
}

/** Returns the components of a path. `/a/b`, `a/b` and `a//b` are equal. */
export function splitPath(path: string): string[] {
  return path.split('/').filter((component) => component !== '');
}
