import {
  byText,
  compareFields,
  type JsonObject,
  type JsonValue,
  MAX_QUERY_DOCUMENTS,
  type ReadModelConditions,
  type ReadModelDocument,
  type ReadModelQuery,
  type ReadModels,
  START_OF_STORE,
} from '@muster/ports';

type Compare = (left: ReadModelDocument, right: ReadModelDocument) => number;

const byKey: Compare = (left, right) => byText(left.key, right.key);

/** Compares keys by a field of their documents. Equal values are ordered by key, ascending. */
export const documentOrder = ({ field, descending }: { field: string; descending?: boolean }): Compare => {
  const sign = descending === true ? -1 : 1;
  return (left, right) => sign * compareFields(left.document[field], right.document[field]) || byKey(left, right);
};

type Value = string | number | boolean;

/** One sorted list of keys per combination of queried values. */
export type KeyLists = readonly (readonly string[])[];

/**
 * Keys of the documents, in order, by the values of some top-level fields; all keys without fields. Documents that no query can match
 * are omitted.
 */
export class FieldsIndex {
  private readonly keysByValues = new Map<Value, string[]>();

  constructor(
    private readonly fields: readonly string[],
    documents: ReadonlyMap<string, JsonObject>,
  ) {
    for (const [key, document] of documents) {
      const values = this.valuesOf(document);
      if (values !== undefined) this.listOf(values).push(key);
    }
    for (const keys of this.keysByValues.values()) keys.sort(byText);
  }

  /** Updates the index for a document that was added (no `before`), changed, or removed (no `after`). */
  follow(key: string, before: JsonObject | undefined, after: JsonObject | undefined): void {
    const from = before && this.valuesOf(before);
    const to = after && this.valuesOf(after);
    if (from === to) return;
    if (from !== undefined) this.take(from, key);
    if (to !== undefined) this.insert(to, key);
  }

  /**
   * Returns the lists of documents that meet all conditions. The conditions must name exactly the fields of this index.
   */
  listsOf(where: ReadModelQuery['where']): KeyLists {
    let combinations: Value[][] = [[]];
    for (const field of this.fields) {
      const condition = where[field] ?? [];
      const values: readonly Value[] = typeof condition === 'object' ? [...new Set(condition)] : [condition];
      combinations = combinations.flatMap((before) => values.map((value) => [...before, value]));
    }
    return combinations.flatMap((values) => {
      const keys = this.keysByValues.get(combined(values));
      return keys ? [keys] : [];
    });
  }

  private valuesOf(document: JsonObject): Value | undefined {
    const values: Value[] = [];
    for (const field of this.fields) {
      const value = document[field];
      if (!isIndexable(value)) return undefined;
      values.push(value);
    }
    return combined(values);
  }

  private listOf(values: Value): string[] {
    const known = this.keysByValues.get(values);
    if (known) return known;
    const keys: string[] = [];
    this.keysByValues.set(values, keys);
    return keys;
  }

  private insert(values: Value, key: string): void {
    const keys = this.listOf(values);
    // New keys of growing collections, such as logs, are usually the largest.
    if (keys.length === 0 || (keys.at(-1) ?? '') < key) keys.push(key);
    else keys.splice(placeOf(keys, key), 0, key);
  }

  private take(values: Value, key: string): void {
    const keys = this.keysByValues.get(values);
    if (!keys) return;
    const place = placeOf(keys, key);
    if (keys[place] === key) keys.splice(place, 1);
    if (keys.length === 0) this.keysByValues.delete(values);
  }
}

/** Returns one value itself, and several values as a list. */
const combined = (values: readonly Value[]): Value => {
  const [only, ...others] = values;
  return only !== undefined && others.length === 0 ? only : JSON.stringify(values);
};

/** Returns the index of the key, or the index at which to insert it. */
function placeOf(keys: readonly string[], key: string): number {
  let low = 0;
  let high = keys.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if ((keys[middle] ?? '') < key) low = middle + 1;
    else high = middle;
  }
  return low;
}

const isIndexable = (value: JsonValue | undefined): value is Value =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';

/**
 * Documents by key, with an index for each combination of fields that was queried: the cost of a query depends on the
 * returned documents, that of a count is constant. Documents are returned without a copy, so callers must not change
 * them.
 */
export class Collection {
  private readonly documents = new Map<string, JsonObject>();
  private readonly indexes = new Map<string, FieldsIndex>();

  get(key: string): JsonObject | undefined {
    return this.documents.get(key);
  }

  put(key: string, document: JsonObject): void {
    const before = this.documents.get(key);
    this.documents.set(key, document);
    for (const index of this.indexes.values()) index.follow(key, before, document);
  }

  remove(key: string): void {
    const before = this.documents.get(key);
    if (before === undefined) return;
    this.documents.delete(key);
    for (const index of this.indexes.values()) index.follow(key, before, undefined);
  }

  find(query: ReadModelQuery): ReadModelDocument[] {
    const { offset = 0, orderBy } = query;
    const limit = Math.min(query.limit ?? MAX_QUERY_DOCUMENTS, MAX_QUERY_DOCUMENTS);
    const lists = keysAfter(this.listsOf(query.where), query.after);
    if (orderBy?.field === undefined)
      return this.documentsOf(pageOf(lists, offset, offset + limit, orderBy?.descending === true));
    const { field, descending } = orderBy;
    return this.documentsOf(lists.flat())
      .sort(documentOrder({ field, descending }))
      .slice(offset, offset + limit);
  }

  count({ where }: ReadModelConditions): number {
    if (Object.keys(where).length === 0) return this.documents.size;
    return this.listsOf(where).reduce((sum, { length }) => sum + length, 0);
  }

  private documentsOf(keys: readonly string[]): ReadModelDocument[] {
    return keys.flatMap((key) => {
      const document = this.documents.get(key);
      return document === undefined ? [] : [{ key, document }];
    });
  }

  private listsOf(where: ReadModelQuery['where']): KeyLists {
    return this.indexOf(Object.keys(where).sort(byText)).listsOf(where);
  }

  private indexOf(fields: readonly string[]): FieldsIndex {
    const name = JSON.stringify(fields);
    const existing = this.indexes.get(name);
    if (existing !== undefined) return existing;
    const index = new FieldsIndex(fields, this.documents);
    this.indexes.set(name, index);
    return index;
  }
}

/** Returns the lists without the keys up to `after`. */
const keysAfter = (lists: KeyLists, after: string | undefined): KeyLists =>
  after === undefined
    ? lists
    : lists.map((keys) => {
        const place = placeOf(keys, after);
        return keys.slice(keys[place] === after ? place + 1 : place);
      });

/** Returns the keys from `begin` to before `end` of all lists together. Reads at most `end` keys, and the first one of each list. */
function pageOf(lists: KeyLists, begin: number, end: number, descending: boolean): readonly string[] {
  const [only = [], ...others] = lists;
  if (others.length > 0) return firstOf(lists, end, descending).slice(begin);
  if (!descending) return only.slice(begin, end);
  return only.slice(Math.max(only.length - end, 0), Math.max(only.length - begin, 0)).reverse();
}

/** A list from its next key on. */
interface Rest {
  readonly keys: readonly string[];
  readonly at: number;
  readonly next: string;
}

/** Merges the first keys of sorted lists, `count` in all. 1,000 hosts have 4,000 lists, and to sort the first keys of each takes seconds. */
function firstOf(lists: KeyLists, count: number, descending: boolean): readonly string[] {
  const step = descending ? -1 : 1;
  const restAt = (keys: readonly string[], at: number): Rest[] => {
    const next = keys[at];
    return next === undefined ? [] : [{ keys, at, next }];
  };
  const isLater = (left: Rest, right: Rest): boolean => step * byText(left.next, right.next) > 0;
  // The list with the first key is the last one, because the others keep their places when it is removed.
  const rests = lists
    .flatMap((keys) => restAt(keys, descending ? keys.length - 1 : 0))
    .sort((left, right) => step * byText(right.next, left.next));
  const merged: string[] = [];
  for (let first = rests.pop(); first !== undefined && merged.length < count; first = rests.pop()) {
    merged.push(first.next);
    for (const rest of restAt(first.keys, first.at + step)) {
      let [low, high] = [0, rests.length];
      while (low < high) {
        const middle = (low + high) >>> 1;
        const other = rests[middle];
        if (other && isLater(other, rest)) low = middle + 1;
        else high = middle;
      }
      rests.splice(low, 0, rest);
    }
  }
  return merged;
}

/** Called after each commit that changed the checkpoint, with the projection and its new position. */
export type CommitListener = (projection: string, position: number) => void;

export interface InMemoryReadModels extends ReadModels {
  /** Adds a listener. The returned function removes it. */
  onCommit(listener: CommitListener): () => void;
}

/**
 * Read models in the memory of one process, which rebuilds them from the store at start. A commit is visible completely
 * or not at all. Documents are shared, not copied, so callers must not change them.
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
    // The token of a collection has its document type. The map contains plain JSON.
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
    resume: async (projection) => checkpointOf(projection),
    onCommit: (listener) => {
      listeners.add(listener);
      return () => void listeners.delete(listener);
    },
    close: async () => undefined,
  };
};
