import { randomUUID } from 'node:crypto';
import { link, mkdir, open, readdir, rename, rm, stat } from 'node:fs/promises';
import { dirname, join } from 'node:path';

/** Only the owner may look. */
const FILE_MODE = 0o600;
const DIRECTORY_MODE = 0o700;

export const isErrno = (error: unknown, code: string): boolean =>
  (error as NodeJS.ErrnoException | undefined)?.code === code;

/** What has a name in a directory keeps it through a power cut only after this. */
export const syncDirectory = async (directory: string): Promise<void> => {
  const handle = await open(directory, 'r');
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Makes the directory and what is missing above it, durably. */
export const makeDirectory = async (directory: string): Promise<void> => {
  const topmostMade = await mkdir(directory, { recursive: true, mode: DIRECTORY_MODE });
  if (topmostMade === undefined) return;
  for (let made = directory; made.length >= topmostMade.length; made = dirname(made))
    await syncDirectory(dirname(made));
};

/** A unique file name in the directory. */
export const temporaryName = (directory: string): string => join(directory, randomUUID());

/** Writes a new file and its bytes durably; the name itself becomes durable with its directory. */
export const writeNewFile = async (path: string, bytes: Uint8Array): Promise<void> => {
  const handle = await open(path, 'wx', FILE_MODE);
  try {
    await handle.writeFile(bytes);
    await handle.sync();
  } finally {
    await handle.close();
  }
};

/** Puts a finished file in its place at once: a reader sees the old one or the new one, never a part. */
export const moveIntoPlace = async (from: string, to: string): Promise<void> => {
  await rename(from, to);
  await syncDirectory(dirname(to));
};

/**
 * Puts a finished file in its place unless the place is taken, and removes the other name.
 * Of several processes that do this at once, one succeeds, and all of them find its file afterwards.
 */
export const linkIntoFreePlace = async (from: string, to: string): Promise<void> => {
  try {
    await link(from, to);
  } catch (error) {
    if (!isErrno(error, 'EEXIST')) throw error;
  } finally {
    await rm(from);
  }
  await syncDirectory(dirname(to));
};

/** Age in milliseconds after which a temporary file belongs to a dead process. */
const STALE_AFTER_MS = 3_600_000;

/** Removes what a process that died has left behind; what another one may be writing now stays. */
export const removeStaleFiles = async (directory: string, nowMs: number): Promise<void> => {
  for (const name of await readdir(directory)) {
    const path = join(directory, name);
    const { mtimeMs } = await stat(path).catch(() => ({ mtimeMs: nowMs }));
    if (nowMs - mtimeMs > STALE_AFTER_MS) await rm(path, { recursive: true, force: true });
  }
};
