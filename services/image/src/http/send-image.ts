import type { ServerResponse } from 'node:http';
import { type ByteSource, RANGE_CHUNK_BYTES } from '@muster/boot-image';
import type { Segment } from './plan-response';

/** One buffer is filled while the other is sent. */
const BUFFERS = 2;
/** A client that accepts no chunk for this time is disconnected, because it keeps its place among the concurrent downloads. */
const STALLED_MS_MAX = 600_000;

/**
 * Sends the body in chunks at the speed of the client, and reads the next chunk while one is sent. Resolves true when
 * the client received everything, false when it disconnected or took too long for a chunk. Rejects when the image
 * cannot be read; then the connection is closed. Two buffers are reused: with a new buffer per chunk, garbage collection
 * after each 64 MiB delayed all clients by about 20 ms.
 */
export async function sendBody(
  response: ServerResponse,
  source: ByteSource,
  body: readonly Segment[],
  stalledMsMax = STALLED_MS_MAX,
): Promise<boolean> {
  // The timeout of the socket would begin again with each byte that the client accepts.
  const stalled = setTimeout(() => response.destroy(), stalledMsMax);
  const chunks = chunksOf(source, body);
  try {
    for (let next = chunks.next(); ;) {
      const { done, value } = await next;
      if (done) break;
      next = chunks.next();
      // The error is reported after the previous chunk was sent. It is ignored when the client disconnected.
      next.catch(() => undefined);
      if (!(await write(response, value))) return false;
      await next;
      stalled.refresh();
    }
    return await end(response);
  } catch (error) {
    response.destroy();
    throw error;
  } finally {
    clearTimeout(stalled);
    await chunks.return();
  }
}

async function* chunksOf(source: ByteSource, body: readonly Segment[]): AsyncGenerator<Uint8Array, void, undefined> {
  const buffers: Uint8Array[] = [];
  // Virtual media reads thousands of small ranges.
  const longest = Math.max(0, ...body.map((segment) => ('text' in segment ? 0 : segment.length)));
  const bufferBytes = Math.min(RANGE_CHUNK_BYTES, longest);
  let turn = 0;
  for (const segment of body) {
    if ('text' in segment) {
      yield Buffer.from(segment.text, 'latin1');
      continue;
    }
    const last = segment.offset + segment.length;
    for (let at = segment.offset; at < last;) {
      // Aligned, so that concurrent downloads of one file share pages of the disk cache.
      const length = Math.min(RANGE_CHUNK_BYTES - (at % RANGE_CHUNK_BYTES), last - at);
      if (source.readInto) {
        const buffer = (buffers[turn % BUFFERS] ??= Buffer.allocUnsafeSlow(bufferBytes));
        const chunk = buffer.subarray(0, length);
        await source.readInto(at, chunk);
        turn += 1;
        yield chunk;
      } else yield await source.read(at, length);
      at += length;
    }
  }
}

/** Resolves true when the chunk was sent and its memory may be reused; false when the client disconnected. */
function write(response: ServerResponse, chunk: Uint8Array): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false);
  return settled(response, (done) => response.write(chunk, done));
}

function end(response: ServerResponse): Promise<boolean> {
  if (response.destroyed) return Promise.resolve(false);
  return settled(response, (done) => response.end(() => done()));
}

/** Returns whether the work was complete before the connection was closed. */
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
