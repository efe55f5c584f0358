import { Readable } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import type { FastifyInstance, FastifyRequest } from 'fastify';
import { JSON_MAX_DEPTH, JSON_MAX_MEMBERS, SchemaViolation } from './request.pipes';

/** Maximum size of a JSON body, in bytes. Inventory and connectivity reports of large hosts are the largest bodies. */
export const JSON_BODY_MAX_BYTES = 4 * 1024 * 1024;
/** Maximum size of an uploaded log bundle, in bytes: the limit of the v2 API. */
export const LOG_BUNDLE_MAX_BYTES = 262_144_000;
/** Maximum length of a path parameter, in characters. Ids have 36. */
export const PATH_PARAMETER_MAX_CHARACTERS = 128;
/** Maximum time in which a client must send the headers of a request. */
export const HEADERS_TIMEOUT_MS = 30_000;
/** Maximum time in which a client must send a whole request. Log bundles may be sent over slow connections. */
export const REQUEST_TIMEOUT_MS = 600_000;
/**
 * Minimum average rate of a body in bytes per second. It applies once the body has taken longer than the time below.
 */
export const BODY_RATE_MIN_BYTES_PER_SECOND = 1_024;
export const BODY_RATE_GRACE_MS = 15_000;
/** Maximum length of a request id of a client, in characters. */
export const REQUEST_ID_MAX_CHARACTERS = 128;
/** Interval of the check for slow clients. */
export const SLOW_CLIENTS_CHECK_MS = 10_000;

const LARGE_BODY_BYTES = 256 * 1024;
const JSON_MEDIA_TYPE = /^application\/(?:[\w.+-]+\+)?json\b/i;

/** Passes bodies to the handlers as unread streams. Nothing is parsed before the caller is authenticated. */
export function leaveBodiesUnread(server: FastifyInstance): void {
  server.removeAllContentTypeParsers();
  server.addContentTypeParser('*', (_request, payload, done) => done(null, payload));
}

/**
 * Replaces an unread body by its JSON value. A body with the media type of another parser stays as it is.
 *
 * `needsMediaType`: browsers may send bodies without media type to other origins, so one is required without authentication.
 *
 * @returns whether the request has a JSON body.
 * @throws SchemaViolation for another media type (415), more than `JSON_BODY_MAX_BYTES` (413), a body that arrives too slowly (408) and
 * broken JSON (400).
 */
export async function readBody(request: FastifyRequest, needsMediaType: boolean): Promise<boolean> {
  const { body } = request;
  if (!(body instanceof Readable)) return false;
  const bytes = await bytesOf(body);
  if (bytes.length === 0) {
    request.body = undefined;
    return false;
  }
  const mediaType = request.headers['content-type'];
  if (mediaType === undefined ? needsMediaType : !JSON_MEDIA_TYPE.test(mediaType))
    throw new SchemaViolation(
      `Content-Type ${JSON.stringify((mediaType ?? '').slice(0, 80))} is not supported. Send application/json.`,
      415,
    );
  checkJsonExtent(bytes);
  request.body = await parseJson(request, bytes);
  // The validation of a large body is a turn of the event loop of its own.
  if (bytes.length > LARGE_BODY_BYTES) await nextTurn();
  return true;
}

/**
 * Ends the upload of a file that arrives more slowly than the limit with 408. The bytes of the connection are counted,
 * because the reader of the file may pause.
 * @returns a function that ends the check
 */
export function limitSlowUpload({ raw: { socket } }: Pick<FastifyRequest, 'raw'>, file: Readable): () => void {
  const before = socket.bytesRead;
  return watchRate(
    () => socket.bytesRead - before,
    (error) => file.destroy(error),
  );
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

/** Reads and drops the rest of a refused body, so that the client gets the response instead of a closed connection. */
function bytesOf(body: Readable): Promise<Buffer> {
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
      else refuse(new SchemaViolation(`The body is too large: at most ${JSON_BODY_MAX_BYTES} bytes are allowed`, 413));
    });
    const onClose = (): void => refuse(new SchemaViolation('The body is shorter than its Content-Length'));
    body.once('end', () => {
      // Every body is closed after its end. The creation of an error takes longer than the rest of this function.
      body.removeListener('close', onClose);
      stopWatching();
      resolve(Buffer.concat(chunks));
    });
    body.once('error', refuse);
    body.once('close', onClose);
  });
}

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = Buffer.from('"\\,[]{}');

/**
 * Refuses JSON text with too deep or too many values before it is parsed, because V8 takes half a second for 4 MiB of
 * brackets. It makes one pass over the bytes and does not check the JSON syntax.
 * @throws SchemaViolation
 */
export function checkJsonExtent(bytes: Uint8Array): void {
  let depth = 0;
  let members = 1;
  for (let at = 0; at < bytes.length; at += 1) {
    switch (bytes[at]) {
      case QUOTE:
        at += 1;
        while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth += 1;
        if (depth > JSON_MAX_DEPTH + 1)
          throw new SchemaViolation(`body must not be nested deeper than ${JSON_MAX_DEPTH} levels`);
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth -= 1;
        break;
      case COMMA:
        members += 1;
        if (members > JSON_MAX_MEMBERS)
          throw new SchemaViolation(`body must not have more than ${JSON_MAX_MEMBERS} members`);
        break;
    }
  }
}

/** Fastify's parser, which refuses members that change prototypes. Bytes that are not UTF-8 become U+FFFD. */
function parseJson(request: FastifyRequest, bytes: Buffer): Promise<unknown> {
  return new Promise((resolve, reject) => {
    const parse = request.server.getDefaultJsonParser('error', 'error');
    void parse(request, bytes.toString('utf8'), (error, value) => {
      if (error) reject(error);
      else resolve(value);
    });
  });
}
