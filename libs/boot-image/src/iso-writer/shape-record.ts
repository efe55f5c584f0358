import { malformed } from '../boot-image.error';
import { concatBytes, setBoth32 } from '../binary';
import type { RecordShape } from './iso-tree';

const FIXED_BYTES = 33;
const RECORD_BYTES_MAX = 254;
const REFERENCE_BYTES = 28;
export const CONTINUATION_BYTES_MAX = 2048;

/** A record's extension fields, divided into what fits into it and what has to go elsewhere. */
export interface ShapedRecord {
  readonly shape: RecordShape;
  /** Length of the record, in bytes; even. */
  readonly length: number;
  readonly inside: Uint8Array;
  /** Undefined when everything is inside. */
  readonly outside: Uint8Array | undefined;
}

/** Where something is, in sectors, and how many bytes it has. */
export interface Place {
  readonly sector: number;
  readonly length: number;
}

/** Throws `malformed` when the extension fields are more than one sector takes. */
export function shapeRecord(shape: RecordShape): ShapedRecord {
  const nameEnd = FIXED_BYTES + shape.identifier.length + ((shape.identifier.length + 1) % 2);
  const all = concatBytes(shape.systemUse);
  if (nameEnd + all.length <= RECORD_BYTES_MAX)
    return { shape, length: even(nameEnd + all.length), inside: all, outside: undefined };
  let fits = 0;
  let bytes = nameEnd + REFERENCE_BYTES;
  while (bytes + (shape.systemUse[fits]?.length ?? RECORD_BYTES_MAX) <= RECORD_BYTES_MAX) {
    bytes += shape.systemUse[fits]?.length ?? 0;
    fits += 1;
  }
  const inside = concatBytes(shape.systemUse.slice(0, fits));
  const outside = concatBytes(shape.systemUse.slice(fits));
  if (outside.length > CONTINUATION_BYTES_MAX)
    throw malformed('Rock Ridge', `the fields of ${JSON.stringify(shape.identifier)} take ${outside.length} bytes`);
  return { shape, length: even(nameEnd + inside.length + REFERENCE_BYTES), inside, outside };
}

/** The record itself. `continuation`: where what is outside begins, in bytes from the start of the image. */
export function writeRecord(
  { shape, length, inside, outside }: ShapedRecord,
  place: Place,
  moreFlags: number,
  continuation: number,
  sectorBytes: number,
): Uint8Array {
  const record = new Uint8Array(length);
  record[0] = length;
  setBoth32(record, 2, place.sector);
  setBoth32(record, 10, place.length);
  record.set(shape.recordedAt, 18);
  record[25] = shape.flags | moreFlags;
  // One volume, number one, in both byte orders.
  record[28] = 1;
  record[31] = 1;
  record[32] = shape.identifier.length;
  for (let index = 0; index < shape.identifier.length; index += 1)
    record[FIXED_BYTES + index] = shape.identifier.charCodeAt(index);
  const nameEnd = FIXED_BYTES + shape.identifier.length + ((shape.identifier.length + 1) % 2);
  record.set(inside, nameEnd);
  if (outside) {
    const reference = new Uint8Array(REFERENCE_BYTES);
    reference.set([0x43, 0x45, REFERENCE_BYTES, 1]);
    setBoth32(reference, 4, Math.floor(continuation / sectorBytes));
    setBoth32(reference, 12, continuation % sectorBytes);
    setBoth32(reference, 20, outside.length);
    record.set(reference, nameEnd + inside.length);
  }
  return record;
}

/** As the standard orders records: by name, then by extension, blanks filling both. */
export function compareIdentifiers(a: string, b: string): number {
  const [left, right] = [sortKey(a), sortKey(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function sortKey(identifier: string): string {
  const [stem = '', extension = ''] = identifier.replace(/;\d*$/, '').split('.');
  return `${stem.padEnd(40)}${extension.padEnd(40)}`;
}

const even = (length: number): number => length + (length % 2);
