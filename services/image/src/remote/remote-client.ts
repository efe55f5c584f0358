import { type IncomingMessage, request as httpRequest } from 'node:http';
import { request as httpsRequest } from 'node:https';
import { setTimeout as sleep } from 'node:timers/promises';
import type { ByteSource } from '@muster/boot-image';
import { type Connections, createConnections, basicAuthorization, type ProxySettings } from '@muster/host-api';
import { errorCode, errorMessage } from '@muster/schema';

const REDIRECTS_MAX = 5;
/** Maximum time without data from a server. */
const SILENCE_MS_MAX = 60_000;
const SOCKETS_MAX = 16;
/** Attempts of one read. The second one follows immediately, the third one after a pause. */
const ATTEMPTS_MAX = 3;
const RETRY_DELAY_MS = 1_000;
/** Errors of a request on a connection that the other side had closed. */
const STALE: readonly string[] = ['ECONNRESET', 'EPIPE'];
const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308];

export interface RemoteClientOptions {
  /** PEM. Trusted in addition to the certificate authorities of Node and of the system. */
  readonly trustedCa?: string;
  /** Undefined: all servers are reached directly. */
  readonly proxy?: ProxySettings;
  /** Headers for servers that OS_IMAGES names. They are not sent to servers of redirects. */
  readonly headers: { readonly [name: string]: string };
  readonly queryParameters: { readonly [name: string]: string };
}

/** A request to a server failed. The message contains the URL without its credentials and its query. */
export class RemoteError extends Error {
  constructor(message: string) {
    super(message);
    this.name = 'RemoteError';
  }
}

/** The server was not reached, was busy, or the connection ended early. A repetition may succeed. */
class PassingError extends RemoteError {}

/** Downloads base images, following redirects. */
export class RemoteClient {
  private readonly byOrigin = new Map<string, Connections>();

  constructor(private readonly options: RemoteClientOptions) {}

  /**
   * Returns the response with its unread body.
   * @throws RemoteError when the server cannot be reached
   */
  async get(
    address: string,
    headers: { readonly [name: string]: string } = {},
    signal?: AbortSignal,
  ): Promise<IncomingMessage> {
    let url = new URL(address);
    const authorization = basicAuthorization(url);
    const ownHeaders = { ...(authorization && { authorization }), ...this.options.headers };
    url = withoutCredentials(url);
    for (const [name, value] of Object.entries(this.options.queryParameters)) url.searchParams.set(name, value);
    const { origin } = url;
    for (let hops = 0; hops <= REDIRECTS_MAX; hops += 1) {
      const own = url.origin === origin ? ownHeaders : {};
      const answer = await this.ask(url, { ...own, ...headers }, signal);
      const { location } = answer.headers;
      if (!REDIRECTS.includes(answer.statusCode ?? 0) || location === undefined) return answer;
      answer.resume();
      const next = URL.canParse(location, url.href) ? new URL(location, url) : undefined;
      const isFit =
        next && ['http:', 'https:'].includes(next.protocol) && (url.protocol === 'http:' || next.protocol === 'https:');
      if (!next || !isFit) throw new RemoteError(`${plain(url)} redirects to an address that is not allowed`);
      url = withoutCredentials(next);
    }
    throw new RemoteError(`${plain(url)} redirects more than ${REDIRECTS_MAX} times`);
  }

  close(): void {
    for (const connections of this.byOrigin.values()) connections.close();
    this.byOrigin.clear();
  }

  /** Targets of redirects may need another proxy than the server that OS_IMAGES names. */
  private connectionsTo(url: URL): Connections {
    const known = this.byOrigin.get(url.origin);
    if (known) return known;
    const { trustedCa, proxy } = this.options;
    const connections = createConnections(url, { caPem: trustedCa, proxy });
    connections.agent.maxSockets = SOCKETS_MAX;
    this.byOrigin.set(url.origin, connections);
    return connections;
  }

  private ask(url: URL, headers: { readonly [name: string]: string }, signal?: AbortSignal): Promise<IncomingMessage> {
    return new Promise<IncomingMessage>((resolve, reject) => {
      let isAnswered = false;
      const { agent, isTls, requestOptions } = this.connectionsTo(url);
      const { headers: ofProxy, ...target } = requestOptions(url);
      const asked = (isTls ? httpsRequest : httpRequest)(
        { ...target, headers: { ...ofProxy, ...headers }, signal, agent, timeout: SILENCE_MS_MAX },
        (answer) => {
          isAnswered = true;
          resolve(answer);
        },
      );
      asked.once('timeout', () =>
        asked.destroy(new PassingError(`${plain(url)} sent no data for ${SILENCE_MS_MAX / 1_000} s`)),
      );
      asked.once('error', (error) => {
        // The server, or a device in the network, had closed the idle connection.
        const isStale = asked.reusedSocket && !isAnswered && STALE.includes(errorCode(error) ?? '');
        if (isStale) resolve(this.ask(url, headers, signal));
        else reject(error);
      });
      asked.end();
    }).catch((error: unknown) => {
      throw error instanceof RemoteError
        ? error
        : new PassingError(`${plain(url)} cannot be reached: ${errorMessage(error)}`);
    });
  }
}

function withoutCredentials(url: URL): URL {
  const other = new URL(url);
  other.username = other.password = '';
  return other;
}

/** Returns the URL without credentials and query, which may contain a token. */
export const plain = (url: URL | string): string => {
  const { protocol, host, pathname } = new URL(url);
  return `${protocol}//${host}${pathname}`;
};

const ended = (url: string, why: string): RemoteError =>
  new PassingError(`${plain(url)} ended before all bytes were received: ${why}`);

/** Returns the value for If-Range; empty when the server sends none. A weak tag does not guarantee the same bytes. */
export function versionOf({ headers: { etag = '', 'last-modified': modified = '' } }: IncomingMessage): string {
  return etag !== '' && !etag.startsWith('W/') ? etag : modified;
}

/** Returns false when a part is of another version than If-Range named. Some servers ignore If-Range. */
export function isOfVersion(
  { headers: { etag, 'last-modified': modified } }: IncomingMessage,
  version: string,
): boolean {
  const sent = version.startsWith('"') ? etag?.replace(/^W\//, '') : modified;
  return version === '' || sent === undefined || sent === version;
}

/** A file on an HTTP server that is read in place. */
export interface HttpByteSource extends ByteSource {
  /** Identifies this version of the file: its ETag, otherwise its date. Empty when the server sends neither. */
  readonly version: string;
  /** Milliseconds since the epoch; 0 when unknown. */
  readonly modifiedMs: number;
  close(): Promise<void>;
}

/**
 * `onChanged`: called once when the server has another version of the file. Running and later reads fail.
 * @throws RemoteError when the file does not exist or the server does not support ranges
 */
export async function openHttpByteSource(
  client: RemoteClient,
  url: string,
  onChanged: () => void = () => undefined,
): Promise<HttpByteSource> {
  const first = await client.get(url, { range: 'bytes=0-0' });
  const size = Number(/^bytes \d+-\d+\/(\d+)$/.exec(first.headers['content-range'] ?? '')?.[1]);
  if (first.statusCode !== 206 || !Number.isSafeInteger(size)) {
    // The body may be the whole file.
    first.destroy();
    const why =
      first.statusCode === 200
        ? 'does not support range requests; download the file instead (OS_IMAGES_FETCH=lazy)'
        : `answered ${first.statusCode}`;
    throw new RemoteError(`${plain(url)} ${why}`);
  }
  first.resume();
  const version = versionOf(first);
  const stop = new AbortController();
  const reportChange = (): void => {
    if (stop.signal.aborted) return;
    stop.abort();
    onChanged();
  };
  return {
    size,
    version,
    modifiedMs: Date.parse(first.headers['last-modified'] ?? '') || 0,
    async read(offset, length) {
      if (!(offset >= 0 && length >= 0 && offset <= size - length))
        throw new RangeError(`Bytes ${offset} to ${offset + length} are not inside ${plain(url)}.`);
      const bytes = new Uint8Array(length);
      let filled = 0;
      const fill = async (): Promise<void> => {
        const range = `${offset + filled}-${offset + length - 1}`;
        const headers = { range: `bytes=${range}`, ...(version && { 'if-range': version }) };
        const answer = await client.get(url, headers, stop.signal);
        const isMeant =
          answer.statusCode === 206 &&
          answer.headers['content-range'] === `bytes ${range}/${size}` &&
          isOfVersion(answer, version);
        if (!isMeant) {
          answer.destroy();
          // 416: the file has become shorter, and the server does not support If-Range.
          const { statusCode = 0 } = answer;
          const Failure = statusCode === 429 || statusCode >= 500 ? PassingError : RemoteError;
          if (![200, 206, 416].includes(statusCode)) throw new Failure(`${plain(url)} answered ${statusCode}`);
          reportChange();
          throw new RemoteError(`${plain(url)} has changed since the download started`);
        }
        try {
          for await (const chunk of answer) {
            if (filled + chunk.length > length) throw new RemoteError(`${plain(url)} sent more bytes than requested`);
            bytes.set(chunk, filled);
            filled += chunk.length;
          }
        } catch (error) {
          throw error instanceof RemoteError ? error : ended(url, errorMessage(error));
        }
        if (filled < length) throw ended(url, `${filled} of ${length} bytes`);
      };
      for (let attempt = 1; filled < length; attempt += 1) {
        // The download of a client must not end with one connection to the server.
        await fill().catch(async (error: unknown) => {
          if (!(error instanceof PassingError) || attempt >= ATTEMPTS_MAX || stop.signal.aborted) throw error;
          await sleep((attempt - 1) * RETRY_DELAY_MS, undefined, { signal: stop.signal }).catch(() => undefined);
        });
      }
      return bytes;
    },
    close: async () => stop.abort(),
  };
}
