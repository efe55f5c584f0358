import { randomUUID } from 'node:crypto';
import { existsSync, mkdirSync, statSync } from 'node:fs';
import { copyFile, link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Readable by the owner only. */
const FILE_MODE = 0o600;
export const DIRECTORY_MODE = 0o700;
/** The directory of files that are not in their place yet. */
export const INCOMING = 'incoming';

export const isErrno = (error: unknown, code: string): boolean =>
  (error as NodeJS.ErrnoException | undefined)?.code === code;

const unlessAbsent = (error: unknown): undefined => {
  if (!isErrno(error, 'ENOENT')) throw error;
};

const sync = async (path: string): Promise<void> => {
  const handle = await open(path, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Makes the names in a directory durable against a power failure. */
export const syncDirectory = (directory: string): Promise<void> => sync(directory);

/**
 * Creates the directory and its missing parents. The recursive `mkdir` of Node does not end where the system reports ENOENT for each new
 * name, as below /proc.
 */
export const createDirectory = (directory: string, mode?: number): void => {
  const parent = dirname(directory);
  if (!existsSync(parent)) createDirectory(parent, mode);
  try {
    mkdirSync(directory, { mode });
  } catch (error) {
    if (!statSync(directory, { throwIfNoEntry: false })?.isDirectory()) throw error;
  }
};

/** Creates the directory and its missing parents durably. The main thread does not wait for the disk. */
export const makeDirectory = async (directory: string): Promise<void> => {
  const found = await stat(directory).catch(unlessAbsent);
  if (found?.isDirectory()) return;
  const parent = dirname(directory);
  if (!found && parent !== directory) await makeDirectory(parent);
  try {
    await mkdir(directory, { mode: DIRECTORY_MODE });
  } catch (error) {
    // Another process has created it meanwhile.
    if (!(await stat(directory).catch(() => undefined))?.isDirectory()) throw error;
    return;
  }
  await syncDirectory(parent);
};

/** Returns a unique file name in the directory. */
export const temporaryName = (directory: string): string => join(directory, randomUUID());

/** Writes a new file durably. Its name becomes durable with its directory. Leaves no part of a file that cannot be written. */
export const writeNewFile = async (path: string, bytes: Uint8Array): Promise<void> => {
  const handle = await open(path, 'wx', FILE_MODE);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } catch (error) {
    await rm(path, { force: true });
    throw error;
  } finally {
    await handle.close();
  }
};

/** Moves a finished file to its place atomically: readers see the old or the new file, never a part. */
export const moveIntoPlace = async (from: string, to: string): Promise<void> => {
  await rename(from, to);
  await syncDirectory(dirname(to));
};

/** Codes of file systems without links, such as shares of Windows servers. */
const WITHOUT_LINKS = ['EPERM', 'ENOTSUP', 'ENOSYS'];

/**
 * Moves a finished file to its place unless the place exists, and removes the other name. When several processes do
 * this concurrently, one succeeds, and all of them find its file afterwards. On a file system without links, the last one of those that
 * do it within milliseconds succeeds.
 */
export const linkIfAbsent = async (from: string, to: string): Promise<void> => {
  try {
    await link(from, to);
  } catch (error) {
    if (WITHOUT_LINKS.some((code) => isErrno(error, code))) {
      if (!(await stat(to).catch(unlessAbsent))) await rename(from, to);
    } else if (!isErrno(error, 'EEXIST')) throw error;
  } finally {
    await rm(from, { force: true });
  }
  await syncDirectory(dirname(to));
};

/**
 * Copies the files of the directory and of those in it durably to a new directory, while others may add and remove files. Files that are
 * not in their place yet are left out. Does nothing when the directory does not exist. Calls `onCopied` after each file.
 */
export const copyFiles = async (directory: string, target: string, onCopied: () => void): Promise<void> => {
  const entries = await readdir(directory, { withFileTypes: true }).catch(unlessAbsent);
  if (!entries) return;
  await makeDirectory(target);
  for (const entry of entries) {
    const [path, copy] = [join(directory, entry.name), join(target, entry.name)];
    if (entry.isDirectory() && entry.name !== INCOMING) await copyFiles(path, copy, onCopied);
    if (!entry.isFile()) continue;
    const isThere = await copyFile(path, copy).then(() => true, unlessAbsent);
    if (!isThere) continue;
    await sync(copy);
    onCopied();
  }
  await syncDirectory(target);
};

/** Age in milliseconds after which a temporary file belongs to a dead process. */
const STALE_AFTER_MS = 3_600_000;

/** Removes the temporary files of dead processes. Files that another process may be writing are kept. */
export const removeStaleFiles = async (directory: string, nowMs: number): Promise<void> => {
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: nowMs }));
    if (nowMs - mtimeMs > STALE_AFTER_MS) await rm(path, { recursive: true, force: true });
  }
};
