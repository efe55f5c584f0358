import { setBoth32, setUint32Be, setUint32Le, utf8Bytes } from '../binary';
import { bufferByteSource, type ByteSource } from '../byte-source';
import { SECTOR_BYTES } from '../iso/directory-record';
import type { IsoImage } from '../iso/iso-image';
import { concatSources, sliceSource, zeroSource } from '../segmented-source';
import { bootImageAt, type BootRecords, movedCatalogue, readBootRecords } from './boot-records';
import { movedHybridDisk } from './hybrid-disk';
import { overlaySource } from '../overlay-source';
import type { FilePart, IsoDirectory, IsoFile } from './iso-tree';
import { ContentArea, layOutDirectories, type LaidOut } from './lay-out';
import { pathTables } from './path-table';
import type { Place } from './shape-record';
import { writeDirectories } from './write-directories';

const SYSTEM_AREA_BYTES = 16 * SECTOR_BYTES;
const PRIMARY_SECTOR = 16;

/** An image with a new layout. File contents are read from the original on demand. */
export interface WrittenIso {
  readonly source: ByteSource;
  /** Where a file's first byte is. */
  offsetOf(file: IsoFile): number;
}

/**
 * An image with the volume, boot entries and partition tables of another one and the files of `root`. Takes memory for
 * directories only. Same input, same bytes. Throws `malformed` for what cannot be written again.
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
  // In the order of the original, which put together what is read together; new files last.
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
