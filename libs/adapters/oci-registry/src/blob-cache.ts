import { createHash } from 'node:crypto';
import { createReadStream, createWriteStream } from 'node:fs';
import { mkdir, readdir, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { once } from 'node:events';
import type { ByteStream } from '@muster/ports';

/** Files by digest. The least recently used files are removed when the total exceeds the limit. */
export interface BlobCache {
  /** Returns the path of a complete file, or undefined. */
  find(name: string): Promise<string | undefined>;
  /** Returns the number of bytes of an interrupted download. */
  partialBytes(name: string): Promise<number>;
  /**
   * Appends to the existing part of `name`.
   * @throws Error when the digest of the complete file differs from `sha256`
   */
  append(
    name: string,
    sha256: string,
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
    append: async (name, sha256, from, body, onBytes) => {
      const part = at(name) + PART;
      if (from === 0) await rm(part, { force: true });
      const hash = createHash('sha256');
      if (from > 0) for await (const chunk of createReadStream(part)) hash.update(chunk as Buffer);
      const file = createWriteStream(part, { flags: 'a' });
      let bytes = from;
      try {
        for await (const chunk of body) {
          hash.update(chunk);
          bytes += chunk.length;
          if (!file.write(chunk)) await once(file, 'drain');
          onBytes(bytes);
        }
      } finally {
        file.end();
        await once(file, 'close');
      }
      const found = hash.digest('hex');
      if (found !== sha256) {
        await rm(part, { force: true });
        throw new Error(`the digest of the bytes is ${found} and not ${sha256}`);
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
