import { closeSync, fsyncSync, openSync } from 'node:fs';
import { dirname } from 'node:path';
import Database from 'libsql';
import { EventStoreUnusable, explain } from './event-store-unusable';

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
