import { statSync } from 'node:fs';
import Database from 'libsql';
import { BUSY_TIMEOUT_MS, createFile, explain, truncateLog, useWriteAheadLog } from './database';

/** Small bodies by digest. */
const OBJECTS_SCHEMA = `
  CREATE TABLE IF NOT EXISTS objects (
    digest TEXT PRIMARY KEY, stored_at_ms INTEGER NOT NULL, body BLOB NOT NULL
  ) STRICT`;

/** Sealed values by scope and name. */
const SEALED_SCHEMA = `
  CREATE TABLE IF NOT EXISTS sealed (
    scope TEXT NOT NULL, name TEXT NOT NULL, bytes BLOB NOT NULL, checksum INTEGER, PRIMARY KEY (scope, name)
  ) STRICT, WITHOUT ROWID`;

/** @throws DatabaseUnusable */
export const openObjectsDatabase = (file: string): Database.Database => openDurableDatabase(file, OBJECTS_SCHEMA);

/** @throws DatabaseUnusable */
export const openSealedDatabase = (file: string): Database.Database =>
  openDurableDatabase(file, SEALED_SCHEMA, (database) => {
    // Values of earlier releases have no checksum.
    const hasChecksum = database.prepare("SELECT 1 FROM pragma_table_info('sealed') WHERE name = 'checksum'").get();
    if (!hasChecksum) database.exec('ALTER TABLE sealed ADD COLUMN checksum INTEGER');
  });

/**
 * Opens a database file in which an acknowledged commit survives a power failure. Creates it, readable by the owner only. Several
 * processes of one machine may have it open. `schema`: statements that create tables unless they exist. `update` changes tables of
 * earlier releases in the same transaction.
 * @throws DatabaseUnusable
 */
export const openDurableDatabase = (
  file: string,
  schema: string,
  update: (database: Database.Database) => void = () => undefined,
): Database.Database => {
  try {
    createFile(file);
    const isNew = statSync(file).size === 0;
    const database = new Database(file, { timeout: BUSY_TIMEOUT_MS });
    try {
      database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
      useWriteAheadLog(database);
      database.pragma('synchronous = FULL');
      database.pragma('secure_delete = ON');
      database.exec(`BEGIN IMMEDIATE; ${schema}`);
      update(database);
      database.exec('COMMIT');
      if (isNew) truncateLog(database);
    } catch (error) {
      // The transaction would keep its lock, against this process too.
      if (database.inTransaction) database.exec('ROLLBACK');
      database.close();
      throw error;
    }
    return database;
  } catch (error) {
    throw explain(file, error);
  }
};

/** Leaves one file behind instead of three, unless the disk is full: then the log stays, and the next process reads it. Idempotent. */
export const closeDurableDatabase = (database: Database.Database): void => {
  if (!database.open) return;
  try {
    truncateLog(database);
  } catch (error) {
    if (!(error instanceof Database.SqliteError)) throw error;
  } finally {
    database.close();
  }
};
