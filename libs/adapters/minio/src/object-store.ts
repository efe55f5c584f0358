import { createHash } from 'node:crypto';
import { Readable } from 'node:stream';
import { buffer } from 'node:stream/consumers';
import type { ObjectStore } from '@muster/ports';
import { Client } from 'minio';
import { parseMinioUrl } from './minio-url';
import { spoolBody } from './spooled-body';

export interface MinioObjectStoreOptions {
  /** `http(s)://key:secret@host[:port]/bucket`; the bucket is made when it is absent. */
  readonly url: string;
}

const DIGEST = /^sha256:([0-9a-f]{64})$/;
const ABSENT = ['NoSuchKey', 'NotFound'];
const BEYOND_THE_END = ['InvalidRange'];
const ALREADY_OURS = ['BucketAlreadyOwnedByYou', 'BucketAlreadyExists'];

/** Bodies in MinIO or another S3, as `objects/ab/<64 hex>`. A digest that is not one has no body. Throws when the bucket cannot be had. */
export const minioObjectStore = async (options: MinioObjectStoreOptions): Promise<ObjectStore> => {
  const { bucket, ...location } = parseMinioUrl(options.url);
  const client = new Client(location);
  await ensureBucket(client, bucket).catch((error: unknown) => {
    const reason = error instanceof Error ? error.message : String(error);
    throw new Error(
      `The object store at ${location.endPoint}:${location.port} does not give the bucket ${bucket} (${reason}); check its address, key and secret.`,
      { cause: error },
    );
  });

  const nameOf = (digest: string): string | undefined => {
    const hex = DIGEST.exec(digest)?.[1];
    return hex && `objects/${hex.slice(0, 2)}/${hex}`;
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
      throw new Error(`The stored body ${digest} is damaged or came incomplete; try again, or upload it again.`);
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
