export { DamagedEvent } from './event-pages';
export { sqliteEventStore, type SqliteEventStoreOptions } from './event-store';
export { DatabaseUnusable, type FileLock, lockFile } from './database';
export {
  sqliteStoreStats,
  type StatementWork,
  vacuumSqliteFile,
  verifySqliteFile,
  verifySqliteStore,
} from './maintenance';
export { copySqliteFile } from './written-databases';
export { sqliteStateStore, type SqliteStateStoreOptions } from './state-store';
export { SMALL_OBJECT_BYTES_MAX, sqliteSmallObjects, type SqliteSmallObjectsOptions } from './small-objects';
export { sqliteSealedStorage } from './sealed-storage';
export { type SqliteWriter, writerHere, writerThread, WriterThreadEnded } from './writer';
export { type ReplacedBytes, type Replacement, SqliteCompaction } from './compaction';
