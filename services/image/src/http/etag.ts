import { createHash } from 'node:crypto';

const ETAG_CHARACTERS = 40;

/** Strong: the same parts, in the same order, are the same bytes. */
export function etagOf(...parts: readonly (string | Uint8Array)[]): string {
  const hash = createHash('sha256');
  // The length first, so that no two lists of parts run together to the same text.
  for (const part of parts) hash.update(`${part.length}\n`).update(part);
  return `"${hash.digest('hex').slice(0, ETAG_CHARACTERS)}"`;
}
