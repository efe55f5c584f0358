import { readdir, rm, stat } from 'node:fs/promises';
import { join } from 'node:path';

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
