import { closeSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';

/** The file cannot serve as an event store now; the message says why and what to do. `code` is SQLite's, where it has one. */
export class EventStoreUnusable extends Error {
  constructor(
    readonly file: string,
    explanation: string,
    readonly code?: string,
    options?: ErrorOptions,
  ) {
    super(`Event store ${file}: ${explanation}`, options);
    this.name = 'EventStoreUnusable';
  }
}

const EXPLANATIONS: readonly (readonly [codePrefix: string, explanation: string])[] = [
  ['SQLITE_NOTADB', 'this is not a SQLite database; name another file, or move this file.'],
  ['SQLITE_CORRUPT', 'the database is damaged; restore it from a backup.'],
  [
    'SQLITE_FULL',
    'the disk, or the size allowed for the file, is full; nothing of the refused append was stored. Free disk space and retry.',
  ],
  ['SQLITE_READONLY', 'the file is read-only for this process; give it write permission.'],
  ['SQLITE_BUSY', 'another process keeps it locked; stop that process, or retry.'],
  ['SQLITE_CANTOPEN', 'the file cannot be opened; check its path and permissions.'],
  ['SQLITE_IOERR', 'the disk failed to read or write; check its health and free space.'],
];

/** Returns the error with a message for operators. Unknown errors pass through unchanged. */
export const explain = (file: string, error: unknown): Error => {
  if (error instanceof EventStoreUnusable) return error;
  if (error instanceof Database.SqliteError) {
    const known = EXPLANATIONS.find(([prefix]) => error.code.startsWith(prefix));
    return new EventStoreUnusable(file, known?.[1] ?? error.message, error.code, { cause: error });
  }
  return error instanceof Error ? error : new Error(String(error));
};

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

/** Raised when the tables or the encoding of rows change. */
export const SCHEMA_VERSION = 1;
/** Marks the file as an event store of Muster ("MUST" in ASCII). */
const APPLICATION_ID = 0x4d555354;
/** How long a write waits for another process before it fails. */
const BUSY_TIMEOUT_MS = 5_000;
const PAGE_BYTES = 4_096;
const MEMORY_FOR_PAGES_KIB = 32 * 1024;

const SCHEMA = `
  CREATE TABLE streams (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE events (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    stream   INTEGER NOT NULL REFERENCES streams (id),
    revision INTEGER NOT NULL,
    body     TEXT NOT NULL
  ) STRICT;
  CREATE UNIQUE INDEX events_by_stream ON events (stream, revision);
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

/** Opens the file, creating it with its tables when it is absent or empty. Throws EventStoreUnusable. */
export const openDatabase = (file: string, maxBytes?: number): Database.Database => {
  createFile(file);
  try {
    const database = new Database(file, { timeout: BUSY_TIMEOUT_MS });
    try {
      prepareDatabase(database, file, maxBytes);
    } catch (error) {
      database.close();
      throw error;
    }
    return database;
  } catch (error) {
    throw explain(file, error);
  }
};

const prepareDatabase = (database: Database.Database, file: string, maxBytes?: number): void => {
  database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  refuseForeignFile(database, file);
  database.pragma('journal_mode = WAL');
  // A commit that was answered must survive a power cut, not only a crash of the process.
  database.pragma('synchronous = FULL');
  database.pragma(`cache_size = -${MEMORY_FOR_PAGES_KIB}`);
  database.exec('BEGIN IMMEDIATE');
  try {
    // Looked at inside the transaction: another process may be creating the same file.
    if (readNumber(database, 'user_version') === 0) database.exec(SCHEMA);
    database.exec('COMMIT');
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    throw error;
  }
  if (maxBytes !== undefined) database.pragma(`max_page_count = ${Math.floor(maxBytes / PAGE_BYTES)}`);
};

const refuseForeignFile = (database: Database.Database, file: string): void => {
  const version = readNumber(database, 'user_version');
  const isOurs = readNumber(database, 'application_id') === APPLICATION_ID;
  const tables = database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() as { tables: number };
  if (!isOurs && (tables.tables > 0 || version > 0)) {
    throw new EventStoreUnusable(file, 'this database belongs to another program; name another file.');
  }
  if (version > SCHEMA_VERSION) {
    throw new EventStoreUnusable(
      file,
      `it was written by a newer release (format ${version}, this one reads up to ${SCHEMA_VERSION}); start that release or a later one.`,
    );
  }
};

const readNumber = (database: Database.Database, pragma: 'user_version' | 'application_id'): number =>
  (database.prepare(`PRAGMA ${pragma}`).get() as { [name: string]: number })[pragma] ?? 0;

/** Only the owner may read what happened; the name must be as durable as what will be written under it. */
const createFile = (file: string): void => {
  try {
    closeSync(openSync(file, 'a', 0o600));
    const directory = openSync(dirname(file), 'r');
    fsyncSync(directory);
    closeSync(directory);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new EventStoreUnusable(
      file,
      `the file cannot be opened for writing (${reason}); check its directory and permissions.`,
    );
  }
};
