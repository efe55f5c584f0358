import { concatBytes, roundUp, setBoth32 } from '../binary';
import { malformed } from '../boot-image.error';
import { type ByteSource, concatSources, zeroSource } from '../byte-source';
import { SECTOR_BYTES } from '../iso/directory-record';
import type { FilePart, IsoDirectory, IsoFile, RecordShape } from './iso-tree';

const FIXED_BYTES = 33;
const RECORD_BYTES_MAX = 254;
const REFERENCE_BYTES = 28;
export const CONTINUATION_BYTES_MAX = 2048;

/** The extension fields of a record, divided into those inside the record and those in a continuation area. */
export interface ShapedRecord {
  readonly shape: RecordShape;
  /** Length of the record in bytes, an even number. */
  readonly length: number;
  readonly inside: Uint8Array;
  /** Undefined when all fields are inside. */
  readonly outside: Uint8Array | undefined;
}

/** A position in sectors and a length in bytes. */
export interface Place {
  readonly sector: number;
  readonly length: number;
}

/** @throws BootImageError `malformed` when the extension fields exceed one sector */
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

/** Returns the record. `continuation`: position of the continuation area in bytes from the start of the image. */
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

/** Orders records as the standard requires: by name, then by extension, both padded with blanks. */
export function compareIdentifiers(a: string, b: string): number {
  const [left, right] = [sortKey(a), sortKey(b)];
  return left < right ? -1 : left > right ? 1 : 0;
}

function sortKey(identifier: string): string {
  const [stem = '', extension = ''] = identifier.replace(/;\d*$/, '').split('.');
  return `${stem.padEnd(40)}${extension.padEnd(40)}`;
}

const even = (length: number): number => length + (length % 2);

/** A directory with its ordered records and its number in the path table. */
export interface LaidDirectory {
  readonly directory: IsoDirectory;
  readonly parent: LaidDirectory | undefined;
  readonly number: number;
  readonly place: Place;
}

export interface LaidOut {
  /** By level, as in the path table. The first one is the root. */
  readonly directories: readonly LaidDirectory[];
  readonly records: ReadonlyMap<IsoDirectory | IsoFile, ShapedRecord>;
  readonly own: ReadonlyMap<IsoDirectory, readonly [ShapedRecord, ShapedRecord]>;
  /** Bytes from the start of the image. */
  readonly continuations: ReadonlyMap<ShapedRecord, number>;
  /** First sector after directories and continuation areas. */
  readonly endSector: number;
}

export const childrenInOrder = ({ children }: IsoDirectory): IsoDirectory['children'] =>
  [...children].sort((a, b) => compareIdentifiers(a.identifier, b.identifier));

/** Assigns positions to all directories, starting at `firstSector`. */
export function layOutDirectories(root: IsoDirectory, firstSector: number): LaidOut {
  const records = new Map<IsoDirectory | IsoFile, ShapedRecord>();
  const own = new Map<IsoDirectory, readonly [ShapedRecord, ShapedRecord]>();
  const directories: LaidDirectory[] = [];
  let sector = firstSector;
  let level: Array<{ readonly directory: IsoDirectory; readonly parent: LaidDirectory | undefined }> = [
    { directory: root, parent: undefined },
  ];
  while (level.length > 0) {
    const next: typeof level = [];
    for (const { directory, parent } of level) {
      const children = childrenInOrder(directory);
      own.set(directory, [shapeRecord(directory.self), shapeRecord(directory.parent)]);
      for (const child of children) records.set(child, shapeRecord(child));
      const length = directoryBytes([
        ...(own.get(directory) ?? []),
        // A file of several parts has a record for each.
        ...children.flatMap((child) =>
          new Array<ShapedRecord>(child.kind === 'file' ? child.parts.length : 1).fill(
            records.get(child) ?? shapeRecord(child),
          ),
        ),
      ]);
      const laid = { directory, parent, number: directories.length + 1, place: { sector, length } };
      directories.push(laid);
      sector += length / SECTOR_BYTES;
      for (const child of children) if (child.kind === 'directory') next.push({ directory: child, parent: laid });
    }
    level = next;
  }
  const continuations = new Map<ShapedRecord, number>();
  let at = sector * SECTOR_BYTES;
  for (const record of [...own.values()].flat().concat([...records.values()])) {
    if (!record.outside) continue;
    // A continuation area must not cross the end of a sector.
    if ((at % SECTOR_BYTES) + record.outside.length > SECTOR_BYTES) at = roundUp(at, SECTOR_BYTES);
    continuations.set(record, at);
    at += record.outside.length;
  }
  return { directories, records, own, continuations, endSector: roundUp(at, SECTOR_BYTES) / SECTOR_BYTES };
}

function directoryBytes(records: readonly ShapedRecord[]): number {
  let at = 0;
  for (const { length } of records) {
    if ((at % SECTOR_BYTES) + length > SECTOR_BYTES) at = roundUp(at, SECTOR_BYTES);
    at += length;
  }
  return roundUp(at, SECTOR_BYTES);
}

/** File contents in order, each at the start of a sector. Files that share content in the original still share it. */
export class ContentArea {
  private readonly segments: ByteSource[] = [];
  private readonly places = new Map<number, Place>();
  private sector: number;

  constructor(private readonly firstSector: number) {
    this.sector = firstSector;
  }

  /** `adapt` returns the content for the new position. */
  put({ content, originalOffset }: FilePart, adapt: (content: ByteSource, place: Place) => ByteSource): Place {
    const known = originalOffset === undefined ? undefined : this.places.get(originalOffset);
    if (known && known.length === content.size) return known;
    const place = { sector: this.sector, length: content.size };
    this.segments.push(adapt(content, place), zeroSource(roundUp(content.size, SECTOR_BYTES) - content.size));
    this.sector += roundUp(content.size, SECTOR_BYTES) / SECTOR_BYTES;
    if (originalOffset !== undefined && content.size > 0) this.places.set(originalOffset, place);
    return place;
  }

  /** Returns the new position of bytes at `originalOffset`. Undefined when they were omitted. */
  movedTo(originalOffset: number): number | undefined {
    const place = this.places.get(originalOffset);
    return place && place.sector * SECTOR_BYTES;
  }

  get endSector(): number {
    return this.sector;
  }

  get source(): ByteSource {
    const source = concatSources(this.segments);
    if (source.size !== (this.sector - this.firstSector) * SECTOR_BYTES) throw new RangeError('sectors do not add up');
    return source;
  }
}
