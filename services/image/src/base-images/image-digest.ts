import { createHash } from 'node:crypto';
import { type ByteSource, readRange } from '@muster/boot-image';

/** Images up to this size are read as a whole. */
const WHOLE_BYTES_MAX = 64 * 1024 * 1024;
const EDGE_BYTES = 4 * 1024 * 1024;

/**
 * SHA-256 of the size and of the bytes; of large images only the first and last 4 MiB, so that the first download does not
 * wait for gigabytes. The first hold the volume's dates and where every file is, which no two builds share.
 */
export async function digestOfImage(source: ByteSource): Promise<string> {
  const hash = createHash('sha256').update(`${source.size}\n`);
  const isWhole = source.size <= WHOLE_BYTES_MAX;
  const ranges = isWhole
    ? [[0, source.size]]
    : [
        [0, EDGE_BYTES],
        [source.size - EDGE_BYTES, EDGE_BYTES],
      ];
  for (const [offset, length] of ranges)
    for await (const chunk of readRange(source, offset, length)) hash.update(chunk);
  return hash.digest('hex');
}
