import { createHash, type Hash } from 'node:crypto';
import { createReadStream } from 'node:fs';
import { type FileHandle, open, readdir, readFile, rename, rm, rmdir, stat } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import { Readable } from 'node:stream';
import { type Clock, type ObjectAreas, type ObjectStore, ObjectTooLarge, type StoredObject } from '@muster/ports';
import { INCOMING, isErrno, makeDirectory, removeStaleFiles, syncDirectory, temporaryName } from './durable-files';

export interface FilesystemObjectStoreOptions {
  /** Created when it does not exist. */
  readonly directory: string;
  /** @default the clock of the machine */
  readonly clock?: Clock;
}

const DIGEST = /^sha256:([0-9a-f]{64})$/;
const FILE_MODE = 0o600;

/**
 * Stores bodies as files named by their SHA-256, two levels deep: `<directory>/objects/ab/cd/<64 hex>`. A body is
 * written under `incoming/` and moved to its place when it is complete. An invalid digest has no body, because paths
 * contain its hexadecimal digits only.
 */
export const filesystemObjectStore = async (options: FilesystemObjectStoreOptions): Promise<ObjectStore> => {
  await makeDirectory(join(options.directory, INCOMING));
  return openObjects(options);
};

/** Opens the store. Its directories are created by the first body. */
const openObjects = async (options: FilesystemObjectStoreOptions): Promise<ObjectStore> => {
  const incoming = join(options.directory, INCOMING);
  await ifPresent(removeStaleFiles(incoming, options.clock?.nowMs() ?? Date.now()));

  const pathOf = (digest: string): string | undefined => {
    const hex = DIGEST.exec(digest)?.[1];
    return hex && join(options.directory, 'objects', hex.slice(0, 2), hex.slice(2, 4), hex);
  };

  return {
    put: async (body, maxBytes) => {
      if (Buffer.isBuffer(body) && body.length > maxBytes) throw new ObjectTooLarge(maxBytes);
      // A stream may fail before it is read. The reader receives the error later, but a listener must exist
      // immediately.
      if (!Buffer.isBuffer(body)) body.on('error', () => undefined);
      const temporary = temporaryName(incoming);
      try {
        const stored = await write(temporary, body, maxBytes);
        const path = pathOf(stored.digest) ?? '';
        // An existing body is replaced: the bytes are equal.
        await inDirectory(dirname(path), () => rename(temporary, path));
        // The body may have been removed meanwhile, and its directory with it.
        await ifPresent(syncDirectory(dirname(path)));
        return stored;
      } catch (error) {
        if (!Buffer.isBuffer(body)) body.destroy();
        await rm(temporary, { force: true });
        throw error;
      }
    },
    get: async (digest) => {
      const path = pathOf(digest);
      const body = path && (await ifPresent(readFile(path)));
      if (!body) return undefined;
      if (digestOf(createHash('sha256').update(body)) !== digest) {
        throw new Error(
          `The stored body ${digest} is damaged; restore ${options.directory} from a backup, or upload it again.`,
        );
      }
      return body;
    },
    open: async (digest, range) => {
      const path = pathOf(digest);
      const handle = path && (await ifPresent(open(path, 'r')));
      if (!handle) return undefined;
      if (range !== undefined && range.end < range.start) {
        await handle.close();
        return Readable.from([]);
      }
      return createReadStream('', { fd: handle, start: range?.start, end: range?.end });
    },
    remove: async (digest) => {
      const path = pathOf(digest);
      if (path) await rm(path, { force: true });
    },
    list: async function* () {
      const root = join(options.directory, 'objects');
      for (const first of await directoriesIn(root))
        for (const second of await directoriesIn(join(root, first)))
          for (const hex of (await ifPresent(readdir(join(root, first, second)))) ?? []) {
            const digest = `sha256:${hex}`;
            const found = DIGEST.test(digest) ? await ifPresent(stat(join(root, first, second, hex))) : undefined;
            if (found) yield { digest, bytes: found.size, storedAtMs: found.mtimeMs };
          }
    },
  };
};

/** Returns object stores in one directory each, named after the area. The directory of an area without bodies is removed. */
export const filesystemObjectAreas = (options: FilesystemObjectStoreOptions): ObjectAreas => ({
  area: async (name) => {
    const directory = join(options.directory, basename(name));
    const objects = await openObjects({ ...options, directory });
    const remove = async (digest: string): Promise<void> => {
      await objects.remove(digest);
      await removeEmptyDirectories(directory, digest);
    };
    return { ...objects, remove };
  },
  names: () => directoriesIn(options.directory),
});

/** Returns the names without those of files, which are of other programs. Files and directories may be removed meanwhile. */
const directoriesIn = async (directory: string): Promise<readonly string[]> =>
  ((await ifPresent(readdir(directory, { withFileTypes: true }))) ?? [])
    // A link may lead to a directory.
    .filter((entry) => !entry.isFile())
    .map(({ name }) => name);

/** Removes the directories of a removed body and those of its area that are empty. */
const removeEmptyDirectories = async (area: string, digest: string): Promise<void> => {
  const [, first = '', second = ''] = /^sha256:([0-9a-f]{2})([0-9a-f]{2})/.exec(digest) ?? [];
  const objects = join(area, 'objects');
  const emptied = first === '' ? [] : [join(objects, first, second), join(objects, first)];
  for (const directory of [...emptied, objects, join(area, INCOMING), area])
    await rmdir(directory).catch((error: unknown) => {
      if (!['ENOTEMPTY', 'EEXIST', 'ENOENT'].some((code) => isErrno(error, code))) throw error;
    });
};

/** Another process may remove an empty directory between its creation and its use. */
const ATTEMPTS_MAX = 10;
/** Codes for a directory, or a parent of it, that was removed after it was found to exist. */
const REMOVED_MEANWHILE = ['ENOENT', 'EEXIST'];

/** Creates the directory and runs the work, again when the directory was removed meanwhile. */
const inDirectory = async <T>(directory: string, work: () => Promise<T>, attempt = 1): Promise<T> => {
  try {
    await makeDirectory(directory);
    return await work();
  } catch (error) {
    if (!REMOVED_MEANWHILE.some((code) => isErrno(error, code)) || attempt >= ATTEMPTS_MAX) throw error;
    return inDirectory(directory, work, attempt + 1);
  }
};

/** Writes and hashes the stream. The file is durable when the promise resolves. Its name is not durable yet. */
const write = async (path: string, body: Buffer | Readable, maxBytes: number): Promise<StoredObject> => {
  const handle = await inDirectory(dirname(path), () => open(path, 'wx', FILE_MODE));
  try {
    const hash = createHash('sha256');
    let bytes = 0;
    for await (const chunk of Buffer.isBuffer(body) ? [body] : body) {
      const part = typeof chunk === 'string' ? Buffer.from(chunk) : (chunk as Buffer);
      bytes += part.length;
      // Leaving the loop destroys the stream, so the sender is stopped.
      if (bytes > maxBytes) throw new ObjectTooLarge(maxBytes);
      hash.update(part);
      await writeFully(handle, part);
    }
    await handle.sync();
    return { digest: digestOf(hash), bytes };
  } finally {
    await handle.close();
  }
};

const writeFully = async (handle: FileHandle, part: Buffer): Promise<void> => {
  for (let at = 0; at < part.length;) at += (await handle.write(part, at)).bytesWritten;
};

const digestOf = (hash: Hash): string => `sha256:${hash.digest('hex')}`;

const ifPresent = <T>(reading: Promise<T>): Promise<T | undefined> =>
  reading.catch((error: unknown) => {
    if (isErrno(error, 'ENOENT')) return undefined;
    throw error;
  });
