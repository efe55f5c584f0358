import { accessSync, closeSync, constants, existsSync, fsyncSync, openSync, statSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';

/**
 * The database file cannot be used. The message contains the reason and the action. `code` is the code of
 * SQLite, if any.
 */
export class DatabaseUnusable extends Error {
  constructor(
    readonly file: string,
    readonly explanation: string,
    readonly code?: string,
    options?: ErrorOptions,
  ) {
    super(`Database ${file}: ${explanation}`, options);
    this.name = 'DatabaseUnusable';
  }
}

const EXPLANATIONS: readonly (readonly [codePrefix: string, explanation: string])[] = [
  ['SQLITE_NOTADB', 'this is not a SQLite database. Use another file, or move this file.'],
  ['SQLITE_CORRUPT', 'the database is damaged. Restore it from a backup.'],
  ['SQLITE_CONSTRAINT', 'a row is not valid: the database is damaged. Restore it from a backup.'],
  ['SQLITE_FULL', 'the disk, or the size allowed for the file, is full. Free disk space and retry.'],
  ['SQLITE_READONLY', 'the file is read-only for this process. Give it write permission.'],
  ['SQLITE_BUSY', 'another process has locked it. Stop that process, or retry.'],
  ['SQLITE_CANTOPEN', 'the file cannot be opened. Check its path and permissions.'],
  ['SQLITE_IOERR', 'the disk failed to read or write. Check its health and free space.'],
];

/** The numbers of the codes above. */
const PRIMARY_CODES: ReadonlyMap<number, string> = new Map([
  [26, 'SQLITE_NOTADB'],
  [11, 'SQLITE_CORRUPT'],
  [19, 'SQLITE_CONSTRAINT'],
  [13, 'SQLITE_FULL'],
  [8, 'SQLITE_READONLY'],
  [5, 'SQLITE_BUSY'],
  [14, 'SQLITE_CANTOPEN'],
  [10, 'SQLITE_IOERR'],
]);

/** The schema of the file differs from the one with which it was created. */
const NO_SUCH_NAME = /^no such (?:column|table)/;

/** Returns the code. The driver does not know some extended codes, such as the one of a damaged index. Their low byte is the primary code. */
export const codeOf = ({ code, message }: InstanceType<typeof Database.SqliteError>): string => {
  if (NO_SUCH_NAME.test(message)) return 'SQLITE_CORRUPT';
  const [, extended] = /^UNKNOWN_SQLITE_ERROR_(\d+)$/.exec(code) ?? [];
  return PRIMARY_CODES.get(Number(extended) & 0xff) ?? code;
};

/** Returns the error with a message for administrators. Unknown errors are returned unchanged. */
export const explain = (file: string, error: unknown): Error => {
  if (error instanceof DatabaseUnusable) return error;
  if (error instanceof Database.SqliteError) {
    const code = codeOf(error);
    const known = EXPLANATIONS.find(([prefix]) => code.startsWith(prefix));
    return new DatabaseUnusable(file, known?.[1] ?? error.message, code, { cause: error });
  }
  return error instanceof Error ? error : new Error(String(error));
};

/**
 * Returns the result of a read.
 * @throws DatabaseUnusable instead of an error of SQLite
 */
export const explained = <Result>(file: string, read: () => Result): Result => {
  try {
    return read();
  } catch (error) {
    throw explain(file, error);
  }
};

export interface FileLock {
  /** Idempotent. The operating system releases the lock when the process ends. */
  release(): void;
}

/**
 * Locks a file, which is created when it does not exist: `exclusive` against every other lock, `shared` against
 * exclusive locks. The lock belongs to the operating system, so it is never stale, and it also works between containers
 * with one file system. Returns undefined when another lock exists.
 * @throws DatabaseUnusable, or SqliteError when the disk is full
 */
export function lockFile(file: string, mode: 'exclusive' | 'shared'): FileLock | undefined {
  createFile(file);
  const database = new Database(file, { timeout: 0 });
  try {
    database.exec(mode === 'exclusive' ? 'BEGIN EXCLUSIVE' : 'BEGIN');
    // A transaction acquires its shared lock with the first read.
    if (mode === 'shared') database.prepare('SELECT count(*) FROM sqlite_master').get();
  } catch (error) {
    database.close();
    if (isBusy(error)) return undefined;
    // The callers name the remedy for a full disk.
    throw isFull(error) ? error : explain(file, error);
  }
  return {
    release: () => {
      if (!database.open) return;
      // A prepared statement can exist after `close` and would keep the lock.
      if (database.inTransaction) database.exec('ROLLBACK');
      database.close();
    },
  };
}

const isFull = (error: unknown): boolean => error instanceof Database.SqliteError && codeOf(error) === 'SQLITE_FULL';
const isBusy = (error: unknown): boolean =>
  error instanceof Error &&
  (('code' in error && error.code === 'SQLITE_BUSY') || /database is locked/.test(error.message));

/** Incremented when the tables or the encoding of rows change. */
export const SCHEMA_VERSION = 2;
/** Marks the file as an event store of Muster ("MUST" in ASCII). */
const APPLICATION_ID = 0x4d555354;
/** Events of format 1 have no checksum. */
const TO_THIS_FORMAT = `ALTER TABLE events ADD COLUMN checksum INTEGER; PRAGMA user_version = ${SCHEMA_VERSION};`;
/** How long a write waits for the lock of another process before it fails. */
export const BUSY_TIMEOUT_MS = 5_000;
export const PAGE_BYTES = 4_096;
const MEMORY_FOR_PAGES_KIB = 8 * 1024;

const SCHEMA = `
  CREATE TABLE streams (id INTEGER PRIMARY KEY, name TEXT NOT NULL UNIQUE) STRICT;
  CREATE TABLE events (
    position INTEGER PRIMARY KEY AUTOINCREMENT,
    stream   INTEGER NOT NULL REFERENCES streams (id),
    revision INTEGER NOT NULL,
    body     TEXT NOT NULL,
    checksum INTEGER
  ) STRICT;
  CREATE UNIQUE INDEX events_by_stream ON events (stream, revision);
  PRAGMA application_id = ${APPLICATION_ID};
  PRAGMA user_version = ${SCHEMA_VERSION};
`;

const RETRY_MS = 10;

/** SQLite does not wait there for a process that is creating the same file, because two such processes could wait for each other. */
export const useWriteAheadLog = (database: Database.Database): void => {
  const endsAtMs = performance.now() + BUSY_TIMEOUT_MS;
  for (;;)
    try {
      return void database.pragma('journal_mode = WAL');
    } catch (error) {
      if (!isBusy(error) || performance.now() >= endsAtMs) throw error;
      Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, RETRY_MS);
    }
};

/**
 * Opens the file. Creates it with its tables when it does not exist or is empty.
 * @throws DatabaseUnusable
 */
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
  useWriteAheadLog(database);
  // An acknowledged commit must survive a power failure as well as a crash of the process.
  database.pragma('synchronous = FULL');
  database.pragma(`cache_size = -${MEMORY_FOR_PAGES_KIB}`);
  database.exec('BEGIN IMMEDIATE');
  let version: number;
  try {
    // Checked inside the transaction, because another process may be creating the same file.
    version = readNumber(database, 'user_version');
    if (version < SCHEMA_VERSION) database.exec(version === 0 ? SCHEMA : TO_THIS_FORMAT);
    database.exec('COMMIT');
  } catch (error) {
    if (database.inTransaction) database.exec('ROLLBACK');
    throw error;
  }
  database.prepare('SELECT id, name, position, stream, revision, body, checksum FROM streams, events LIMIT 0');
  if (version === 0) truncateLog(database);
  if (maxBytes !== undefined) database.pragma(`max_page_count = ${Math.floor(maxBytes / PAGE_BYTES)}`);
};

/**
 * Moves everything into the database file, so that no copy of a deleted row stays in the write-ahead log. Done for a new file too: a start
 * that is refused because the file of before is missing leaves the log, and its pages would replace those of the file that is restored.
 */
export const truncateLog = (database: Database.Database): void => void database.pragma('wal_checkpoint(TRUNCATE)');

/** As `truncateLog`, but does not wait while another process reads or writes. Returns false when one did. */
export const truncateUnusedLog = (database: Database.Database): boolean => {
  database.pragma('busy_timeout = 0');
  try {
    const result = database.prepare('PRAGMA wal_checkpoint(TRUNCATE)').raw().get() as [isBusy: number];
    return result[0] === 0;
  } finally {
    database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
  }
};

const refuseForeignFile = (database: Database.Database, file: string): void => {
  const version = readNumber(database, 'user_version');
  const isOurs = readNumber(database, 'application_id') === APPLICATION_ID;
  const tables = database.prepare('SELECT count(*) AS tables FROM sqlite_schema').get() as { tables: number };
  if (!isOurs && (tables.tables > 0 || version > 0)) {
    throw new DatabaseUnusable(file, 'this database belongs to another program. Use another file.');
  }
  if (version > SCHEMA_VERSION) {
    throw new DatabaseUnusable(
      file,
      `it was written by a newer release (format ${version}, this one reads up to ${SCHEMA_VERSION}). Start that release or a later one.`,
    );
  }
};

const readNumber = (database: Database.Database, pragma: 'user_version' | 'application_id'): number =>
  (database.prepare(`PRAGMA ${pragma}`).get() as { [name: string]: number })[pragma] ?? 0;

/**
 * Creates the file unless it exists. It is readable by the owner only, and its name is as durable as its content. An existing file is
 * not opened: when a process closes a file, the operating system releases every lock of that process on it, also those of open connections.
 * Without them, another process that closes its own connection deletes the write-ahead log, and with it everything that is written later.
 * @throws DatabaseUnusable
 */
export const createFile = (file: string): void => {
  try {
    try {
      closeSync(openSync(file, 'ax', 0o600));
    } catch (error) {
      if (!existsSync(file)) throw error;
      requireWritableFile(file);
    }
    makeNameDurable(file);
  } catch (error) {
    const reason = error instanceof Error ? error.message : String(error);
    throw new DatabaseUnusable(
      file,
      `the file cannot be opened for writing (${reason}). Check its directory and permissions.`,
    );
  }
};

/** The name of the file survives a power failure. */
export function makeNameDurable(file: string): void {
  const directory = openSync(dirname(file), 'r');
  fsyncSync(directory);
  closeSync(directory);
}

function requireWritableFile(file: string): void {
  accessSync(file, constants.R_OK | constants.W_OK);
  if (!statSync(file).isFile()) throw new Error('it is not a file');
}
