import { createHash, randomUUID } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { open, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import { type ObjectAreas, type ObjectStore, ObjectTooLarge, type StoredObject } from '@muster/ports';
import { Client } from 'minio';

/** Location and credentials of a bucket. */
export interface MinioLocation {
  readonly endPoint: string;
  readonly port: number;
  readonly useSSL: boolean;
  readonly accessKey: string;
  readonly secretKey: string;
  readonly bucket: string;
}

const EXPECTED = 'http(s)://<key>:<secret>@<host>[:<port>]/<bucket>';

/** Parses `http(s)://key:secret@host[:port]/bucket`. Throws, without the secret, when a part is missing. */
export const parseMinioUrl = (text: string): MinioLocation => {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  const useSSL = url?.protocol === 'https:';
  const bucket = url?.pathname.replace(/^\/|\/$/g, '') ?? '';
  const isComplete =
    url && (useSSL || url.protocol === 'http:') && url.username && url.password && /^[^/]+$/.test(bucket);
  if (!isComplete) throw new Error(`The address of the object store is not of the form ${EXPECTED}.`);
  return {
    endPoint: url.hostname,
    port: url.port ? Number(url.port) : useSSL ? 443 : 80,
    useSSL,
    accessKey: decodeURIComponent(url.username),
    secretKey: decodeURIComponent(url.password),
    bucket,
  };
};

/** A body whose digest is known, to be read as often as needed. */
export interface SpooledBody {
  readonly stored: StoredObject;
  read(): Readable;
  discard(): Promise<void>;
}

const FILE_MODE = 0o600;

/**
 * The name of an object is its digest, and the digest is known only after the last byte: a stream is written to a temporary
 * file first. Throws ObjectTooLarge and leaves no file behind.
 */
export const spoolBody = async (body: Buffer | Readable, maxBytes: number): Promise<SpooledBody> => {
  if (Buffer.isBuffer(body)) {
    if (body.length > maxBytes) throw new ObjectTooLarge(maxBytes);
    const digest = `sha256:${createHash('sha256').update(body).digest('hex')}`;
    const read = (): Readable => Readable.from(body.length === 0 ? [] : [body], { objectMode: false });
    return { stored: { digest, bytes: body.length }, read, discard: async () => undefined };
  }
  // A stream may fail before it is read. The reader receives the error later, but a listener must exist now.
  body.on('error', () => undefined);
  const path = join(tmpdir(), `muster-upload-${randomUUID()}`);
  try {
    const stored = await writeBody(path, body, maxBytes);
    return { stored, read: () => createReadStream(path), discard: () => rm(path, { force: true }) };
  } catch (error) {
    body.destroy();
    await rm(path, { force: true });
    throw error;
  }
};

const writeBody = async (path: string, body: Readable, maxBytes: number): Promise<StoredObject> => {
  const handle = await open(path, 'wx', FILE_MODE);
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of body) {
      const part = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
      bytes += part.length;
      if (bytes > maxBytes) throw new ObjectTooLarge(maxBytes);
      hash.update(part);
      for (let at = 0; at < part.length;) at += (await handle.write(part, at)).bytesWritten;
    }
    return { digest: `sha256:${hash.digest('hex')}`, bytes };
  } finally {
    await handle.close();
  }
};

export interface MinioObjectStoreOptions {
  /** `http(s)://key:secret@host[:port]/bucket`; the bucket is made when it is absent. */
  readonly url: string;
  /** Goes before the name of every object, e.g. `logs/`. Default: nothing. */
  readonly prefix?: string;
}

const DIGEST = /^sha256:([0-9a-f]{64})$/;
const ABSENT = ['NoSuchKey', 'NotFound'];
const BEYOND_THE_END = ['InvalidRange'];
const ALREADY_OURS = ['BucketAlreadyOwnedByYou', 'BucketAlreadyExists'];

/** Bodies in MinIO or another S3, as `<prefix>objects/ab/<64 hex>`. A digest that is not one has no body. Throws when the bucket cannot be had. */
export const minioObjectStore = async (options: MinioObjectStoreOptions): Promise<ObjectStore> =>
  storeIn(await openBucket(options.url), options.prefix ?? '');

/** Object stores in one bucket, each below the name of its area. */
export const minioObjectAreas = async ({ url, prefix = '' }: MinioObjectStoreOptions): Promise<ObjectAreas> => {
  const bucket = await openBucket(url);
  return {
    area: async (name) => storeIn(bucket, `${prefix}${name}/`),
    names: async () => {
      const names: string[] = [];
      for await (const item of bucket.client.listObjectsV2(bucket.name, prefix, false))
        if (item.prefix) names.push(item.prefix.slice(prefix.length).replace(/\/$/, ''));
      return names;
    },
  };
};

interface Bucket {
  readonly client: Client;
  readonly name: string;
}

const openBucket = async (url: string): Promise<Bucket> => {
  const { bucket, ...location } = parseMinioUrl(url);
  const client = new Client(location);
  await ensureBucket(client, bucket).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The object store at ${location.endPoint}:${location.port} denies access to the bucket ${bucket} (${reason}). Check its address, key and secret.`,
      { cause: error },
    );
  });

  return { client, name: bucket };
};

const storeIn = ({ client, name: bucket }: Bucket, prefix: string): ObjectStore => {
  const nameOf = (digest: string): string | undefined => {
    const hex = DIGEST.exec(digest)?.[1];
    return hex && `${prefix}objects/${hex.slice(0, 2)}/${hex}`;
  };

  return {
    put: async (body, maxBytes) => {
      const spooled = await spoolBody(body, maxBytes);
      try {
        const { digest, bytes } = spooled.stored;
        const name = nameOf(digest) ?? '';
        const present = await unless(ABSENT, client.statObject(bucket, name));
        if (present?.size !== bytes) await client.putObject(bucket, name, spooled.read(), bytes);
        return spooled.stored;
      } finally {
        await spooled.discard();
      }
    },
    get: async (digest) => {
      const name = nameOf(digest);
      const stream = name && (await unless(ABSENT, client.getObject(bucket, name)));
      if (!stream) return undefined;
      const body = await buffer(stream);
      if (`sha256:${createHash('sha256').update(body).digest('hex')}` === digest) return body;
      throw new Error(`The stored body ${digest} is damaged or incomplete. Retry, or upload it again.`);
    },
    open: async (digest, range) => {
      const name = nameOf(digest);
      if (!name) return undefined;
      if (range === undefined) return unless(ABSENT, client.getObject(bucket, name));
      const length = range.end - range.start + 1;
      // To the client a length of 0 means to the end.
      const part =
        length > 0
          ? unless(BEYOND_THE_END, client.getPartialObject(bucket, name, range.start, length))
          : client.statObject(bucket, name).then(() => undefined);
      return unless(
        ABSENT,
        part.then((stream) => stream ?? Readable.from([])),
      );
    },
    remove: async (digest) => {
      const name = nameOf(digest);
      if (name) await unless(ABSENT, client.removeObject(bucket, name));
    },
    list: async function* () {
      for await (const { name, size, lastModified } of client.listObjectsV2(bucket, `${prefix}objects/`, true)) {
        const digest = `sha256:${name?.split('/').at(-1) ?? ''}`;
        if (DIGEST.test(digest)) yield { digest, bytes: size, storedAtMs: lastModified.getTime() };
      }
    },
  };
};

const ensureBucket = async (client: Client, bucket: string): Promise<void> => {
  if (await client.bucketExists(bucket)) return;
  await unless(ALREADY_OURS, client.makeBucket(bucket));
};

/** The answer, or undefined when the server refuses with one of the codes. */
const unless = <T>(codes: readonly string[], answer: Promise<T>): Promise<T | undefined> =>
  answer.catch((error: unknown) => {
    const code = (error as { readonly code?: unknown } | undefined)?.code;
    if (typeof code === 'string' && codes.includes(code)) return undefined;
    throw error;
  });
