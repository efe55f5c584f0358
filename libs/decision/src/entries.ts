/** The value of a field by which entries can be found. */
export type EntryField = string | number | boolean;

/** The kind of entries of a map: how they are saved and loaded. */
export interface EntryKind<Key extends string, Entry extends object, Saved> {
  readonly shape: EntryShape;
  /** In the order of the fields of the shape. */
  fieldsOf(entry: Entry): readonly (EntryField | undefined)[];
  /** Returns the saved form of an entry. It must not change afterwards, because it is written later. */
  toSaved(entry: Entry): Saved;
  /** Returns a smaller saved form. Called when the entry is written, which takes place over several turns. @default the same form */
  compacted?(saved: Saved): Saved;
  fromSaved(saved: Saved, key: Key): Entry;
  /**
   * Returns whether the entry, or one that needs it, may change without a new event. Open entries stay in memory, others may be removed
   * from it.
   */
  isOpen(entry: Entry, key: Key): boolean;
  /**
   * Computes after a start what an open entry needs of other entries. Each step is short, and a next one may follow in a later turn of
   * the event loop. No event is observed in between.
   */
  prepare?(entry: Entry): Iterable<undefined>;
  /** Called when the entry was removed from memory. */
  forgotten?(key: Key): void;
}

export interface EntryShape {
  /** Lower-case letters and underscores; unique in its view. */
  readonly name: string;
  /** Fields by which entries can be found. */
  readonly fields: readonly string[];
}

/** The entries of a view by key. Saved entries are loaded on demand. */
export interface Entries<Key extends string, Entry extends object> {
  get(key: Key): Entry | undefined;
  /** Returns the entry when it is in memory. */
  peek(key: Key): Entry | undefined;
  set(key: Key, entry: Entry): void;
  /** Must be called when the members of an entry of this map have changed. */
  changed(key: Key): void;
  delete(key: Key): void;
  /** Returns the entries in memory: all open ones and some others. */
  inMemory(): Iterable<Entry>;
  /** Returns the keys of all entries whose field has the value, in no particular order. */
  keysWhere(field: string, value: EntryField): Iterable<Key>;
}

/** Creates the map in which a view keeps the entries of a kind. */
export type MakeEntries = <Key extends string, Entry extends object, Saved>(
  kind: EntryKind<Key, Entry, Saved>,
) => Entries<Key, Entry>;

/** Creates maps in memory whose entries are not saved. */
export const entriesInMemory: MakeEntries = <Key extends string, Entry extends object, Saved>({
  shape,
  fieldsOf,
}: EntryKind<Key, Entry, Saved>): Entries<Key, Entry> => {
  const entries = new Map<Key, Entry>();
  return {
    get: (key) => entries.get(key),
    peek: (key) => entries.get(key),
    set: (key, entry) => void entries.set(key, entry),
    changed: () => undefined,
    delete: (key) => void entries.delete(key),
    inMemory: () => entries.values(),
    keysWhere: (field, value) => {
      const index = shape.fields.indexOf(field);
      return [...entries].flatMap(([key, entry]) => (fieldsOf(entry)[index] === value ? [key] : []));
    },
  };
};
