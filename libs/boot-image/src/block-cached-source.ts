import { assertRange, type ByteSource } from './byte-source';

export interface BlockCacheLimits {
  /** Bytes that are asked of the base at once. */
  readonly blockBytes: number;
  /** Blocks that are kept; the least recently used one goes first. */
  readonly blocksMax: number;
}

/** 16 MiB at most: enough for a few downloads that are at different places of one image. */
export const REMOTE_CACHE: BlockCacheLimits = { blockBytes: 512 * 1024, blocksMax: 32 };

/**
 * A source that reads whole blocks from its base and caches some of them, for a base with a round trip per read. Concurrent
 * requests for one block share one read. A failed block is read again on the next request.
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
