import type { ByteSource } from '@muster/boot-image';
import { plain, type RemoteClient, RemoteError } from './remote-client';

/** A file on an HTTP server that is read where it is. */
export interface HttpByteSource extends ByteSource {
  /** Tells this version of the file from others: its tag, or its date. Empty when the server gives neither. */
  readonly version: string;
  /** Milliseconds since the epoch; 0 when unknown. */
  readonly modifiedMs: number;
  close(): Promise<void>;
}

/** Rejects with RemoteError when there is no such file or the server gives no ranges of it. */
export async function openHttpByteSource(client: RemoteClient, url: string): Promise<HttpByteSource> {
  const first = await client.get(url, { range: 'bytes=0-0' });
  first.resume();
  const size = Number(/^bytes \d+-\d+\/(\d+)$/.exec(first.headers['content-range'] ?? '')?.[1]);
  if (first.statusCode !== 206 || !Number.isSafeInteger(size)) {
    const why =
      first.statusCode === 200
        ? 'gives no ranges; download it instead (OS_IMAGES_FETCH=lazy)'
        : `answered ${first.statusCode}`;
    throw new RemoteError(`${plain(url)} ${why}`);
  }
  const { etag = '', 'last-modified': modified = '' } = first.headers;
  // A weak tag does not promise the same bytes.
  const version = etag !== '' && !etag.startsWith('W/') ? etag : modified;
  const stop = new AbortController();
  return {
    size,
    version,
    modifiedMs: Date.parse(modified) || 0,
    async read(offset, length) {
      if (!(offset >= 0 && length >= 0 && offset <= size - length))
        throw new RangeError(`Bytes ${offset} to ${offset + length} are not inside ${plain(url)}.`);
      if (length === 0) return new Uint8Array();
      const range = `bytes=${offset}-${offset + length - 1}`;
      const answer = await client.get(url, { range, ...(version && { 'if-range': version }) }, stop.signal);
      const isMeant =
        answer.statusCode === 206 &&
        answer.headers['content-range'] === `bytes ${offset}-${offset + length - 1}/${size}`;
      if (!isMeant) {
        answer.destroy();
        throw new RemoteError(
          answer.statusCode === 200 || answer.statusCode === 206
            ? `${plain(url)} is not the file any more that it was`
            : `${plain(url)} answered ${answer.statusCode}`,
        );
      }
      const bytes = new Uint8Array(length);
      let filled = 0;
      for await (const chunk of answer as AsyncIterable<Buffer>) {
        if (filled + chunk.length > length) throw new RemoteError(`${plain(url)} sent more than was asked for`);
        bytes.set(chunk, filled);
        filled += chunk.length;
      }
      if (filled < length) throw new RemoteError(`${plain(url)} was cut off`);
      return bytes;
    },
    close: async () => stop.abort(),
  };
}
