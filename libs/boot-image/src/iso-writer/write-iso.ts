import { concatBytes, roundUp, setBoth32, setUint32Be, setUint32Le, utf8Bytes } from '../binary';
import { bufferByteSource, type ByteSource, concatSources, sliceSource, zeroSource } from '../byte-source';
import { SECTOR_BYTES } from '../iso/directory-record';
import type { IsoImage } from '../iso/iso-image';
import { overlaySource } from '../overlay-source';
import { bootImageAt, type BootRecords, movedCatalogue, movedHybridDisk, readBootRecords } from './boot-records';
import type { FilePart, IsoDirectory, IsoFile } from './iso-tree';
import {
  childrenInOrder,
  ContentArea,
  type LaidOut,
  layOutDirectories,
  type Place,
  type ShapedRecord,
  writeRecord,
} from './lay-out';

const FIXED_BYTES = 8;

/** The path table with all directories, once in each byte order, for old readers. */
export function pathTables({ directories }: LaidOut): { readonly little: Uint8Array; readonly big: Uint8Array } {
  const [little, big] = [true, false].map((isLittle) =>
    concatBytes(
      directories.map(({ directory, parent, place }) => {
        const { identifier } = directory;
        const record = new Uint8Array(FIXED_BYTES + identifier.length + (identifier.length % 2));
        record[0] = identifier.length;
        (isLittle ? setUint32Le : setUint32Be)(record, 2, place.sector);
        const number = parent?.number ?? 1;
        record.set(isLittle ? [number & 0xff, number >> 8] : [number >> 8, number & 0xff], 6);
        for (let index = 0; index < identifier.length; index += 1)
          record[FIXED_BYTES + index] = identifier.charCodeAt(index);
        return record;
      }),
    ),
  );
  return { little: little ?? new Uint8Array(), big: big ?? new Uint8Array() };
}

const FLAG_MORE_EXTENTS = 128;

/** Writes all directories and continuation areas into the first part of an image. */
export function writeDirectories(head: Uint8Array, laid: LaidOut, placesOf: (file: IsoFile) => readonly Place[]): void {
  const placeOfDirectory = new Map(laid.directories.map(({ directory, place }) => [directory, place]));
  const nowhere: Place = { sector: 0, length: 0 };
  for (const { directory, parent, place } of laid.directories) {
    let at = place.sector * SECTOR_BYTES;
    const put = (record: ShapedRecord, target: Place, moreFlags = 0): void => {
      if ((at % SECTOR_BYTES) + record.length > SECTOR_BYTES) at = roundUp(at, SECTOR_BYTES);
      head.set(writeRecord(record, target, moreFlags, laid.continuations.get(record) ?? 0, SECTOR_BYTES), at);
      at += record.length;
    };
    const [self, up] = laid.own.get(directory) ?? [];
    if (self) put(self, place);
    if (up) put(up, parent?.place ?? place);
    for (const child of childrenInOrder(directory)) {
      const record = laid.records.get(child);
      if (!record) continue;
      const targets = child.kind === 'file' ? placesOf(child) : [directoryPlace(child)];
      targets.forEach((target, index) => put(record, target, index < targets.length - 1 ? FLAG_MORE_EXTENTS : 0));
    }
  }
  for (const [{ outside }, offset] of laid.continuations) if (outside) head.set(outside, offset);

  function directoryPlace(directory: IsoDirectory): Place {
    return placeOfDirectory.get(directory) ?? nowhere;
  }
}

const SYSTEM_AREA_BYTES = 16 * SECTOR_BYTES;
const PRIMARY_SECTOR = 16;

/** An image with a new layout. File contents are read from the original on demand. */
export interface WrittenIso {
  readonly source: ByteSource;
  /** Returns the position of a file's first byte. */
  offsetOf(file: IsoFile): number;
}

/**
 * Returns an image with the files of `root` and the volume, boot entries and partition tables of another image. Only
 * directories are in memory. Equal input results in equal bytes.
 * @throws BootImageError `malformed` for content that cannot be written
 */
export async function writeIso(original: IsoImage, root: IsoDirectory): Promise<WrittenIso> {
  const { source } = original;
  const boot = await readBootRecords(source);
  const fixedSectors = boot ? 3 : 2;
  const tableSectors = sectorsOf(pathTables(layOutDirectories(root, 0)).little.length);
  const tablesAt = PRIMARY_SECTOR + fixedSectors;
  const laid = layOutDirectories(root, tablesAt + 2 * tableSectors);
  const area = new ContentArea(laid.endSector);
  const catalogueFile = boot && filesOf(laid).find(({ parts }) => parts[0]?.originalOffset === boot.catalogue.offset);
  const places = placeFiles(laid, area, boot);
  const catalogueSector = catalogueFile ? placeOf(places, catalogueFile).sector : area.endSector;
  if (boot && !catalogueFile) area.put({ content: zeroSource(SECTOR_BYTES) }, (content) => content);
  for (const image of boot?.images.values() ?? []) {
    if (area.movedTo(image.originalOffset) !== undefined) continue;
    const content = sliceSource(source, image.originalOffset, image.length);
    area.put({ content, originalOffset: image.originalOffset }, (own, { sector }) => bootImageAt(own, image, sector));
  }

  const volumeSectors = area.endSector;
  const disk = movedHybridDisk(
    await source.read(0, SYSTEM_AREA_BYTES),
    source.size,
    volumeSectors * SECTOR_BYTES,
    (offset) => area.movedTo(offset),
  );
  const totalSectors = volumeSectors + disk.tailBytes / SECTOR_BYTES;
  const tables = pathTables(laid);
  const head = new Uint8Array(laid.endSector * SECTOR_BYTES);
  head.set(disk.systemArea);
  const descriptor = Uint8Array.from(await source.read(SYSTEM_AREA_BYTES, SECTOR_BYTES));
  setBoth32(descriptor, 80, totalSectors);
  setBoth32(descriptor, 132, tables.little.length);
  setUint32Le(descriptor, 140, tablesAt);
  setUint32Le(descriptor, 144, 0);
  setUint32Be(descriptor, 148, tablesAt + tableSectors);
  setUint32Be(descriptor, 152, 0);
  const rootPlace = laid.directories[0]?.place ?? { sector: 0, length: 0 };
  setBoth32(descriptor, 156 + 2, rootPlace.sector);
  setBoth32(descriptor, 156 + 10, rootPlace.length);
  head.set(descriptor, SYSTEM_AREA_BYTES);
  if (boot) {
    const record = Uint8Array.from(await source.read(SYSTEM_AREA_BYTES + SECTOR_BYTES, SECTOR_BYTES));
    setUint32Le(record, 71, catalogueSector);
    head.set(record, SYSTEM_AREA_BYTES + SECTOR_BYTES);
  }
  head.set(terminator(), (tablesAt - 1) * SECTOR_BYTES);
  head.set(tables.little, tablesAt * SECTOR_BYTES);
  head.set(tables.big, (tablesAt + tableSectors) * SECTOR_BYTES);
  writeDirectories(head, laid, (file) => places.get(file) ?? []);

  const written = concatSources([
    bufferByteSource(head),
    area.source,
    zeroSource(disk.tailBytes - disk.tail.length),
    bufferByteSource(disk.tail),
  ]);
  const catalogue = boot && {
    offset: catalogueSector * SECTOR_BYTES,
    bytes: movedCatalogue(boot.catalogue, (offset) => area.movedTo(offset)),
  };
  return {
    source: catalogue ? overlaySource(written, [catalogue]) : written,
    offsetOf: (file) => placeOf(places, file).sector * SECTOR_BYTES,
  };
}

function placeFiles(
  laid: LaidOut,
  area: ContentArea,
  boot: BootRecords | undefined,
): ReadonlyMap<IsoFile, readonly Place[]> {
  const places = new Map<IsoFile, readonly Place[]>();
  const adapt = ({ originalOffset = -1 }: FilePart) => {
    const image = boot?.images.get(originalOffset);
    return (content: ByteSource, { sector }: Place) => (image ? bootImageAt(content, image, sector) : content);
  };
  // In the order of the original, in which files that are read together are adjacent. New files are last.
  const positionOf = ({ parts }: IsoFile): number => parts[0]?.originalOffset ?? Number.MAX_SAFE_INTEGER;
  const files = [...filesOf(laid)].sort((a, b) => positionOf(a) - positionOf(b));
  for (const file of files)
    places.set(
      file,
      file.parts.map((part) => area.put(part, adapt(part))),
    );
  return places;
}

function filesOf(laid: LaidOut): IsoFile[] {
  return laid.directories.flatMap(({ directory }) => directory.children.filter((child) => child.kind === 'file'));
}

function placeOf(places: ReadonlyMap<IsoFile, readonly Place[]>, file: IsoFile): Place {
  const [place] = places.get(file) ?? [];
  if (!place) throw new RangeError(`${file.name} is not in this image`);
  return place;
}

const sectorsOf = (bytes: number): number => Math.ceil(bytes / SECTOR_BYTES);

function terminator(): Uint8Array {
  const bytes = new Uint8Array(SECTOR_BYTES);
  bytes[0] = 255;
  bytes.set(utf8Bytes('CD001'), 1);
  bytes[6] = 1;
  return bytes;
}
