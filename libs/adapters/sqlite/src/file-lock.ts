import Database from 'libsql';

export interface FileLock {
  /** Idempotent. The operating system releases the lock when the process ends, however it ends. */
  release(): void;
}

/**
 * Locks a file, which is created when it is absent: `exclusive` against every other lock, `shared` against exclusive ones. The
 * lock is one of the operating system, so it is never stale, and it also holds between containers with one file system.
 * Undefined when another lock is in the way.
 */
export function lockFile(file: string, mode: 'exclusive' | 'shared'): FileLock | undefined {
  const database = new Database(file, { timeout: 0 });
  try {
    database.exec(mode === 'exclusive' ? 'BEGIN EXCLUSIVE' : 'BEGIN');
    // A transaction takes its shared lock with the first read.
    if (mode === 'shared') database.prepare('SELECT count(*) FROM sqlite_master').get();
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    throw error;
  }
  return {
    release: () => {
      if (!database.open) return;
      // A prepared statement can outlive `close` and would keep the lock.
      if (database.inTransaction) database.exec('ROLLBACK');
      database.close();
    },
  };
}

const isBusy = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && error.code === 'SQLITE_BUSY') || /database is locked/.test(error.message));
