import type { EventPlace, JsonObject, JsonValue } from './event-store';

declare const DOCUMENT: unique symbol;

/** The name of a collection together with the type of its documents. */
export type Collection<Document extends object> = string & { readonly [DOCUMENT]: Document };

/** A collection by its token, or by a plain name, whose documents are plain JSON. */
export type CollectionName<Document extends object> = Collection<Document> | string;

/**
 * Creates the token of a collection. The writer and all readers of the collection share it, and so the document type.
 */
export const collectionOf = <Document extends object>(name: string): Collection<Document> =>
  // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the brand exists in the type only; this is its one origin
  name as Collection<Document>;

/** A stored document: `key` is unique in its collection. */
export interface ReadModelDocument<Document extends object = JsonObject> {
  readonly key: string;
  readonly document: Document;
}

export type ReadModelChange =
  | { readonly kind: 'put'; readonly collection: string; readonly key: string; readonly document: object }
  | { readonly kind: 'remove'; readonly collection: string; readonly key: string };

/**
 * Creates the change that stores the document under the key, or removes it when `document` is absent. Documents are
 * plain JSON.
 */
export const putOrRemove = <Document extends object>(
  collection: Collection<Document>,
  key: string,
  document: Document | undefined,
): ReadModelChange => (document ? { kind: 'put', collection, key, document } : { kind: 'remove', collection, key });

export interface ReadModelConditions<Document extends object = JsonObject> {
  readonly collection: CollectionName<Document>;
  /** Top-level fields of the document that must be equal. A list matches one of its values. */
  readonly where: { readonly [Field in keyof Document]?: string | number | boolean | readonly string[] };
}

export interface ReadModelQuery<Document extends object = JsonObject> extends ReadModelConditions<Document> {
  /** Top-level field, ascending. Equal values are ordered by key. @default by key, ascending */
  readonly orderBy?: { readonly field?: keyof Document & string; readonly descending?: boolean };
  /** Only documents with a larger key. */
  readonly after?: string;
  readonly offset?: number;
  /** Maximum number of documents in the result. @default MAX_QUERY_DOCUMENTS */
  readonly limit?: number;
}

/** Maximum of `limit`. */
export const MAX_QUERY_DOCUMENTS = 10_000;

/** Documents derived from the event stream. Only the owner of a projection commits; every service may read. */
export interface ReadModels {
  get<Document extends object = JsonObject>(
    collection: CollectionName<Document>,
    key: string,
  ): Promise<Document | undefined>;
  find<Document extends object = JsonObject>(
    query: ReadModelQuery<Document>,
  ): Promise<readonly ReadModelDocument<Document>[]>;
  /** Returns the number of documents that meet the conditions. Not limited by MAX_QUERY_DOCUMENTS. */
  count<Document extends object = JsonObject>(conditions: ReadModelConditions<Document>): Promise<number>;
  /**
   * Applies the changes in order and moves the projection's checkpoint to `position`, the position of the event `last`. A position
   * that is not above the checkpoint changes nothing.
   */
  commit(projection: string, position: number, changes: readonly ReadModelChange[], last?: EventPlace): Promise<void>;
  /** Returns START_OF_STORE when the projection never committed, and when its documents are of an earlier version. */
  checkpoint(projection: string): Promise<number>;
  /**
   * Returns the checkpoint after a commit that was interrupted is completed. Documents of another version of the projection, or of events
   * that are not in the event store, are discarded. The owner of the projection calls it at its start and after a failed commit, before
   * it reads documents. `beforeDiscard` is awaited after the checkpoint was removed and before the documents are.
   */
  resume(projection: string, beforeDiscard?: () => Promise<void>): Promise<number>;
  close(): Promise<void>;
}

/** Compares texts by their code units, independent of the locale. */
export const byText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** The order of value types in document databases: nothing, numbers, texts, structures, booleans. */
const KINDS = ['undefined', 'number', 'string', 'object', 'boolean'];
const kindOf = (value: JsonValue | undefined): number => KINDS.indexOf(value === null ? 'undefined' : typeof value);

/** Compares two values of a field in the order of document databases. */
export const compareFields = (left: JsonValue | undefined, right: JsonValue | undefined): number => {
  const kinds = kindOf(left) - kindOf(right);
  if (kinds !== 0) return kinds;
  if (left === null || left === undefined || right === null || right === undefined) return 0;
  return left < right ? -1 : left > right ? 1 : 0;
};
