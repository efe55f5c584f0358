import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, mkdir, open, readdir, readFile, rename, rm, stat, utimes } from 'node:fs/promises';
import { join } from 'node:path';
import { type ByteStream, type DownloadProgress, KeyedQueue } from '@muster/ports';
import { errorCode } from '@muster/schema';

/** The end and the progress of a read. */
export interface Reading {
  readonly signal: AbortSignal;
  readonly onProgress: (progress: DownloadProgress) => void;
}

/** Files by digest. Above the limit, the least recently used are removed. All readers in a process share one cache of a directory. */
export interface BlobCache {
  /** The limit of the total, which one file must not exceed either. */
  readonly bytesMax: number;
  /** Creates the directory. */
  open(): Promise<void>;
  /**
   * Runs a task when the earlier tasks with its key have ended. A task that waits receives the progress of the one that runs, because a
   * preparation without progress times out.
   * @throws the reason of the signal when the read was ended before
   */
  inTurn<Result>(key: string, reading: Reading, task: (reading: Reading) => Promise<Result>): Promise<Result>;
  /** Returns the path of a file that has its SHA-256, or undefined. A damaged file is removed. */
  find(name: string): Promise<string | undefined>;
  /** Returns the number of bytes of an interrupted download. */
  partialBytes(name: string): Promise<number>;
  /**
   * Appends to the existing part of `name`, from byte `from` on.
   * @throws IncompleteBlob when bytes are missing; the received bytes are kept
   * @throws WrongContent when there are more bytes than expected or than the limit, or another digest; the file is removed
   * @throws CacheFailure when the file cannot be written. It is removed, because other files need the space of a full disk
   */
  append(
    name: string,
    expected: { readonly sha256: string; readonly bytes: number },
    from: number,
    body: ByteStream,
    onBytes: (bytes: number) => void,
  ): Promise<string>;
  /** Appends to an open file of `size` bytes. On a full disk, unused files are removed, oldest first. @throws CacheFailure */
  write(file: FileHandle, bytes: Uint8Array, size: number): Promise<void>;
  /** Runs a task, and removes no file with these names to free space meanwhile. The task calls `find` before it uses a file. */
  using<Result>(names: readonly string[], task: () => Promise<Result>): Promise<Result>;
  /** Returns a path for a file that `commit` then moves into the cache, or `discard` removes. */
  scratch(name: string): Promise<string>;
  /** Removes an incomplete file. Never throws. */
  discard(name: string): Promise<void>;
  /** Stores a file, and the SHA-256 of one whose name is not its digest. It is complete after a power loss. @throws CacheFailure */
  commit(name: string): Promise<string>;
  evict(): Promise<void>;
  /** Returns this cache for one user. The extracted files that the user finds or stores are not evicted before `release`. */
  holding(): { readonly cache: BlobCache; release(): void };
}

const PART = '.part';
/** Ending of a file with the SHA-256 of another one. */
const SUM = '.sha256';
const DIGEST = /^sha256:([0-9a-f]{64})$/;
/** Large blocks, because each one costs a turn of the event loop. */
const HASH_BLOCK_BYTES = 1024 * 1024;

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

/** The bytes are not those that the manifest describes. */
export class WrongContent extends Error {
  constructor(reason: string) {
    super(reason);
    this.name = 'WrongContent';
  }
}

export function blobCache(directory: string, bytesMax: number): BlobCache {
  const queue = new KeyedQueue();
  const waiting = new Map<string, Set<Reading>>();
  const at = (name: string): string => join(directory, name.replace(/[^A-Za-z0-9.-]/g, '-'));
  const statsOf = (path: string) => stat(path).catch(() => undefined);
  /** The files that this process has read completely, because an installer of a release has several hundred megabytes. */
  const verified = new Map<string, string>();
  const isWhole = async (name: string, path: string): Promise<boolean> => {
    const expected = DIGEST.exec(name)?.[1] ?? (await readFile(path + SUM, 'utf8').catch(() => ''));
    return (await sha256Of(path).catch(() => undefined)) === expected;
  };
  const remove = async (path: string): Promise<void> => {
    verified.delete(path);
    for (const each of [path, path + SUM]) await rm(each, { force: true });
  };
  /** Paths that must not be evicted, with the number of their users. The part of a file has its users. */
  const users = new Map<string, number>();
  const countUse = (path: string, change: number): void => {
    const count = (users.get(path) ?? 0) + change;
    if (count > 0) users.set(path, count);
    else users.delete(path);
  };
  const using: BlobCache['using'] = (names, task) => {
    for (const name of names) countUse(at(name), 1);
    return task().finally(() => names.forEach((name) => countUse(at(name), -1)));
  };
  /** By path, or that of its whole file. A user that begins meanwhile must not find the file. */
  const removals = new Map<string, Promise<void>>();
  /** Removes unused files, oldest first, until at most `mostOf(total)` bytes are left. Returns how many bytes it removed. */
  const removeUnused = async (mostOf: (total: number) => number): Promise<number> => {
    const paths = (await readdir(directory)).map((name) => join(directory, name));
    const found = await Promise.all(paths.map(async (path) => ({ path, stats: await statsOf(path) })));
    const files = found.flatMap(({ path, stats }) => (stats ? [{ path, stats }] : []));
    const total = files.reduce((sum, { stats }) => sum + stats.size, 0);
    let removed = 0;
    // The newest file is in use, so it is kept regardless of its size.
    const oldestFirst = files.sort((a, b) => a.stats.mtimeMs - b.stats.mtimeMs);
    const blobs = oldestFirst.filter(({ path }) => !path.endsWith(SUM));
    for (const { path, stats } of blobs.slice(0, -1)) {
      if (total - removed <= mostOf(total)) break;
      const whole = path.endsWith(PART) ? path.slice(0, -PART.length) : path;
      if (users.has(whole)) continue;
      removals.set(whole, remove(path));
      await removals.get(whole)?.finally(() => removals.delete(whole));
      removed += stats.size;
    }
    return removed;
  };
  const write: BlobCache['write'] = async (file, bytes, size) => {
    for (;;)
      try {
        return await file.appendFile(bytes);
      } catch (error) {
        const isFull = ['ENOSPC', 'EDQUOT'].includes(errorCode(error) ?? '');
        const removed = isFull ? await removeUnused((total) => total - 1).catch(failCache) : 0;
        if (removed === 0) return failCache(error as Error);
        await file.truncate(size).catch(failCache);
      }
  };
  const discard = (name: string): Promise<void> => rm(at(name) + PART, { force: true }).catch(() => undefined);
  const writeSum = async (path: string, sha256: string): Promise<void> => {
    await rm(path, { force: true });
    const file = await open(path, 'a');
    await write(file, Buffer.from(sha256), 0).finally(() => file.close());
    await flush(path);
  };
  /** A file system may write the new name to the disk before the bytes, so the bytes are flushed first. */
  const commit = async (name: string): Promise<string> => {
    const path = at(name);
    try {
      if (!DIGEST.test(name)) await writeSum(path + SUM, await sha256Of(path + PART));
      await flush(path + PART);
      await rename(path + PART, path);
      await flush(directory);
    } catch (error) {
      await discard(name);
      return failCache(error as Error);
    }
    return path;
  };
  const append: BlobCache['append'] = async (name, expected, from, body, onBytes) => {
    const part = at(name) + PART;
    if (from === 0) await rm(part, { force: true }).catch(failCache);
    const hash = createHash('sha256');
    if (from > 0) await addTo(hash, part);
    let bytes = from;
    const most = Math.min(expected.bytes, bytesMax);
    const fail = async (reason: string): Promise<never> => {
      await rm(part, { force: true });
      throw new WrongContent(reason);
    };
    const file = await open(part, 'a').catch(failCache);
    try {
      for await (const chunk of body) {
        hash.update(chunk);
        if (bytes + chunk.length > most) await fail(`the layer has more than ${most} bytes`);
        await write(file, chunk, bytes);
        onBytes((bytes += chunk.length));
      }
    } catch (error) {
      if (error instanceof CacheFailure) await discard(name);
      throw error;
    } finally {
      await file.close();
    }
    if (bytes < expected.bytes) throw new IncompleteBlob(bytes, expected.bytes);
    const found = hash.digest('hex');
    if (found !== expected.sha256) await fail(`the digest of the bytes is ${found} and not ${expected.sha256}`);
    return commit(name);
  };
  const cache: BlobCache = {
    bytesMax,
    open: async () => void (await mkdir(directory, { recursive: true })),
    inTurn: async (key, reading, task) => {
      const { signal } = reading;
      signal.throwIfAborted();
      waiting.set(key, (waiting.get(key) ?? new Set()).add(reading));
      let endWaiting = (): void => undefined;
      const waitsNoLonger = (): void => {
        signal.removeEventListener('abort', endWaiting);
        waiting.get(key)?.delete(reading);
        if (waiting.get(key)?.size === 0) waiting.delete(key);
      };
      const ended = new Promise<never>((_, reject) => {
        endWaiting = () => {
          waitsNoLonger();
          reject(signal.reason);
        };
        signal.addEventListener('abort', endWaiting);
      });
      const turn = queue.run(key, async () => {
        waitsNoLonger();
        signal.throwIfAborted();
        const onProgress: Reading['onProgress'] = (progress) => {
          reading.onProgress(progress);
          for (const other of waiting.get(key) ?? []) other.onProgress(progress);
        };
        return task({ ...reading, onProgress });
      });
      return Promise.race([turn, ended]);
    },
    find: async (name) => {
      const path = at(name);
      await removals.get(path)?.catch(() => undefined);
      const stats = await statsOf(path);
      // Another call may be storing the file, with its SHA-256 first.
      if (!stats) return undefined;
      const state = `${stats.ino} ${stats.size}`;
      const isIntact = verified.get(path) === state || (await isWhole(name, path));
      if (!isIntact) {
        // When the file cannot be removed, it cannot be replaced either. That error names the cause.
        await remove(path).catch(() => undefined);
        return undefined;
      }
      verified.set(path, state);
      const now = new Date();
      const whole = utimes(path, now, now).then(() => path);
      return whole.catch(() => undefined);
    },
    partialBytes: async (name) => (await statsOf(at(name) + PART))?.size ?? 0,
    append: (name, ...more) => using([name], () => append(name, ...more)),
    write,
    using,
    scratch: async (name) => at(name) + PART,
    discard,
    commit: (name) => using([name], () => commit(name)),
    evict: async () => void (await removeUnused(() => bytesMax)),
    holding: () => {
      const held = new Set<string>();
      // A layer is needed only until its files are extracted.
      const hold = (name: string): string => {
        if (!DIGEST.test(name) && !held.has(at(name))) {
          held.add(at(name));
          countUse(at(name), 1);
        }
        return name;
      };
      return {
        cache: {
          ...cache,
          find: (name) => cache.find(hold(name)),
          commit: (name) => commit(hold(name)),
        },
        release: () => {
          for (const path of held) countUse(path, -1);
          held.clear();
        },
      };
    },
  };
  return cache;
}

async function addTo(hash: Hash, path: string): Promise<Hash> {
  for await (const chunk of createReadStream(path, { highWaterMark: HASH_BLOCK_BYTES })) hash.update(chunk as Buffer);
  return hash;
}

const sha256Of = async (path: string): Promise<string> => (await addTo(createHash('sha256'), path)).digest('hex');

/** Waits until the disk has the content of a file, or the names in a directory. */
async function flush(path: string): Promise<void> {
  const file = await open(path, 'r');
  await file.sync().finally(() => file.close());
}
