/** The value of a field by which rows can be found. */
export type FieldValue = string | number | boolean;

/** The rows of one kind. Rows are found by their key and by their fields. */
export interface StateTable {
  /** Unique within its consumer. Lower-case letters, digits and underscores. */
  readonly name: string;
  /** Fields by which rows are found or ordered. Lower-case letters, digits and underscores. */
  readonly fields: readonly string[];
  /** Combinations of fields that queries use together, in the order of the index. */
  readonly indexes: readonly (readonly string[])[];
}

/** A fold over all events with its own checkpoint. */
export interface SavedFold {
  readonly name: string;
  /** Incremented when the saved entries or the fold change, so that the entries are rebuilt from the events. */
  readonly version: number;
  /** Tables that the fold writes. */
  readonly tables: readonly StateTable[];
}

/** A consumer of events that keeps its state: a projection, or the view of a service. */
export interface StateConsumer {
  /** Lower-case letters, digits and underscores. */
  readonly name: string;
  readonly tables: readonly StateTable[];
}

export interface StateRow {
  readonly key: string;
  readonly value: Uint8Array;
  /** In the order of the fields of the table. */
  readonly fields: readonly (FieldValue | undefined)[];
}

/** A stored row. Without `row`: a removed row. */
export interface StateChange {
  readonly table: string;
  readonly key: string;
  readonly row: StateRow | undefined;
}

export interface StateConditions {
  /** Fields that must be equal and of the same type. A list matches one of its values. */
  readonly where: { readonly [field: string]: FieldValue | readonly FieldValue[] };
}

export interface StateQuery extends StateConditions {
  /**
   * A field, or the key without one. Equal values are ordered by key, ascending. Rows without the field come first.
   * @default by key, ascending
   */
  readonly orderBy?: { readonly field?: string; readonly descending?: boolean };
  /** Only rows with a larger key. */
  readonly after?: string;
  readonly offset?: number;
  readonly limit?: number;
}

export interface FoundRow {
  readonly key: string;
  /** Value of the field by which the rows are ordered. Undefined without such a field. */
  readonly order: FieldValue | undefined;
}

/** The saved rows of one consumer. Reads are synchronous: a view loads missing rows while it applies an event. */
export interface SavedState {
  /** Tables that did not exist with the declared fields and indexes, and are empty now. */
  readonly createdTables: ReadonlySet<string>;
  /** @throws StateDamaged when the row cannot be read */
  get(table: string, key: string): Uint8Array | undefined;
  /** Returns the keys of the rows that meet the conditions. All named fields must be fields of the table. */
  find(table: string, query: StateQuery): readonly FoundRow[];
  count(table: string, conditions: StateConditions): number;
  /** Returns the largest key of the table. Undefined when the table is empty. */
  lastKey(table: string): string | undefined;
  /** Returns the keys after `after` in ascending order. */
  keysAfter(table: string, after: string | undefined, limit: number): readonly string[];
  /**
   * Saves all changes or none. `changes` is read in parts, so that other work can run in between. `onSaved` is called
   * with the commit, before any other read.
   */
  save(changes: Iterable<StateChange>, onSaved: () => void): Promise<void>;
  /** Removes the rows of these tables, after the saves that run. */
  clear(tables: readonly string[]): Promise<void>;
}

/**
 * State that is derived from events and saved, so that a start does not replay them. Lost or damaged state is rebuilt
 * from the events.
 */
export interface StateStore {
  /**
   * Creates missing tables, and clears tables whose fields or indexes differ from their declaration. Other consumers may
   * save meanwhile.
   */
  open(consumer: StateConsumer): Promise<SavedState>;
  /** Resolves when every save has ended and the files are closed. */
  close(): Promise<void>;
}

/** Saved state that cannot be read. It is discarded at the next start. */
export class StateDamaged extends Error {
  constructor(place: string, reason: string, options?: ErrorOptions) {
    super(`The saved state ${place} is damaged: ${reason}. Restart Muster: it is rebuilt from the events.`, options);
    this.name = 'StateDamaged';
  }
}
