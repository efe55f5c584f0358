import { createJsonParser, formatViolation } from '@muster/schema';
import { type Static, type TSchema, Type } from '@sinclair/typebox';
import { utf8 } from '../binary';
import { BootImageError, malformed } from '../boot-image.error';
import type { Extent, IsoImage } from '../iso/iso-image';

/**
 * Returns the position in the image of `length` bytes at `offset` of a file.
 * @throws BootImageError `file_not_found`, `malformed`, `truncated`
 */
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

/** Returns the region after it was checked against the size of the image. */
export function regionInImage(image: IsoImage, what: string, offset: number, length: number): Extent {
  const sizeBytes = image.source.size;
  if (offset + length > sizeBytes) {
    throw new BootImageError({ code: 'truncated', what, neededBytes: offset + length, sizeBytes });
  }
  return { offset, length };
}

const JSON_BYTES_MAX = 64 * 1024;

/** A position or a number of bytes. */
export const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER });

/**
 * Returns a function that reads a small JSON document of the image. It returns undefined when the file does not exist,
 * and throws BootImageError `malformed` with the place when the document does not match the schema.
 */
export function documentReader<Schema extends TSchema>(
  path: string,
  schema: Schema,
): (image: IsoImage) => Promise<Static<Schema> | undefined> {
  const parse = createJsonParser(schema, { name: 'the document' });
  return async (image) => {
    if (!(await image.find(path))) return undefined;
    const parsed = parse(utf8(await image.readFile(path, JSON_BYTES_MAX)));
    if (parsed.kind === 'valid') return parsed.value;
    throw malformed(path, formatViolation(parsed.violations[0]));
  };
}
