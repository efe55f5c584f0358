import { latin1, uint16Le, uint32Le } from '../binary';
import { BootImageError, malformed } from '../boot-image.error';
import { assertRange, type ByteSource, sliceSource } from '../byte-source';
import {
  type DirectoryRecord,
  parseDirectory,
  parseRecord,
  rockRidgeName,
  SECTOR_BYTES,
  splitPath,
  toIsoName,
} from './directory-record';

/** A contiguous part of a file inside the image. */
export interface Extent {
  readonly offset: number;
  readonly length: number;
}

export interface IsoEntry {
  /** The long name when the image has one, otherwise `isoName`. */
  readonly name: string;
  /** The 8.3 identifier without version, such as `KARGS.JSO`. */
  readonly isoName: string;
  readonly isDirectory: boolean;
  /** One part, except for files of more than 4 GiB. */
  readonly extents: readonly Extent[];
  /** Size in bytes. */
  readonly size: number;
}

/** Returns one entry for its records. A file in several parts has several records. */
export function toEntry(name: string, records: readonly DirectoryRecord[]): IsoEntry {
  const extents = records.map(({ offset, length }) => ({ offset, length }));
  return {
    name,
    isoName: records[0]?.isoName ?? '',
    isDirectory: records[0]?.isDirectory ?? false,
    extents,
    size: extents.reduce((sum, { length }) => sum + length, 0),
  };
}

/**
 * Returns a file of the image as a source.
 * @throws BootImageError `truncated` when the file extends beyond the end of the image
 */
export function fileSource(source: ByteSource, entry: IsoEntry): ByteSource {
  for (const { offset, length } of entry.extents) {
    if (offset + length <= source.size) continue;
    throw new BootImageError({
      code: 'truncated',
      what: entry.name,
      neededBytes: offset + length,
      sizeBytes: source.size,
    });
  }
  const [only, ...others] = entry.extents;
  // All files but the largest have one part, which is read in place.
  if (only && others.length === 0) return sliceSource(source, only.length === 0 ? 0 : only.offset, only.length);
  return {
    size: entry.size,
    async read(offset, length) {
      assertRange(entry.size, offset, length);
      const bytes = new Uint8Array(length);
      let extentStart = 0;
      for (const extent of entry.extents) {
        const from = Math.max(offset, extentStart);
        const to = Math.min(offset + length, extentStart + extent.length);
        if (from < to) bytes.set(await source.read(extent.offset + from - extentStart, to - from), from - offset);
        extentStart += extent.length;
      }
      return bytes;
    },
  };
}

const DIRECTORY_BYTES_MAX = 1024 * 1024;
const DEPTH_MAX = 32;
const ENTRIES_MAX = 10_000;

/** Returns the entries of one directory, without the directory itself and its parent. */
export async function readDirectory(source: ByteSource, directory: IsoEntry): Promise<IsoEntry[]> {
  const records = await readRecords(source, directory);
  const entries: IsoEntry[] = [];
  let pending: DirectoryRecord[] = [];
  for (const record of records) {
    if (record.isSelfOrParent) continue;
    pending.push(record);
    if (record.hasMoreExtents) continue;
    entries.push(toEntry((await rockRidgeName(source, record.systemUse)) ?? record.isoName, pending));
    pending = [];
  }
  if (pending.length > 0)
    throw malformed(nameOf(directory), 'the last file refers to a further part, which is missing');
  return entries;
}

/** Returns the records of a directory as stored, including those of itself and its parent. */
export async function readRecords(source: ByteSource, directory: IsoEntry): Promise<DirectoryRecord[]> {
  if (!directory.isDirectory) throw malformed(nameOf(directory), 'not a directory');
  if (directory.size > DIRECTORY_BYTES_MAX)
    throw malformed(nameOf(directory), `a directory of ${directory.size} bytes`);
  return parseDirectory(await fileSource(source, directory).read(0, directory.size));
}

const nameOf = ({ name }: IsoEntry): string => (name === '' ? 'the root directory' : name);

/** Searches the long names first, then the 8.3 names, as given and as shortened by a level 1 writer. */
export function pick(entries: readonly IsoEntry[], component: string): IsoEntry | undefined {
  const by = (matches: (entry: IsoEntry) => boolean) => entries.find(matches);
  return (
    by(({ name }) => name === component) ??
    by(({ isoName }) => isoName.toUpperCase() === component.toUpperCase()) ??
    by(({ isoName }) => isoName === toIsoName(component))
  );
}

/** Returns every file below a directory, as path and entry. */
export async function* walk(
  source: ByteSource,
  root: IsoEntry,
): AsyncGenerator<{ readonly path: string; readonly entry: IsoEntry }, void, undefined> {
  const waiting = [{ path: '', entry: root, depth: 0 }];
  let seen = 0;
  for (let next = waiting.pop(); next; next = waiting.pop()) {
    // Limits, because a hostile directory can contain itself.
    if (next.depth > DEPTH_MAX) throw malformed(next.path, `more than ${DEPTH_MAX} directories deep`);
    for (const entry of await readDirectory(source, next.entry)) {
      seen += 1;
      if (seen > ENTRIES_MAX) throw malformed('the file system', `more than ${ENTRIES_MAX} entries`);
      const path = `${next.path}/${entry.name}`;
      if (entry.isDirectory) waiting.push({ path, entry, depth: next.depth + 1 });
      else yield { path, entry };
    }
  }
}

const DESCRIPTOR_OFFSET = 16 * SECTOR_BYTES;
const DESCRIPTOR_PRIMARY = 1;

/**
 * Returns the volume descriptor, which contains the volume id and the root directory.
 * @throws BootImageError `not_an_iso`
 */
export async function readVolumeDescriptor(source: ByteSource): Promise<Uint8Array> {
  if (source.size < DESCRIPTOR_OFFSET + SECTOR_BYTES) {
    throw new BootImageError({ code: 'not_an_iso', reason: `it has only ${source.size} bytes` });
  }
  const descriptor = await source.read(DESCRIPTOR_OFFSET, SECTOR_BYTES);
  if (descriptor[0] !== DESCRIPTOR_PRIMARY || latin1(descriptor.subarray(1, 6)) !== 'CD001') {
    throw new BootImageError({
      code: 'not_an_iso',
      reason: `there is no volume descriptor at byte ${DESCRIPTOR_OFFSET}`,
    });
  }
  const blockBytes = uint16Le(descriptor, 128);
  if (blockBytes !== SECTOR_BYTES) {
    throw new BootImageError({
      code: 'not_an_iso',
      reason: `its blocks have ${blockBytes} bytes instead of ${SECTOR_BYTES}`,
    });
  }
  return descriptor;
}

const ROOT_RECORD_BYTES = 34;

/** An ISO 9660 file system. Every method throws BootImageError for damaged data. */
export interface IsoImage {
  readonly source: ByteSource;
  readonly volumeId: string;
  readonly root: IsoEntry;
  /** Size in bytes in the volume descriptor. The source may be longer (padding, partition tables). */
  readonly volumeBytes: number;
  /** Finds an entry by its long name, or by its 8.3 name in any case. Undefined when there is none. */
  find(path: string): Promise<IsoEntry | undefined>;
  list(directoryPath: string): Promise<readonly IsoEntry[]>;
  /** @throws BootImageError `file_not_found`, or `malformed` for a file of more than `maxBytes` */
  readFile(path: string, maxBytes: number): Promise<Uint8Array>;
  /** Returns every file (not directories), as path and entry. */
  files(): AsyncGenerator<{ readonly path: string; readonly entry: IsoEntry }, void, undefined>;
}

/**
 * Opens a file system.
 * @throws BootImageError `not_an_iso`, or `truncated` when the source is shorter than the file system
 */
export async function openIso(source: ByteSource): Promise<IsoImage> {
  const descriptor = await readVolumeDescriptor(source);
  const volumeBytes = uint32Le(descriptor, 80) * SECTOR_BYTES;
  if (source.size < volumeBytes) {
    throw new BootImageError({
      code: 'truncated',
      what: 'the file system',
      neededBytes: volumeBytes,
      sizeBytes: source.size,
    });
  }
  const rootRecord = parseRecord(descriptor.subarray(156, 156 + ROOT_RECORD_BYTES), ROOT_RECORD_BYTES);
  const root = toEntry('', [rootRecord]);

  const list = (directory: IsoEntry) => readDirectory(source, directory);
  const find = async (path: string): Promise<IsoEntry | undefined> => {
    let entry: IsoEntry | undefined = root;
    for (const component of splitPath(path)) {
      entry = entry?.isDirectory ? pick(await list(entry), component) : undefined;
    }
    return entry;
  };
  const require = async (path: string): Promise<IsoEntry> => {
    const entry = await find(path);
    if (!entry) throw new BootImageError({ code: 'file_not_found', path });
    return entry;
  };

  return {
    source,
    volumeId: latin1(descriptor.subarray(40, 72)).trim(),
    root,
    volumeBytes,
    find,
    list: async (path) => list(await require(path)),
    async readFile(path, maxBytes) {
      const entry = await require(path);
      if (entry.isDirectory) throw new BootImageError({ code: 'file_not_found', path });
      if (entry.size > maxBytes) throw malformed(path, `${entry.size} bytes, and at most ${maxBytes} are expected`);
      return fileSource(source, entry).read(0, entry.size);
    },
    files: () => walk(source, root),
  };
}
