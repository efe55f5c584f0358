import type { JsonObject } from './event-store';

/** A stored document: `key` is unique in its collection. */
export interface ReadModelDocument {
  readonly key: string;
  readonly document: JsonObject;
}

export type ReadModelChange =
  | { readonly kind: 'put'; readonly collection: string; readonly key: string; readonly document: JsonObject }
  | { readonly kind: 'remove'; readonly collection: string; readonly key: string };

export interface ReadModelConditions {
  readonly collection: string;
  /** Top-level fields of the document that must be equal; a list means: one of them. */
  readonly where: { readonly [field: string]: string | number | boolean | readonly string[] };
}

export interface ReadModelQuery extends ReadModelConditions {
  /** Top-level field, ties broken by key, ascending; without a field: by key. Default: by key, ascending. */
  readonly orderBy?: { readonly field?: string; readonly descending?: boolean };
  readonly offset?: number;
  /** At most this many; default: MAX_QUERY_DOCUMENTS. */
  readonly limit?: number;
}

/** Upper bound of one answer. */
export const MAX_QUERY_DOCUMENTS = 10_000;

/** Documents derived from the event stream. Only the owner of a projection commits; everyone may read. */
export interface ReadModels {
  get(collection: string, key: string): Promise<JsonObject | undefined>;
  find(query: ReadModelQuery): Promise<readonly ReadModelDocument[]>;
  /** How many documents meet the conditions; not bounded by MAX_QUERY_DOCUMENTS. */
  count(conditions: ReadModelConditions): Promise<number>;
  /** Applies the changes in order and moves the projection's checkpoint to `position`; a position not above the checkpoint changes nothing. */
  commit(projection: string, position: number, changes: readonly ReadModelChange[]): Promise<void>;
  /** START_OF_STORE when the projection never committed. */
  checkpoint(projection: string): Promise<number>;
  close(): Promise<void>;
}
