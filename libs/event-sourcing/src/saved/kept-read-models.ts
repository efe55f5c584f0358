import {
  type JsonObject,
  MAX_QUERY_DOCUMENTS,
  type ReadModelConditions,
  type ReadModelDocument,
  type ReadModelQuery,
  type ReadModels,
  type SavedFold,
} from '@muster/ports';
import { BoundedMap } from '../bounded-map';
import { KeptCollection } from './kept-collection';
import type { SavedStates } from './saved-states';

const CONSUMER = 'read_models';
/** Maximum size of the cached documents of one collection in bytes, in their saved form. */
const CACHED_BYTES_MAX = 32 * 1024 * 1024;

/**
 * Read models of one process in its saved state: those that changed last and those that are read often are in memory, the
 * others are loaded. Each projection writes its own collections, which `folds` declare. Documents are shared, not copied:
 * callers must not change them.
 */
export async function keptReadModels(states: SavedStates, folds: readonly SavedFold[]): Promise<ReadModels> {
  const consumer = await states.open(CONSUMER, folds);
  const collections = new Map<string, KeptCollection>();
  for (const table of folds.flatMap(({ tables }) => tables)) {
    const collection = new KeptCollection(table, consumer.state, new BoundedMap<string, JsonObject>(CACHED_BYTES_MAX));
    collections.set(table.name, collection);
    consumer.add(collection);
  }
  const collectionNamed = (name: string): KeptCollection => {
    const found = collections.get(name);
    if (!found) throw new Error(`The collection ${name} is not declared. Add it to the tables of its projection.`);
    return found;
  };

  return {
    // The token of a collection has its document type. A row contains plain JSON.
    get: async <Document extends object>(collection: string, key: string) =>
      collectionNamed(collection).get(key) as Document | undefined,
    find: async <Document extends object>(query: ReadModelQuery<Document>) => {
      const collection = collectionNamed(query.collection);
      const limit = Math.min(query.limit ?? MAX_QUERY_DOCUMENTS, MAX_QUERY_DOCUMENTS);
      const found = collection.find(query as ReadModelQuery<object> as ReadModelQuery, limit);
      return found as readonly ReadModelDocument<object>[] as readonly ReadModelDocument<Document>[];
    },
    count: async (conditions) =>
      collectionNamed(conditions.collection).count(conditions as ReadModelConditions<object> as ReadModelConditions),
    commit: async (projection, position, changes, last) => {
      if (position <= consumer.position(projection)) return;
      // A read that fails changes nothing, because the projection repeats the commit.
      const puts = changes.map((change) => {
        const document = change.kind === 'put' ? (change.document as JsonObject) : undefined;
        return collectionNamed(change.collection).putting(change.key, document);
      });
      for (const put of puts) put();
      consumer.reached(projection, position, last);
      await consumer.room();
    },
    checkpoint: async (projection) => consumer.position(projection),
    // Folds that do not match were discarded when the state was opened, and a commit is a change in memory.
    resume: async (projection) => consumer.position(projection),
    close: async () => undefined,
  };
}
