import { malformed } from './boot-image.error';
import { utf8 } from './binary';
import type { IsoImage } from './iso/iso-image';

const JSON_BYTES_MAX = 64 * 1024;

export type JsonObject = Readonly<Record<string, unknown>>;

/** A small JSON object stored in the image, or undefined when there is no such file. Throws `malformed`. */
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
