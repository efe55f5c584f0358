import Database from 'libsql';

/** Moves the committed part of the write-ahead log into the database file. Waits for the disk. */
export function moveLog(file: string): void {
  const database = new Database(file);
  try {
    database.pragma('wal_checkpoint(PASSIVE)');
  } finally {
    database.close();
  }
}
