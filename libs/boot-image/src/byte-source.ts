import { BootImageError } from './boot-image.error';

/** Bytes that are read by position: a file, a buffer, a remote file with ranges, or any of these with overlays. */
export interface ByteSource {
  /** Total size in bytes. Never changes. */
  readonly size: number;
  /**
   * Returns exactly `length` bytes from `offset`. The caller must not change the result, which may be a view of the
   * source. Rejects when the range is outside of the source, and never returns fewer bytes. Concurrent reads are
   * allowed.
   */
  read(offset: number, length: number): Promise<Uint8Array>;
  /**
   * Like `read`, but fills all of `target`, for callers that reuse a buffer. Absent in sources that would have to copy.
   */
  readInto?(offset: number, target: Uint8Array): Promise<void>;
}

export function assertRange(sizeBytes: number, offset: number, length: number): void {
  const whole = Number.isSafeInteger(offset) && Number.isSafeInteger(length);
  if (!whole || offset < 0 || length < 0 || offset > sizeBytes - length) {
    throw new BootImageError({ code: 'range_out_of_bounds', offset, length, sizeBytes });
  }
}

export function bufferByteSource(bytes: Uint8Array): ByteSource {
  return {
    size: bytes.length,
    async read(offset, length) {
      assertRange(bytes.length, offset, length);
      return bytes.subarray(offset, offset + length);
    },
  };
}

/** Size of one read: as fast as Node reads a file, and the memory of a download stays below 1 MiB. */
export const RANGE_CHUNK_BYTES = 64 * 1024;

/**
 * Yields the bytes of a range in order with one chunk in memory. The next chunk is read when the consumer requests it.
 * Throws before the first chunk, so that a caller can still answer with an error.
 * @throws BootImageError `range_out_of_bounds`
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
    // Reads after the first one are aligned, so that concurrent downloads of one file use the same pages of the disk
    // cache.
    const length = Math.min(chunkBytes - (at % chunkBytes), end - at);
    yield await source.read(at, length);
    at += length;
  }
}

/**
 * Returns a whole small source.
 * @throws BootImageError `range_out_of_bounds` when it is larger than `maxBytes`
 */
export async function readWhole(source: ByteSource, maxBytes: number): Promise<Uint8Array> {
  assertRange(maxBytes, 0, source.size);
  return source.read(0, source.size);
}

const ZEROS_AT_ONCE_BYTES_MAX = 16 * 1024 * 1024;

/** A source of `length` zeros that uses no memory until it is read. */
export function zeroSource(length: number): ByteSource {
  return {
    size: length,
    async read(offset, wanted) {
      assertRange(Math.min(length, offset + ZEROS_AT_ONCE_BYTES_MAX), offset, wanted);
      return new Uint8Array(wanted);
    },
  };
}

/**
 * A part of another source.
 * @throws BootImageError `range_out_of_bounds` when it is outside of the source
 */
export function sliceSource(base: ByteSource, start: number, length: number): ByteSource {
  assertRange(base.size, start, length);
  const readBaseInto = base.readInto?.bind(base);
  return {
    size: length,
    ...(readBaseInto && {
      async readInto(offset: number, target: Uint8Array) {
        assertRange(length, offset, target.length);
        await readBaseInto(start + offset, target);
      },
    }),
    async read(offset, wanted) {
      assertRange(length, offset, wanted);
      return base.read(start + offset, wanted);
    },
  };
}

/** The concatenation of sources. Nothing is copied before it is read. A read inside one part is passed on unchanged. */
export function concatSources(parts: readonly ByteSource[]): ByteSource {
  const filled = parts.filter(({ size }) => size > 0);
  const starts: number[] = [];
  let size = 0;
  for (const part of filled) {
    starts.push(size);
    size += part.size;
  }
  return {
    size,
    async readInto(offset, target) {
      assertRange(size, offset, target.length);
      for (let at = 0, index = indexOf(starts, offset); at < target.length; index += 1) {
        const part = filled[index];
        if (!part) break;
        const from = offset + at - (starts[index] ?? 0);
        const piece = target.subarray(at, at + Math.min(part.size - from, target.length - at));
        if (part.readInto) await part.readInto(from, piece);
        else piece.set(await part.read(from, piece.length));
        at += piece.length;
      }
    },
    async read(offset, length) {
      assertRange(size, offset, length);
      const whole: Uint8Array[] = [];
      for (let at = offset, index = indexOf(starts, offset); at < offset + length; index += 1) {
        const part = filled[index];
        if (!part) break;
        const from = at - (starts[index] ?? 0);
        const wanted = Math.min(part.size - from, offset + length - at);
        whole.push(await part.read(from, wanted));
        at += wanted;
      }
      const [only, ...others] = whole;
      return only && others.length === 0 ? only : joined(whole, length);
    },
  };
}

function joined(parts: readonly Uint8Array[], length: number): Uint8Array {
  const bytes = new Uint8Array(length);
  let at = 0;
  for (const part of parts) {
    bytes.set(part, at);
    at += part.length;
  }
  return bytes;
}

/** Returns the index of the last start that is at most `offset`. */
function indexOf(starts: readonly number[], offset: number): number {
  let [low, high] = [0, starts.length - 1];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if ((starts[middle] ?? 0) <= offset) low = middle;
    else high = middle - 1;
  }
  return low;
}

export interface BlockCacheLimits {
  /** Size of the blocks that are read from the base. */
  readonly blockBytes: number;
  /** Maximum number of cached blocks. The least recently used one is removed first. */
  readonly blocksMax: number;
}

/** At most 16 MiB: enough for a few downloads at different positions of one image. */
export const REMOTE_CACHE: BlockCacheLimits = { blockBytes: 512 * 1024, blocksMax: 32 };

/**
 * A source that reads whole blocks from its base and caches some of them, for a base with a network round trip per
 * read. Concurrent requests for one block share one read. A failed block is read again at the next request.
 */
export function blockCachedSource(base: ByteSource, limits: BlockCacheLimits = REMOTE_CACHE): ByteSource {
  const { blockBytes, blocksMax } = limits;
  const blocks = new Map<number, Promise<Uint8Array>>();
  const blockAt = (index: number): Promise<Uint8Array> => {
    const known = blocks.get(index);
    const start = index * blockBytes;
    const block = known ?? base.read(start, Math.min(blockBytes, base.size - start));
    blocks.delete(index);
    blocks.set(index, block);
    if (!known) {
      block.catch(() => blocks.get(index) === block && blocks.delete(index));
      const oldest = blocks.keys().next();
      if (blocks.size > blocksMax && !oldest.done) blocks.delete(oldest.value);
    }
    return block;
  };
  return {
    size: base.size,
    async read(offset, length) {
      assertRange(base.size, offset, length);
      const whole = new Uint8Array(length);
      for (let at = offset; at < offset + length;) {
        const index = Math.floor(at / blockBytes);
        const block = await blockAt(index);
        const part = block.subarray(at - index * blockBytes, offset + length - index * blockBytes);
        whole.set(part, at - offset);
        at += part.length;
      }
      return whole;
    },
  };
}
