import {
  type JsonObject,
  type ReadModelConditions,
  type ReadModelDocument,
  type ReadModelQuery,
  type ReadModels,
  START_OF_STORE,
} from '@muster/ports';
import { Collection } from './collection';

/** Told after each commit that changed the checkpoint, with the projection and its new position. */
export type CommitListener = (projection: string, position: number) => void;

export interface InMemoryReadModels extends ReadModels {
  /** The returned function ends it. */
  onCommit(listener: CommitListener): () => void;
}

/**
 * Read models that a process keeps for itself and rebuilds from the store at start. A commit is seen whole or not at
 * all. Documents are shared, not copied: callers must not change them.
 */
export const inMemoryReadModels = (): InMemoryReadModels => {
  const collections = new Map<string, Collection>();
  const checkpoints = new Map<string, number>();
  const listeners = new Set<CommitListener>();

  const collectionNamed = (name: string): Collection => {
    const existing = collections.get(name);
    if (existing !== undefined) return existing;
    const collection = new Collection();
    collections.set(name, collection);
    return collection;
  };
  const checkpointOf = (projection: string): number => checkpoints.get(projection) ?? START_OF_STORE;

  return {
    // The token of a collection carries its document type, the map keeps plain JSON.
    get: async <Document extends object>(collection: string, key: string) =>
      collections.get(collection)?.get(key) as Document | undefined,
    find: async <Document extends object>(query: ReadModelQuery<Document>) =>
      (collections.get(query.collection)?.find(query as ReadModelQuery<object> as ReadModelQuery) ??
        []) as readonly ReadModelDocument<object>[] as readonly ReadModelDocument<Document>[],
    count: async (conditions) =>
      collections.get(conditions.collection)?.count(conditions as ReadModelConditions<object> as ReadModelConditions) ??
      0,
    commit: async (projection, position, changes) => {
      if (position <= checkpointOf(projection)) return;
      for (const change of changes) {
        const collection = collectionNamed(change.collection);
        if (change.kind === 'put') collection.put(change.key, change.document as JsonObject);
        else collection.remove(change.key);
      }
      checkpoints.set(projection, position);
      for (const listener of listeners) listener(projection, position);
    },
    checkpoint: async (projection) => checkpointOf(projection),
    onCommit: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: async () => undefined,
  };
};
