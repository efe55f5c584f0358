export { inMemoryEventStore, type InMemoryEventStoreOptions } from './event-store';
export { inMemoryReadModels, type InMemoryReadModels, type CommitListener } from './read-models';
export { inMemoryObjectAreas, inMemoryObjectStore } from './object-store';
export { inMemorySecrets } from './secrets';
export { inMemoryStateStore } from './state-store';
