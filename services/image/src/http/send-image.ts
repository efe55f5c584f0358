import type { ServerResponse } from 'node:http';
import { type ByteSource, RANGE_CHUNK_BYTES } from '@muster/boot-image';
import type { Segment } from './plan-response';

/** One is filled while the other is sent. */
const BUFFERS = 2;

/**
 * Sends the body one chunk at a time, as fast as the client takes it, reading the next while one is sent. Resolves true when
 * the client has had everything, false when it went away; reading has stopped then. Rejects when the image cannot be read: the
 * client sees a cut connection.
 *
 * Two buffers are used over and over: with new ones for every chunk each 64 MiB sent made the process stop to collect them,
 * about 20 ms without a first byte for any client.
 */
export async function sendBody(
  response: ServerResponse,
  source: ByteSource,
  body: readonly Segment[],
): Promise<boolean> {
  const chunks = chunksOf(source, body);
  try {
    for (let next = chunks.next(); ;) {
      const { done, value } = await next;
      if (done) break;
      next = chunks.next();
      // Reported when it is its turn, and not at all when the client is gone.
      next.catch(() => undefined);
      if (!(await write(response, value))) return false;
      await next;
    }
    return await end(response);
  } catch (error) {
    response.destroy();
    throw error;
  } finally {
    await chunks.return();
  }
}

async function* chunksOf(source: ByteSource, body: readonly Segment[]): AsyncGenerator<Uint8Array, void, undefined> {
  const buffers: Uint8Array[] = [];
  let turn = 0;
  for (const segment of body) {
    if ('text' in segment) {
      yield Buffer.from(segment.text, 'latin1');
      continue;
    }
    const last = segment.offset + segment.length;
    for (let at = segment.offset; at < last;) {
      // Aligned, so that parallel downloads of one file share the same pages of the disk cache.
      const length = Math.min(RANGE_CHUNK_BYTES - (at % RANGE_CHUNK_BYTES), last - at);
      if (source.readInto) {
        const buffer = (buffers[turn % BUFFERS] ??= Buffer.allocUnsafeSlow(RANGE_CHUNK_BYTES));
        const chunk = buffer.subarray(0, length);
        await source.readInto(at, chunk);
        turn += 1;
        yield chunk;
      } else yield await source.read(at, length);
      at += length;
    }
  }
}

/** Resolves when the chunk has left this process, so that its memory may be used again; false when the client is gone. */
function write(response: ServerResponse, chunk: Uint8Array): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false);
  return settled(response, (done) => response.write(chunk, done));
}

function end(response: ServerResponse): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false);
  return settled(response, (done) => response.end(() => done()));
}

/** Whether the work was done before the connection was closed. */
function settled(response: ServerResponse, work: (done: (error?: Error | null) => void) => void): Promise<boolean> {
  return new Promise((resolve) => {
    const onClose = (): void => resolve(false);
    response.once('close', onClose);
    work((error) => {
      response.removeListener('close', onClose);
      resolve(!error);
    });
  });
}
