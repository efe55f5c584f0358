import type { FieldValue, SavedState, StateChange, StateTable } from '@muster/ports';
import type { ChangeSource, FrozenChanges } from './saved-states';
import { decodeValue, encodeValue } from './values';

/** Entries that are not open and stay in memory because they were used last. */
const RESTING_ENTRIES_MAX = 2_000;

export interface EntryKind<Key extends string, Entry extends object, Record> {
  readonly name: string;
  /** Fields by which `keysWhere` finds entries; each has an index. */
  readonly fields: { readonly [field: string]: (entry: Entry) => FieldValue | undefined };
  /** What is saved of an entry. Nothing in it may change afterwards: it is written some time later. */
  toRecord(entry: Entry): Record;
  fromRecord(key: Key, record: Record): Entry;
  /** Whether something may still happen to the entry by itself. Open entries stay in memory, others may leave it. */
  isOpen(entry: Entry): boolean;
  /** The entry left memory. */
  forgotten?(key: Key): void;
}

const OPEN = 'open';

/** The table in which the entries of a kind are saved. */
export const tableOf = <Key extends string, Entry extends object, Record>(
  kind: EntryKind<Key, Entry, Record>,
): StateTable => {
  const fields = [...Object.keys(kind.fields), OPEN];
  return { name: kind.name, fields, indexes: fields.map((field) => [field]) };
};

/**
 * Entries by key, as a map. With a saved state, entries that are not open leave memory once they are saved, and are loaded
 * when they are asked for. A caller that changes an entry reports it with `changed`.
 */
export class KeptEntries<Key extends string, Entry extends object, Record = unknown> implements ChangeSource {
  /** Open entries and those that are not saved yet. */
  private readonly held = new Map<Key, Entry>();
  /** Other entries, the least recently used first. */
  private readonly resting = new Map<Key, Entry>();
  private changedKeys = new Set<Key>();
  private savingKeys = new Set<Key>();
  private saved: SavedState | undefined;

  constructor(private readonly kind: EntryKind<Key, Entry, Record>) {}

  /** Continues on a saved state: loads the open entries. Call it before the first event. */
  attach(saved: SavedState): void {
    this.saved = saved;
    for (const { key } of saved.find(this.kind.name, { where: { [OPEN]: true } })) this.get(key as Key);
  }

  get(key: Key): Entry | undefined {
    return this.held.get(key) ?? this.rested(key) ?? this.loaded(key);
  }

  has(key: Key): boolean {
    return this.get(key) !== undefined;
  }

  set(key: Key, entry: Entry): void {
    this.resting.delete(key);
    this.held.set(key, entry);
    if (this.saved) this.changedKeys.add(key);
  }

  /** The entry, which is in this map, has changed. */
  changed(key: Key): void {
    if (!this.saved) return;
    const entry = this.resting.get(key);
    if (entry) this.set(key, entry);
    else if (this.held.has(key)) this.changedKeys.add(key);
  }

  delete(key: Key): void {
    this.held.delete(key);
    this.resting.delete(key);
    if (this.saved) this.changedKeys.add(key);
  }

  /** The entries in memory that are open or were changed last: all that something may still happen to. */
  open(): IterableIterator<Entry> {
    return this.held.values();
  }

  /** Keys of all entries, in memory or not, whose field has the value; in no order. */
  keysWhere(field: string, value: FieldValue): ReadonlySet<Key> {
    const valueOf = this.kind.fields[field];
    const keys = new Set<Key>();
    if (!this.saved || !valueOf) return keys;
    for (const { key } of this.saved.find(this.kind.name, { where: { [field]: value } })) keys.add(key as Key);
    for (const changes of [this.savingKeys, this.changedKeys])
      for (const key of changes) {
        const entry = this.held.get(key);
        if (entry && valueOf(entry) === value) keys.add(key);
        else keys.delete(key);
      }
    return keys;
  }

  get unsaved(): number {
    return this.changedKeys.size;
  }

  freeze(): FrozenChanges {
    const { kind } = this;
    const frozen = [...this.changedKeys].map((key) => {
      const entry = this.held.get(key);
      return { key, row: entry && { record: kind.toRecord(entry), fields: this.fieldsOf(entry) } };
    });
    this.savingKeys = this.changedKeys;
    this.changedKeys = new Set();
    const changes = function* (): Generator<StateChange> {
      for (const { key, row } of frozen)
        yield {
          table: kind.name,
          key,
          row: row && { key, value: encodeValue(row.record), fields: row.fields },
        };
    };
    return {
      changes: changes(),
      saved: () => this.release(),
      failed: () => {
        for (const key of this.savingKeys) this.changedKeys.add(key);
        this.savingKeys = new Set();
      },
    };
  }

  private fieldsOf(entry: Entry): readonly (FieldValue | undefined)[] {
    return [...Object.values(this.kind.fields).map((valueOf) => valueOf(entry)), this.kind.isOpen(entry)];
  }

  /** Lets the entries rest that were saved and are not open. */
  private release(): void {
    const keys = this.savingKeys;
    this.savingKeys = new Set();
    for (const key of keys) {
      const entry = this.held.get(key);
      if (!entry || this.changedKeys.has(key) || this.kind.isOpen(entry)) continue;
      this.held.delete(key);
      this.rest(key, entry);
    }
  }

  private rested(key: Key): Entry | undefined {
    const entry = this.resting.get(key);
    if (entry) {
      this.resting.delete(key);
      this.resting.set(key, entry);
    }
    return entry;
  }

  private loaded(key: Key): Entry | undefined {
    // An entry without a saved state, or one that was deleted and is still to be deleted there.
    if (!this.saved || this.changedKeys.has(key) || this.savingKeys.has(key)) return undefined;
    const value = this.saved.get(this.kind.name, key);
    if (!value) return undefined;
    const entry = this.kind.fromRecord(key, decodeValue(value) as Record);
    if (this.kind.isOpen(entry)) this.held.set(key, entry);
    else this.rest(key, entry);
    return entry;
  }

  private rest(key: Key, entry: Entry): void {
    this.resting.set(key, entry);
    if (this.resting.size <= RESTING_ENTRIES_MAX) return;
    const [oldest] = this.resting.keys();
    if (oldest === undefined) return;
    this.resting.delete(oldest);
    this.kind.forgotten?.(oldest);
  }
}
