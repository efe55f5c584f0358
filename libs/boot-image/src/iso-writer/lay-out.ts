import { roundUp } from '../binary';
import { concatSources, zeroSource } from '../segmented-source';
import type { ByteSource } from '../byte-source';
import { SECTOR_BYTES } from '../iso/directory-record';
import type { FilePart, IsoDirectory, IsoFile } from './iso-tree';
import { compareIdentifiers, type Place, type ShapedRecord, shapeRecord } from './shape-record';

/** A directory with its records in order and its number in the path table. */
export interface LaidDirectory {
  readonly directory: IsoDirectory;
  readonly parent: LaidDirectory | undefined;
  readonly number: number;
  readonly place: Place;
}

export interface LaidOut {
  /** By level, as the path table wants them; the first is the root. */
  readonly directories: readonly LaidDirectory[];
  readonly records: ReadonlyMap<IsoDirectory | IsoFile, ShapedRecord>;
  readonly own: ReadonlyMap<IsoDirectory, readonly [ShapedRecord, ShapedRecord]>;
  /** Bytes from the start of the image. */
  readonly continuations: ReadonlyMap<ShapedRecord, number>;
  /** First sector behind directories and continuations. */
  readonly endSector: number;
}

export const childrenInOrder = ({ children }: IsoDirectory): IsoDirectory['children'] =>
  [...children].sort((a, b) => compareIdentifiers(a.identifier, b.identifier));

/** Gives every directory its place from `firstSector` on. */
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
    // None of them may cross a sector.
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

/** File contents one after the other, each at the start of a sector; what was shared in the original stays shared. */
export class ContentArea {
  private readonly segments: ByteSource[] = [];
  private readonly places = new Map<number, Place>();
  private sector: number;

  constructor(private readonly firstSector: number) {
    this.sector = firstSector;
  }

  /** `adapt`: the content as it has to be in this place. */
  put({ content, originalOffset }: FilePart, adapt: (content: ByteSource, place: Place) => ByteSource): Place {
    const known = originalOffset === undefined ? undefined : this.places.get(originalOffset);
    if (known && known.length === content.size) return known;
    const place = { sector: this.sector, length: content.size };
    this.segments.push(adapt(content, place), zeroSource(roundUp(content.size, SECTOR_BYTES) - content.size));
    this.sector += roundUp(content.size, SECTOR_BYTES) / SECTOR_BYTES;
    if (originalOffset !== undefined && content.size > 0) this.places.set(originalOffset, place);
    return place;
  }

  /** Where bytes that were at `originalOffset` begin now, in bytes; undefined when they were left out. */
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
