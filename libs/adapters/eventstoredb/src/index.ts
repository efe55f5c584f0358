export { eventStoreDbEventStore, type EventStoreDbOptions } from './event-store';
