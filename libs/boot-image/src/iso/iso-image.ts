import { BootImageError, malformed } from '../boot-image.error';
import type { ByteSource } from '../byte-source';
import { latin1, uint32Le } from '../binary';
import { parseRecord, SECTOR_BYTES } from './directory-record';
import { fileSource, toEntry, type IsoEntry } from './iso-entry';
import { splitPath } from './iso-names';
import { pick, readDirectory, walk } from './read-directory';
import { readVolumeDescriptor } from './volume-descriptor';

const ROOT_RECORD_BYTES = 34;

/** An ISO 9660 file system. Every method throws BootImageError for what it finds damaged. */
export interface IsoImage {
  readonly source: ByteSource;
  readonly volumeId: string;
  readonly root: IsoEntry;
  /** Bytes that the file system says it takes; the source may be longer (padding, partition tables). */
  readonly volumeBytes: number;
  /** By long name, or by 8.3 name in any case. Undefined when there is none. */
  find(path: string): Promise<IsoEntry | undefined>;
  list(directoryPath: string): Promise<readonly IsoEntry[]>;
  /** Throws `file_not_found`, and `malformed` for a file above `maxBytes`. */
  readFile(path: string, maxBytes: number): Promise<Uint8Array>;
  /** Every file (not the directories), as path and entry. */
  files(): AsyncGenerator<{ readonly path: string; readonly entry: IsoEntry }, void, undefined>;
}

/** Throws `not_an_iso`, or `truncated` when the source is shorter than the file system. */
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
