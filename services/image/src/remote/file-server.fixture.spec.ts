import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { createServer as createHttpsServer } from 'node:https';
import type { AddressInfo } from 'node:net';
import { promisify } from 'node:util';

export interface FileServer {
  readonly url: string;
  /** `range` header of each request in order; empty without the header. */
  readonly ranges: string[];
  readonly headers: IncomingMessage['headers'][];
  readonly urls: string[];
  /** Sets the file and the faults. */
  serve(file: Buffer, options?: ServeOptions): void;
  /** Sends the delayed bytes. */
  release(): void;
  /** Closes the connections of delayed responses. */
  cut(): void;
  /** Number of open connections. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

export interface ServeOptions {
  readonly etag?: string;
  /** Value of Last-Modified; absent without it. */
  readonly modified?: string;
  readonly withRanges?: boolean;
  /** Sends the requested range also when If-Range names another version. */
  readonly ignoresIfRange?: boolean;
  /** Closes the connection after this number of bytes. */
  readonly cutAfterBytes?: number;
  /** Delays the remaining bytes until `release`. */
  readonly holdAfterBytes?: number;
  /** Status of the response instead of 200. */
  readonly status?: number;
  /** Number of responses with `status`. @default all */
  readonly failures?: number;
  /** Content-Range of the response to each range request: of a 206, or without a first byte of a 416. Empty: 416 without it. */
  readonly contentRange?: string;
  readonly location?: string;
}

/** One file on a real HTTP or, with a certificate, HTTPS server with configurable faults. */
export async function startFileServer(tls?: { readonly key: string; readonly cert: string }): Promise<FileServer> {
  let [file, options]: [Buffer, ServeOptions] = [Buffer.alloc(0), {}];
  let failures = 0;
  let held: Array<() => void> = [];
  let open: ServerResponse[] = [];
  const [ranges, headers, urls]: [string[], IncomingMessage['headers'][], string[]] = [[], [], []];
  const answer = (request: IncomingMessage, response: ServerResponse): void => {
    const {
      etag = '"1"',
      modified,
      withRanges = true,
      ignoresIfRange = false,
      cutAfterBytes,
      holdAfterBytes,
      status,
      location,
      contentRange,
    } = options;
    ranges.push(request.headers.range ?? '');
    headers.push(request.headers);
    urls.push(request.url ?? '');
    if (status !== undefined && (failures -= 1) >= 0)
      return void response.writeHead(status, location === undefined ? {} : { location }).end();
    if (contentRange !== undefined && request.headers.range !== undefined)
      return void response
        .writeHead(
          /^bytes \d/.test(contentRange) ? 206 : 416,
          contentRange === '' ? {} : { 'content-range': contentRange },
        )
        .end();
    const [, first, last] = /^bytes=(\d+)-(\d*)$/.exec(request.headers.range ?? '') ?? [];
    const condition = request.headers['if-range'];
    const isSame = ignoresIfRange || condition === undefined || condition === etag;
    const isPart = withRanges && first !== undefined && isSame;
    const [from, to] = isPart ? [Number(first), last ? Number(last) + 1 : file.length] : [0, file.length];
    if (isPart && from >= file.length)
      return void response.writeHead(416, { 'content-range': `bytes */${file.length}` }).end();
    const body = file.subarray(from, to);
    const range = isPart ? { 'content-range': `bytes ${from}-${from + body.length - 1}/${file.length}` } : {};
    const dated = modified === undefined ? {} : { 'last-modified': modified };
    response.writeHead(isPart ? 206 : 200, { etag, ...dated, 'content-length': body.length, ...range });
    if (cutAfterBytes !== undefined && body.length > cutAfterBytes)
      // Ends the connection without a reset, so that the client still receives what was sent before.
      return void response.write(body.subarray(0, cutAfterBytes), () => response.socket?.end());
    if (holdAfterBytes === undefined || body.length <= holdAfterBytes) return void response.end(body);
    response.write(body.subarray(0, holdAfterBytes));
    held.push(() => response.end(body.subarray(holdAfterBytes)));
    open.push(response);
  };
  const server = tls ? createHttpsServer(tls, answer) : createServer(answer);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `${tls ? 'https' : 'http'}://127.0.0.1:${(server.address() as AddressInfo).port}/base.iso`,
    ranges,
    headers,
    urls,
    serve: (newFile, newOptions = {}) => {
      [file, options, failures] = [newFile, newOptions, newOptions.failures ?? Infinity];
    },
    release: () => {
      for (const send of held) send();
      held = [];
    },
    cut: () => {
      for (const response of open) response.destroy();
      [held, open] = [[], []];
    },
    connections: () => promisify(server.getConnections.bind(server))(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}
