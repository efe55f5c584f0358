export { sqliteEventStore, type SqliteEventStoreOptions } from './event-store';
export { EventStoreUnusable, type FileLock, lockFile } from './database';
export * from './maintenance';
export { sqliteStateStore, type SqliteStateStoreOptions } from './state-store';
