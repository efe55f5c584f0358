import { createHash, randomUUID } from 'node:crypto';
import { type FileHandle, open, rm } from 'node:fs/promises';
import http, { type IncomingMessage } from 'node:http';
import https from 'node:https';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { PassThrough, Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { isNativeError } from 'node:util/types';
import { type ObjectAreas, type ObjectStore, ObjectTooLarge, type StoredObject, Unavailable } from '@muster/ports';
import { Client, type ClientOptions } from 'minio';

/**
 * Returns the location and the credentials of a bucket.
 * @throws Error without the secret when a part is missing
 */
export const parseMinioUrl = (text: string) => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const useSSL = url?.protocol === 'https:';
  const bucket = url?.pathname.replace(/^\/|\/$/g, '') ?? '';
  const isComplete =
    url && (useSSL || url.protocol === 'http:') && url.username && url.password && /^[^/]+$/.test(bucket);
  const expected = 'http(s)://<key>:<secret>@<host>[:<port>]/<bucket>';
  if (!isComplete) throw new Error(`The address of the object store is not of the form ${expected}.`);
  return {
    // The client adds the brackets of an IPv6 address itself.
    endPoint: url.hostname.replace(/^\[|\]$/g, ''),
    port: url.port ? Number(url.port) : useSSL ? 443 : 80,
    useSSL,
    accessKey: decodeURIComponent(url.username),
    secretKey: decodeURIComponent(url.password),
    bucket,
  };
};

/** A body with a known digest that can be read repeatedly. */
export interface SpooledBody {
  readonly stored: StoredObject;
  read(): Readable;
  discard(): Promise<void>;
}

const PART_BYTES = 64 * 1024;

/**
 * Writes the stream to a temporary file, because the name of an object is its digest, which is known only after the
 * last byte.
 * @throws ObjectTooLarge, and leaves no file
 */
export const spoolBody = async (body: Buffer | Readable, maxBytes: number): Promise<SpooledBody> => {
  if (Buffer.isBuffer(body)) {
    if (body.length > maxBytes) throw new ObjectTooLarge(maxBytes);
    const digest = `sha256:${createHash('sha256').update(body).digest('hex')}`;
    const read = (): Readable => Readable.from(body.length === 0 ? [] : [body], { objectMode: false });
    return { stored: { digest, bytes: body.length }, read, discard: async () => undefined };
  }
  // A stream may fail before it is read. The reader receives the error later, but a listener must exist immediately.
  body.on('error', () => undefined);
  const path = join(tmpdir(), `muster-upload-${randomUUID()}`);
  let file: FileHandle | undefined;
  try {
    const opened = (file = await open(path, 'wx+', 0o600));
    // Without a name, the file also ends when the process is killed.
    await rm(path);
    const stored = await writeBody(opened, body, maxBytes);
    return { stored, read: () => Readable.from(partsOf(opened), { objectMode: false }), discard: () => opened.close() };
  } catch (error) {
    body.destroy();
    await file?.close();
    throw error;
  }
};

const writeBody = async (file: FileHandle, body: Readable, maxBytes: number): Promise<StoredObject> => {
  const hash = createHash('sha256');
  let bytes = 0;
  for await (const chunk of body) {
    const part = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
    bytes += part.length;
    if (bytes > maxBytes) throw new ObjectTooLarge(maxBytes);
    hash.update(part);
    for (let at = 0; at < part.length;) at += (await file.write(part, at)).bytesWritten;
  }
  return { digest: `sha256:${hash.digest('hex')}`, bytes };
};

async function* partsOf(file: FileHandle): AsyncGenerator<Buffer> {
  for (let at = 0; ;) {
    const { buffer: part, bytesRead } = await file.read({ buffer: Buffer.alloc(PART_BYTES), position: at });
    if (bytesRead === 0) return;
    yield part.subarray(0, bytesRead);
    at += bytesRead;
  }
}

export interface MinioObjectStoreOptions {
  /** `http(s)://key:secret@host[:port]/bucket`. The bucket is created when it does not exist. */
  readonly url: string;
  /** Prefix of the name of every object, for example `logs/`. @default none */
  readonly prefix?: string;
}

const DIGEST = /^sha256:([0-9a-f]{64})$/;
const ABSENT = ['NoSuchKey', 'NotFound'];
const BEYOND_THE_END = ['InvalidRange'];
const BUCKET_EXISTS = ['BucketAlreadyOwnedByYou', 'BucketAlreadyExists'];

/**
 * Stores bodies in MinIO or another S3 server, as `<prefix>objects/ab/<64 hex>`. An invalid digest has no body.
 * @throws Error when the bucket does not exist and cannot be created
 */
export const minioObjectStore = async (options: MinioObjectStoreOptions): Promise<ObjectStore> =>
  storeIn(await openBucket(options.url), options.prefix ?? '');

/** Returns object stores in one bucket, each with the name of its area as prefix. */
export const minioObjectAreas = async ({ url, prefix = '' }: MinioObjectStoreOptions): Promise<ObjectAreas> => {
  const bucket = await openBucket(url);
  return {
    area: async (name) => storeIn(bucket, `${prefix}${name}/`),
    names: async () => {
      const names: string[] = [];
      for await (const item of bucket.pages(bucket.client.listObjectsV2(bucket.name, prefix, false)))
        if (item.prefix) names.push(item.prefix.slice(prefix.length).replace(/\/$/, ''));
      return names;
    },
  };
};

interface Bucket {
  readonly client: Client;
  readonly name: string;
  /**
   * Returns the answer of the server.
   * @throws Unavailable when the server is silent or refuses
   */
  readonly available: <Result>(work: Promise<Result>) => Promise<Result>;
  /** Returns the list. The iteration throws Unavailable like `available`. */
  readonly pages: <Item>(list: AsyncIterable<Item>) => AsyncGenerator<Item>;
  /** Returns the body. The stream fails with Unavailable like `available`. */
  readonly body: (answer: Readable) => Readable;
}

const openBucket = async (url: string): Promise<Bucket> => {
  const { bucket, ...location } = parseMinioUrl(url);
  // The retries of the client would print log lines of the client.
  const client = new Client({
    ...location,
    retryOptions: { disableRetry: true },
    transport: transport(location.useSSL),
  });
  const server = `S3 at ${new URL(url).hostname}:${location.port}`;
  const explained = (error: unknown): unknown => explainFailure(error, server) ?? error;
  const available: Bucket['available'] = (work) =>
    work.catch((error: unknown) => {
      throw explained(error);
    });
  if (!(await available(client.bucketExists(bucket))))
    await available(unless(BUCKET_EXISTS, client.makeBucket(bucket)));
  return {
    client,
    name: bucket,
    available,
    pages: async function* (list) {
      try {
        yield* list;
      } catch (error) {
        throw explained(error);
      }
    },
    body: (answer) => {
      const body = new PassThrough();
      answer.on('error', (error) => body.destroy(explained(error) as Error));
      body.on('close', () => answer.destroy());
      return answer.pipe(body);
    },
  };
};

/** A server that receives and sends nothing for this time is frozen, unless the reader of its body is slower. */
const SILENCE_MAX_MS = 4_000;
/** A server stores a body between the last byte and the answer. One that stores fewer bytes per millisecond is frozen. */
const STORED_BYTES_PER_MS_MIN = 8 * 1024;
/** The client does not read the bodies of these answers. An unread body keeps its connection. */
const UNREAD_STATUSES: ReadonlySet<number | undefined> = new Set([408, 429, 499, 500, 502, 503, 504, 520]);

/** The HTTP client of Node, with a limit for the time without traffic in place of a limit for the whole request. */
const transport = (useSSL: boolean): ClientOptions['transport'] => {
  const request = (options: https.RequestOptions, onAnswer: (answer: IncomingMessage) => void): http.ClientRequest => {
    let answer: IncomingMessage | undefined;
    let silenceMaxMs = SILENCE_MAX_MS;
    const sent = (useSSL ? https : http).request({ ...options, timeout: silenceMaxMs }, (received) => {
      answer = received;
      sent.setTimeout((silenceMaxMs = SILENCE_MAX_MS));
      if (UNREAD_STATUSES.has(received.statusCode)) received.resume();
      onAnswer(received);
    });
    sent.on('finish', () => {
      const storingMaxMs = Number(sent.getHeader('content-length') ?? 0) / STORED_BYTES_PER_MS_MIN;
      if (!answer) sent.setTimeout((silenceMaxMs = SILENCE_MAX_MS + Math.ceil(storingMaxMs)));
    });
    return sent.on('timeout', () => {
      const isUnread = answer && answer.readableLength > 0;
      if (isUnread) sent.socket?.setTimeout(SILENCE_MAX_MS);
      else (answer ?? sent).destroy(new ServerSilent(`no answer and no progress within ${silenceMaxMs / 1_000} s`));
    });
  };
  return { request } as ClientOptions['transport'];
};

const storeIn = ({ client, name: bucket, available, ...explaining }: Bucket, prefix: string): ObjectStore => {
  const nameOf = (digest: string): string | undefined => {
    const hex = DIGEST.exec(digest)?.[1];
    return hex && `${prefix}objects/${hex.slice(0, 2)}/${hex}`;
  };

  const partOf = async (name: string, range: { readonly start: number; readonly end: number }): Promise<Readable> => {
    const length = range.end - range.start + 1;
    // The client interprets length 0 as the rest of the object.
    if (length <= 0) return client.statObject(bucket, name).then(() => Readable.from([]));
    const part = await unless(BEYOND_THE_END, client.getPartialObject(bucket, name, range.start, length));
    return part ?? Readable.from([]);
  };

  /** In one request, which may have 5 GiB. The upload of a stream by the client reads parts of 64 MiB into memory. */
  const send = async (objectName: string, { stored: { digest, bytes }, read }: SpooledBody): Promise<void> => {
    const options = { method: 'PUT', bucketName: bucket, objectName, headers: { 'content-length': String(bytes) } };
    // The client signs the digest of a body that is sent without TLS.
    const signed = client['enableSHA256'] ? digest.slice('sha256:'.length) : '';
    await buffer(await client.makeRequestStreamAsync(options, read(), signed, [200], ''));
  };

  return {
    put: async (body, maxBytes) => {
      const spooled = await spoolBody(body, maxBytes);
      try {
        // An existing body is replaced: its bytes are equal unless it is damaged, and the time of its last put counts.
        await available(send(nameOf(spooled.stored.digest) ?? '', spooled));
        return spooled.stored;
      } finally {
        await spooled.discard();
      }
    },
    get: async (digest) => {
      const name = nameOf(digest);
      const stream = name && (await available(unless(ABSENT, client.getObject(bucket, name))));
      if (!stream) return undefined;
      const body = await available(buffer(stream));
      if (`sha256:${createHash('sha256').update(body).digest('hex')}` === digest) return body;
      throw new Error(`The stored body ${digest} is damaged or incomplete. Retry, or upload it again.`);
    },
    open: async (digest, range) => {
      const name = nameOf(digest);
      if (!name) return undefined;
      const found = await available(
        unless(ABSENT, range === undefined ? client.getObject(bucket, name) : partOf(name, range)),
      );
      return found && explaining.body(found);
    },
    remove: async (digest) => {
      const name = nameOf(digest);
      if (name) await available(unless(ABSENT, client.removeObject(bucket, name)));
    },
    list: async function* () {
      const listed = explaining.pages(client.listObjectsV2(bucket, `${prefix}objects/`, true));
      for await (const { name, size, lastModified } of listed) {
        const digest = `sha256:${name?.split('/').at(-1) ?? ''}`;
        if (DIGEST.test(digest)) yield { digest, bytes: size, storedAtMs: lastModified.getTime() };
      }
    },
  };
};

class ServerSilent extends Error {}

const BROKEN_CONNECTION =
  /^(ECONNREFUSED|ECONNRESET|EPIPE|ENOTFOUND|EAI_AGAIN|EHOSTUNREACH|ENETUNREACH|ETIMEDOUT|SlowDown|SlowDownRead|SlowDownWrite|ServiceUnavailable|InternalError|RequestTimeout|XMinioServerNotInitialized|ERR_SSL_.*)$/;
const REFUSED =
  /^(AccessDenied|InvalidAccessKeyId|SignatureDoesNotMatch|RequestTimeTooSkewed|NoSuchBucket|EPROTO|.*CERT.*|UNABLE_TO_VERIFY_.*)$/;

/** Returns the error of the port for an error about the server, otherwise undefined. A put with an unknown outcome can be repeated. */
export function explainFailure(error: unknown, server: string): Unavailable | undefined {
  // In tests, errors of the network are instances of another realm's Error.
  if (!isNativeError(error)) return undefined;
  const reason = error.message.split('\n', 1)[0] || error.name;
  const code = 'code' in error ? String(error.code) : '';
  if (REFUSED.test(code)) return new Unavailable(server, `${code}: ${reason}`, { isRefused: true, cause: error });
  const isUnavailable =
    error instanceof ServerSilent ||
    BROKEN_CONNECTION.test(code) ||
    /^aborted$|socket hang up|Retryable HTTP status/.test(reason);
  return isUnavailable ? new Unavailable(server, reason, { isOutcomeUnknown: true, cause: error }) : undefined;
}

/** Returns the answer, or undefined when the server refuses with one of the codes. */
const unless = <T>(codes: readonly string[], answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error: unknown) => {
    const code = (error as { readonly code?: unknown } | undefined)?.code;
    if (typeof code === 'string' && codes.includes(code)) return undefined;
    throw error;
  });
