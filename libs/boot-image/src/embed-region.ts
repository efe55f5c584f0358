import { BootImageError, malformed } from './boot-image.error';
import type { Extent } from './iso/iso-entry';
import type { IsoImage } from './iso/iso-image';

/** Where `length` bytes at `offset` of a file are in the image. Throws `file_not_found`, `malformed`, `truncated`. */
export async function regionInFile(image: IsoImage, path: string, offset: number, length?: number): Promise<Extent> {
  const entry = await image.find(path);
  if (!entry || entry.isDirectory) throw new BootImageError({ code: 'file_not_found', path });
  const [extent] = entry.extents;
  if (!extent || entry.extents.length > 1) throw malformed(path, 'a reserved area in a file of several parts');
  const regionLength = length ?? entry.size - offset;
  if (regionLength <= 0 || offset + regionLength > entry.size) {
    throw malformed(path, `${regionLength} bytes at ${offset} are not inside its ${entry.size} bytes`);
  }
  return regionInImage(image, path, extent.offset + offset, regionLength);
}

/** The region itself, once it is known to be inside the image. */
export function regionInImage(image: IsoImage, what: string, offset: number, length: number): Extent {
  const sizeBytes = image.source.size;
  if (offset + length > sizeBytes) {
    throw new BootImageError({ code: 'truncated', what, neededBytes: offset + length, sizeBytes });
  }
  return { offset, length };
}
