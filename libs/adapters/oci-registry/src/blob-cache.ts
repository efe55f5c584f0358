import { createHash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { mkdir, open, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import type { ByteStream } from '@muster/ports';

/** Files by digest. The least recently used files are removed when the total exceeds the limit. */
export interface BlobCache {
  /** Returns the path of a complete file, or undefined. */
  find(name: string): Promise<string | undefined>;
  /** Returns the number of bytes of an interrupted download. */
  partialBytes(name: string): Promise<number>;
  /**
   * Appends to the existing part of `name`, from byte `from` on.
   * @throws IncompleteBlob when bytes are missing; the received bytes are kept
   * @throws WrongDigest when the complete file has another digest; it is removed
   * @throws CacheFailure when the file cannot be written
   */
  append(
    name: string,
    expected: { readonly sha256: string; readonly bytes: number },
    from: number,
    body: ByteStream,
    onBytes: (bytes: number) => void,
  ): Promise<string>;
  /** Returns a path for a file that `commit` then moves into the cache. */
  scratch(name: string): Promise<string>;
  commit(name: string): Promise<string>;
  evict(): Promise<void>;
}

const PART = '.part';

/** The body ended before its expected length. */
export class IncompleteBlob extends Error {
  constructor(bytes: number, expectedBytes: number) {
    super(`the download ended after ${bytes} of ${expectedBytes} bytes`);
    this.name = 'IncompleteBlob';
  }
}

/** The disk of this machine failed, so a repeated download would fail too. */
export class CacheFailure extends Error {
  constructor(cause: Error) {
    super(cause.message, { cause });
    this.name = 'CacheFailure';
  }
}

export const failCache = (cause: Error): never => {
  throw new CacheFailure(cause);
};

export class WrongDigest extends Error {
  constructor(found: string, expected: string) {
    super(`the digest of the bytes is ${found} and not ${expected}`);
    this.name = 'WrongDigest';
  }
}

export async function openBlobCache(directory: string, bytesMax: number): Promise<BlobCache> {
  await mkdir(directory, { recursive: true });
  const at = (name: string): string => join(directory, name.replace(/[^A-Za-z0-9.-]/g, '-'));
  const sizeOf = (path: string): Promise<number> =>
    stat(path).then(
      ({ size }) => size,
      () => 0,
    );
  const commit = async (name: string): Promise<string> => {
    await rename(at(name) + PART, at(name));
    return at(name);
  };
  return {
    find: async (name) => {
      const now = new Date();
      return utimes(at(name), now, now).then(
        () => at(name),
        () => undefined,
      );
    },
    partialBytes: (name) => sizeOf(at(name) + PART),
    append: async (name, expected, from, body, onBytes) => {
      const part = at(name) + PART;
      if (from === 0) await rm(part, { force: true }).catch(failCache);
      const hash = createHash('sha256');
      if (from > 0) for await (const chunk of createReadStream(part)) hash.update(chunk as Buffer);
      let bytes = from;
      const file = await open(part, 'a').catch(failCache);
      try {
        for await (const chunk of body) {
          hash.update(chunk);
          bytes += chunk.length;
          await file.appendFile(chunk).catch(failCache);
          onBytes(bytes);
        }
      } finally {
        await file.close();
      }
      if (bytes < expected.bytes) throw new IncompleteBlob(bytes, expected.bytes);
      const found = hash.digest('hex');
      if (found !== expected.sha256) {
        await rm(part, { force: true });
        throw new WrongDigest(found, expected.sha256);
      }
      return commit(name);
    },
    scratch: async (name) => at(name) + PART,
    commit,
    evict: async () => {
      const files = await Promise.all(
        (await readdir(directory)).map(async (name) => {
          const { mtimeMs, size } = await stat(join(directory, name));
          return { path: join(directory, name), mtimeMs, size };
        }),
      );
      let total = files.reduce((sum, { size }) => sum + size, 0);
      // The newest file is in use, so it is kept regardless of its size.
      for (const { path, size } of files.sort((a, b) => a.mtimeMs - b.mtimeMs).slice(0, -1)) {
        if (total <= bytesMax) return;
        await rm(path, { force: true });
        total -= size;
      }
    },
  };
}
