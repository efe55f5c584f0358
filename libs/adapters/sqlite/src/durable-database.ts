import Database from 'libsql';
import { BUSY_TIMEOUT_MS, createFile, explain } from './database';

/**
 * Opens a database file in which an acknowledged commit survives a power failure. Creates it, readable by the owner only. Several
 * processes of one machine may have it open. `schema`: statements that create tables unless they exist.
 * @throws DatabaseUnusable
 */
export const openDurableDatabase = (file: string, schema: string): Database.Database => {
  try {
    createFile(file);
    const database = new Database(file, { timeout: BUSY_TIMEOUT_MS });
    database.pragma(`busy_timeout = ${BUSY_TIMEOUT_MS}`);
    database.pragma('journal_mode = WAL');
    database.pragma('synchronous = FULL');
    database.pragma('secure_delete = ON');
    database.exec(`BEGIN IMMEDIATE; ${schema}; COMMIT`);
    return database;
  } catch (error) {
    throw explain(file, error);
  }
};

/** Moves everything into the database file, so that no copy of a deleted row stays in the write-ahead log. */
export const truncateLog = (database: Database.Database): void => void database.pragma('wal_checkpoint(TRUNCATE)');

/** Leaves one file behind instead of three. Idempotent. */
export const closeDurableDatabase = (database: Database.Database): void => {
  if (!database.open) return;
  truncateLog(database);
  database.close();
};
