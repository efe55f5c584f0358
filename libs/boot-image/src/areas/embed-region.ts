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

export type JsonObject = Readonly<Record<string, unknown>>;

/**
 * Returns a small JSON object that is stored in the image. Undefined when the file does not exist.
 * @throws BootImageError `malformed`
 */
export async function readJson(image: IsoImage, path: string): Promise<JsonObject | undefined> {
  if (!(await image.find(path))) return undefined;
  const text = utf8(await image.readFile(path, JSON_BYTES_MAX));
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw malformed(path, 'not JSON');
  }
  if (!isObject(value)) throw malformed(path, 'not a JSON object');
  return value;
}

export function isObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

export function isCount(value: unknown): value is number {
  return Number.isSafeInteger(value) && Number(value) >= 0;
}
