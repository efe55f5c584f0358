import type { ServerResponse } from 'node:http';
import { pipeline } from 'node:stream/promises';
import { type ByteSource, readRange } from '@muster/boot-image';
import type { Segment } from './plan-response';

/**
 * Sends the body one chunk at a time, as fast as the client takes it. Resolves true when the client has had everything, false
 * when it went away; reading has stopped then. Rejects when the image cannot be read: the client sees a cut connection.
 */
export async function sendBody(
  response: ServerResponse,
  source: ByteSource,
  body: readonly Segment[],
): Promise<boolean> {
  try {
    await pipeline(bytesOf(source, body), response);
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (response.destroyed && code !== undefined && ENDED_BY_CLIENT.includes(code)) return false;
    throw error;
  }
}

const ENDED_BY_CLIENT: readonly string[] = [
  'ERR_STREAM_PREMATURE_CLOSE',
  'ECONNRESET',
  'EPIPE',
  'ERR_STREAM_DESTROYED',
];

async function* bytesOf(source: ByteSource, body: readonly Segment[]): AsyncGenerator<Uint8Array, void, undefined> {
  for (const segment of body) {
    if ('text' in segment) yield Buffer.from(segment.text, 'latin1');
    else yield* ahead(readRange(source, segment.offset, segment.length));
  }
}

/** Reads one chunk while the one before it is sent, so that disk and network do not wait for each other. */
async function* ahead(
  chunks: AsyncGenerator<Uint8Array, void, undefined>,
): AsyncGenerator<Uint8Array, void, undefined> {
  try {
    for (let next = chunks.next(); ;) {
      const { done, value } = await next;
      if (done) return;
      next = chunks.next();
      // Reported when it is its turn; not before, and not when the client is gone.
      next.catch(() => undefined);
      yield value;
    }
  } finally {
    await chunks.return();
  }
}
