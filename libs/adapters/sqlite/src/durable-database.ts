import { closeSync, fstatSync, openSync, readFileSync, rmSync, statSync, writeSync } from 'node:fs';
import type { AppendResult } from '@muster/ports';
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
export const openObjectsDatabase = (file: string): Database.Database =>
  openDurableDatabase(
    file,
    OBJECTS_SCHEMA,
    (database) => void database.prepare('SELECT digest, stored_at_ms, body FROM objects'),
  );

/** @throws DatabaseUnusable */
export const openSealedDatabase = (file: string): Database.Database =>
  openDurableDatabase(file, SEALED_SCHEMA, (database) => {
    // Values of earlier releases have no checksum.
    const hasChecksum = database.prepare("SELECT 1 FROM pragma_table_info('sealed') WHERE name = 'checksum'").get();
    if (!hasChecksum) database.exec('ALTER TABLE sealed ADD COLUMN checksum INTEGER');
    database.prepare('SELECT scope, name, bytes, checksum FROM sealed');
  });

/**
 * Opens a database file in which an acknowledged commit survives a power failure. Creates it, readable by the owner only. Several
 * processes of one machine may have it open. `schema`: statements that create tables unless they exist. `update` changes tables of
 * earlier releases in the same transaction, and reads the columns, because a damaged schema may have others.
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

/** The file with the last position that was stored in a database, while processes write to it or after they were killed. */
const headFileOf = (file: string): string => `${file}-head`;
/** A shorter number replaces all digits of a longer one. */
const HEAD_DIGITS = 16;

/** Keeps the last stored position in a file beside the database, where it is found when the write-ahead log was removed. */
export const keepHead = (file: string) => {
  let opened: number | undefined;
  const close = (): void => {
    if (opened !== undefined) closeSync(opened);
    opened = undefined;
  };
  return {
    /** Not durable, so after a power failure the position may be an earlier one. */
    onCommitted: (results: readonly AppendResult[]): void => {
      const last = results.findLast((result) => result.kind === 'appended');
      if (!last) return;
      try {
        // Another process has removed the file.
        if (opened !== undefined && fstatSync(opened).nlink === 0) close();
        opened ??= openSync(headFileOf(file), 'w', 0o600);
        writeSync(opened, String(last.position).padStart(HEAD_DIGITS), 0);
      } catch {
        // The events are stored. A verification only compares less.
      }
    },
    /** Removes the file unless events are in the write-ahead log, which another process uses. A process that only reads keeps it. */
    onClosed: (): void => {
      if (opened === undefined) return;
      close();
      try {
        const log = statSync(`${file}-wal`, { throwIfNoEntry: false });
        if (!log?.size) rmSync(headFileOf(file), { force: true });
      } catch {
        // The position stays correct until more events are stored, which replace it.
      }
    },
  };
};

/** Returns the last position that a killed process had stored; 0 when it is not known. */
export function keptHead(file: string): number {
  try {
    const text = readFileSync(headFileOf(file), 'utf8').trim();
    return /^\d+$/.test(text) ? Number(text) : 0;
  } catch {
    return 0;
  }
}
