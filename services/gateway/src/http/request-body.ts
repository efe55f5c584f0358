import type { IncomingMessage } from 'node:http';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { JSON_MAX_DEPTH, jsonExtentFault } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { isObject, type Members } from '@muster/schema';
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
import { SchemaViolation } from './request.pipes';

/** Maximum size of a JSON body, in bytes. Inventory and connectivity reports of large hosts are the largest bodies. */
export const JSON_BODY_MAX_BYTES = 4 * 1024 * 1024;
/** Maximum size of an uploaded log bundle, in bytes: the limit of the v2 API. */
export const LOG_BUNDLE_MAX_BYTES = 262_144_000;

/** Returns the refusal of an upload with which the logs of a cluster would exceed `quota` bytes. */
export const logsExceedQuota = (clusterId: string, quota: number): RefusalError =>
  new RefusalError({
    code: 'insufficient-storage',
    reason: `The logs of cluster ${clusterId} would exceed ${quota} bytes (LOGS_BYTES_PER_CLUSTER_MAX). Upload less, or raise the setting.`,
  });

/**
 * Maximum size of the request line with its query and of all headers, in bytes. The longest valid query names 1,000 hosts, which takes
 * 39 KB. The default of Node.js is 16 KiB, that of assisted-service v2 is 1 MiB.
 */
export const REQUEST_HEAD_MAX_BYTES = 64 * 1024;
/** Maximum length of a path parameter, in characters. Ids have 36. */
export const PATH_PARAMETER_MAX_CHARACTERS = 128;
/** Maximum time in which a client must send the headers of a request. */
export const HEADERS_TIMEOUT_MS = 30_000;
/**
 * Minimum average rate of a body in bytes per second. It applies once the body has taken longer than the time below.
 */
export const BODY_RATE_MIN_BYTES_PER_SECOND = 1_024;
export const BODY_RATE_GRACE_MS = 15_000;
/**
 * Maximum time in which a client must send a whole request, in milliseconds: the time of the largest log bundle at the minimum rate. The
 * readers of bodies check that rate.
 */
export const REQUEST_TIMEOUT_MS = (LOG_BUNDLE_MAX_BYTES / BODY_RATE_MIN_BYTES_PER_SECOND) * 1_000 + BODY_RATE_GRACE_MS;
/** Minimum length of a body whose rest is not read when the request is refused before the body has arrived. */
const LONG_BODY_BYTES = 256 * 1024;
/** Time in which a client can read such an answer and close the connection. Go's HTTP server waits as long. */
const CLOSE_GRACE_MS = 500;
/** Interval in which the rest of one body is read, for a client that sends the whole body before it reads the answer. */
const REST_INTERVAL_MS = 1_000;
/** Maximum size of the rest that is read, in bytes. */
const REST_MAX_BYTES = 2 * JSON_BODY_MAX_BYTES;
/** Maximum length of a request id of a client, in characters. */
export const REQUEST_ID_MAX_CHARACTERS = 128;
/** Interval of the check for slow clients. */
export const SLOW_CLIENTS_CHECK_MS = 10_000;

const JSON_MEDIA_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i;
const FORM_MEDIA_TYPE = /^multipart\/form-data\b/i;
const METHODS_WITH_BODY = ['POST', 'PUT', 'PATCH', 'DELETE'] as const;

/**
 * Passes bodies to the handlers as unread streams. Nothing is parsed before the caller is authenticated. To Fastify, no
 * method has a body: its run of content type parsers took 10 µs per request, although it read nothing.
 */
export function leaveBodiesUnread(server: FastifyInstance): void {
  for (const method of METHODS_WITH_BODY) server.addHttpMethod(method, { hasBody: false });
}

/**
 * Limits the work for a body whose request is answered before it has arrived. Reading 4 MiB costs ten times as much as
 * refusing the request. The rest of a short body is read within `restMs`, and the connection stays open. The rest of a long one is
 * not read: the answer ends the connection, and most clients then stop sending. A connection that is closed with unread
 * bytes is reset, and a client that still sends would lose the answer. So it stays open for `CLOSE_GRACE_MS`, and the rest
 * of one body per interval is read after that.
 *
 * A client that sends `Expect: 100-continue` sends no body before a handler reads it.
 */
export function leaveRestsUnread(server: FastifyInstance, restMs: number): void {
  server.server.on('checkContinue', (request, response) => {
    request.once('resume', () => response.headersSent || response.writeContinue());
    server.server.emit('request', request, response);
  });
  let nextReadMs = 0;
  server.addHook('onSend', ({ raw }, reply, payload, done) => {
    if (raw.complete === false) {
      if (reply.statusCode >= 400 && isLong(raw)) leaveUnread(raw, reply);
      else closeAfter(raw, restMs);
    }
    done(null, payload);
  });

  const closeAfter = (raw: IncomingMessage, ms: number): void =>
    void setTimeout(() => raw.complete || raw.socket.destroy(), ms).unref();

  function leaveUnread(raw: IncomingMessage, reply: FastifyReply): void {
    void reply.header('Connection', 'close');
    raw.unpipe().removeAllListeners('data').pause();
    // Node reads and drops the body itself when nothing of it was read. The read resumes the connection in the next tick.
    raw.read();
    process.nextTick(() => raw.socket.pause());
    // Node calls this after the answer, because of the header.
    raw.socket.destroySoon = () => {
      raw.socket.end();
      setTimeout(() => readRest(raw), CLOSE_GRACE_MS).unref();
    };
  }

  function readRest(raw: IncomingMessage): void {
    const nowMs = performance.now();
    if (nowMs < nextReadMs) return void raw.socket.destroy();
    nextReadMs = nowMs + REST_INTERVAL_MS;
    let left = REST_MAX_BYTES;
    raw.on('data', ({ length }: Buffer) => (left -= length) < 0 && raw.socket.destroy());
    raw.once('end', () => raw.socket.destroy());
    raw.resume();
    closeAfter(raw, restMs);
  }
}

const isLong = ({ headers }: IncomingMessage): boolean =>
  headers['transfer-encoding'] !== undefined || Number(headers['content-length'] ?? 0) >= LONG_BODY_BYTES;

/** Returns whether the body of the request is a form, which the handler of an upload reads. */
export const isForm = ({ headers }: Pick<FastifyRequest, 'headers'>): boolean =>
  FORM_MEDIA_TYPE.test(headers['content-type'] ?? '');

/**
 * Reads the body of a request and parses it as JSON. The body of a form stays unread.
 *
 * `needsMediaType`: browsers may send bodies without media type to other origins, so one is required without authentication.
 *
 * @returns all objects in the body at any depth; undefined when the request has no JSON body.
 * @throws SchemaViolation for another media type or a compressed body (415), more than `JSON_BODY_MAX_BYTES` (413), a body that arrives
 * too slowly (408), broken JSON, and JSON with too deep or too many values (400).
 */
export async function readBody(
  request: FastifyRequest,
  needsMediaType: boolean,
): Promise<readonly Members[] | undefined> {
  if (!hasBody(request) || isForm(request)) return undefined;
  const bytes = await bytesOf(request.raw);
  if (bytes.length === 0) return undefined;
  const mediaType = request.headers['content-type'];
  if (mediaType === undefined ? needsMediaType : !JSON_MEDIA_TYPE.test(mediaType))
    throw new SchemaViolation(
      `Content-Type ${JSON.stringify((mediaType ?? '').slice(0, 80))} is not supported. Send application/json.`,
      415,
    );
  const fault = jsonExtentFault(bytes);
  if (fault) throw new SchemaViolation(`body ${fault}`);
  request.body = parseBody(bytes, request.headers['content-encoding']);
  // The validation of a large body is a turn of the event loop of its own.
  if (bytes.length > LONG_BODY_BYTES) await nextTurn();
  const objects: Members[] = [];
  collectObjects(request.body, 1, objects);
  return objects;
}

/** Returns whether the request announces a body. */
export function hasBody({ method, headers }: Pick<FastifyRequest, 'method' | 'headers'>): boolean {
  const { 'content-length': length = '0', 'transfer-encoding': encoding } = headers;
  return (length !== '0' || encoding !== undefined) && METHODS_WITH_BODY.some((known) => known === method);
}

/**
 * Calls `refuse` with a 408 when an upload arrives more slowly than the limit. The bytes of the connection are counted,
 * because the reader of the file may pause.
 * @returns a function that ends the check
 */
export function limitSlowUpload(
  { raw: { socket } }: Pick<FastifyRequest, 'raw'>,
  refuse: (error: Error) => void,
): () => void {
  const before = socket.bytesRead;
  return watchRate(() => socket.bytesRead - before, refuse);
}

function watchRate(receivedBytes: () => number, refuse: (error: Error) => void): () => void {
  const startedMs = performance.now();
  const watch = setInterval(() => {
    const elapsedMs = performance.now() - startedMs;
    if (elapsedMs <= BODY_RATE_GRACE_MS || receivedBytes() >= (elapsedMs / 1_000) * BODY_RATE_MIN_BYTES_PER_SECOND)
      return;
    clearInterval(watch);
    refuse(
      new SchemaViolation(
        `The body arrived too slowly: at least ${BODY_RATE_MIN_BYTES_PER_SECOND} bytes per second are required`,
        408,
      ),
    );
  }, BODY_RATE_GRACE_MS / 5);
  return () => clearInterval(watch);
}

const tooLarge = (): SchemaViolation =>
  new SchemaViolation(`The body is too large: at most ${JSON_BODY_MAX_BYTES} bytes are allowed`, 413);

/** Refuses a body whose length is too large before a byte of it is read. */
function bytesOf(body: IncomingMessage): Promise<Buffer> {
  if (Number(body.headers['content-length']) > JSON_BODY_MAX_BYTES) return Promise.reject(tooLarge());
  return new Promise((resolve, reject) => {
    let chunks: Buffer[] = [];
    let length = 0;
    const stopWatching = watchRate(
      () => length,
      (error) => refuse(error),
    );
    const refuse = (error: Error): void => {
      stopWatching();
      chunks = [];
      reject(error);
    };
    body.on('data', (chunk: Buffer) => {
      length += chunk.length;
      if (length <= JSON_BODY_MAX_BYTES) chunks.push(chunk);
      else refuse(tooLarge());
    });
    const onClose = (): void => refuse(new SchemaViolation('The body is shorter than its Content-Length'));
    body.once('end', () => {
      // Every body is closed after its end. The creation of an error takes longer than the rest of this function.
      body.removeListener('close', onClose);
      stopWatching();
      const [first, ...others] = chunks;
      resolve(first && others.length === 0 ? first : Buffer.concat(chunks));
    });
    // Only the connection fails while a body arrives: its client is gone, or sent what is not HTTP.
    body.once('error', onClose);
    body.once('close', onClose);
  });
}

const tooDeep = (): SchemaViolation =>
  new SchemaViolation(`body must not be nested deeper than ${JSON_MAX_DEPTH} levels`);

const invalidJson = (): SchemaViolation =>
  new SchemaViolation("Body is not valid JSON but content-type is set to 'application/json'");

const encodedBody = (encoding: string): SchemaViolation =>
  new SchemaViolation(
    `The body with Content-Encoding ${JSON.stringify(encoding.slice(0, 80))} is not JSON. Send it without compression.`,
    415,
  );

const BYTE_ORDER_MARK = '\uFEFF';

/** Bytes that are not UTF-8 become U+FFFD. The error of V8 repeats parts of the body, which may be secret. */
function parseBody(bytes: Buffer, encoding: string | undefined): unknown {
  const text = bytes.toString('utf8');
  try {
    return JSON.parse(text.startsWith(BYTE_ORDER_MARK) ? text.slice(1) : text);
  } catch {
    throw encoding === undefined ? invalidJson() : encodedBody(encoding);
  }
}

/**
 * Adds the objects of a body to the list. One pass over the values refuses members that change prototypes and values that
 * are nested too deeply. A search of the text for such members takes as long as its parsing.
 * @throws SchemaViolation
 */
function collectObjects(value: unknown, depth: number, objects: Members[]): void {
  if (typeof value !== 'object' || value === null) return;
  if (depth > JSON_MAX_DEPTH + 1) throw tooDeep();
  if (Array.isArray(value)) for (const item of value) collectObjects(item, depth + 1, objects);
  if (!isObject(value)) return;
  objects.push(value);
  for (const name in value) {
    const member = value[name];
    if (name === '__proto__' || (name === 'constructor' && isObject(member) && Object.hasOwn(member, 'prototype')))
      throw invalidJson();
    collectObjects(member, depth + 1, objects);
  }
}
