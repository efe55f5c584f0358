import { assertRange, type ByteSource } from './byte-source';

/** One read: as fast as Node reads a plain file, and a download stays below 1 MiB even with chunks not yet collected. */
export const RANGE_CHUNK_BYTES = 64 * 1024;

/**
 * The bytes of a range in order, one chunk in memory at a time; the next chunk is read only when the consumer asks.
 * Throws `range_out_of_bounds` before the first chunk, so a caller can still answer with an error.
 */
export function readRange(
  source: ByteSource,
  offset = 0,
  length = source.size - offset,
  chunkBytes = RANGE_CHUNK_BYTES,
): AsyncGenerator<Uint8Array, void, undefined> {
  assertRange(source.size, offset, length);
  return chunks(source, offset, offset + length, Math.max(1, Math.floor(chunkBytes)));
}

async function* chunks(
  source: ByteSource,
  start: number,
  end: number,
  chunkBytes: number,
): AsyncGenerator<Uint8Array, void, undefined> {
  for (let at = start; at < end;) {
    // Reads after the first are aligned, so that parallel downloads of one file share the same pages of the disk cache.
    const length = Math.min(chunkBytes - (at % chunkBytes), end - at);
    yield await source.read(at, length);
    at += length;
  }
}

/** A whole source in one array; for small ones. Throws `range_out_of_bounds` when it is larger than `maxBytes`. */
export async function readWhole(source: ByteSource, maxBytes: number): Promise<Uint8Array> {
  assertRange(maxBytes, 0, source.size);
  return source.read(0, source.size);
}
