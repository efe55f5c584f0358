export { sqliteEventStore, type SqliteEventStoreOptions } from './event-store';
export { EventStoreUnusable } from './event-store-unusable';
export * from './file-lock';
export * from './maintenance';
