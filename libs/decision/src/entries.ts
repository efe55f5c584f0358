/** The value of a field by which entries are found. */
export type EntryField = string | number | boolean;

/** How entries of one kind are saved and loaded. */
export interface EntryKind<Key extends string, Entry extends object, Saved> {
  readonly shape: EntryShape;
  /** In the order of the fields of the shape. */
  fieldsOf(entry: Entry): readonly (EntryField | undefined)[];
  /** What is saved of an entry. Nothing in it may change afterwards: it is written some time later. */
  toSaved(entry: Entry): Saved;
  fromSaved(saved: Saved, key: Key): Entry;
  /** Whether something may still happen to the entry by itself. Open entries stay in memory, others may leave it. */
  isOpen(entry: Entry, key: Key): boolean;
  /** The entry left memory. */
  forgotten?(key: Key): void;
}

export interface EntryShape {
  /** Lower-case letters and underscores; unique in its view. */
  readonly name: string;
  /** Fields by which entries are found. */
  readonly fields: readonly string[];
}

/** The entries of a view by key. Those that are saved are loaded when they are asked for. */
export interface Entries<Key extends string, Entry extends object> {
  get(key: Key): Entry | undefined;
  set(key: Key, entry: Entry): void;
  /** The members of an entry of this map have changed. */
  changed(key: Key): void;
  delete(key: Key): void;
  /** Entries in memory: all open ones and some others. */
  inMemory(): Iterable<Entry>;
  /** Keys of all entries whose field has the value; in no order. */
  keysWhere(field: string, value: EntryField): Iterable<Key>;
}

/** Makes the map in which a view keeps the entries of a kind. */
export type MakeEntries = <Key extends string, Entry extends object, Saved>(
  kind: EntryKind<Key, Entry, Saved>,
) => Entries<Key, Entry>;

/** Entries that end with the process. */
export const entriesInMemory: MakeEntries = <Key extends string, Entry extends object, Saved>({
  shape,
  fieldsOf,
}: EntryKind<Key, Entry, Saved>): Entries<Key, Entry> => {
  const entries = new Map<Key, Entry>();
  return {
    get: (key) => entries.get(key),
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
