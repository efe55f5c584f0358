import { BootImageError } from '../boot-image.error';
import { assertRange, type ByteSource } from '../byte-source';
import { sliceSource } from '../segmented-source';
import type { DirectoryRecord } from './directory-record';

/** A contiguous run of a file's bytes inside the image. */
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
  /** One, except for files above 4 GiB. */
  readonly extents: readonly Extent[];
  /** Bytes. */
  readonly size: number;
}

/** One entry of the records that describe it: several when the file is stored in several parts. */
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

/** A file of the image as a source of its own. Throws `truncated` when the file lies beyond the end of the image. */
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
  // All files but the largest are in one piece, which can be read where it is.
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
