import type { Entries, EntryField, EntryKind, EntryShape, MakeEntries } from '@muster/decision';
import type { SavedFold, SavedState, StateChange, StateTable } from '@muster/ports';
import { DUE_KEYS } from './due-keys';
import type { ChangeSource, FrozenChanges, SavedConsumer } from './saved-states';
import { decodeValue, encodeValue } from './values';

/** Maximum number of closed entries of one kind that are cached in memory. */
const RESTING_ENTRIES_MAX = 250;

const OPEN = 'open';

/** Returns the table in which the entries of a kind are saved. */
const tableOf = ({ name, fields }: EntryShape): StateTable => ({
  name,
  fields: [...fields, OPEN],
  indexes: [...fields, OPEN].map((field) => [field]),
});

/** Returns the fold of a service with views and one reactor, both under the name of the service. */
export const viewFold = (name: string, version: number, shapes: readonly EntryShape[]): SavedFold => ({
  name,
  version,
  tables: [...shapes.map(tableOf), DUE_KEYS],
});

/** Entries of the views of one consumer. */
export const keptEntries =
  (consumer: SavedConsumer): MakeEntries =>
  (kind) => {
    const entries = new KeptEntries(kind, consumer.state);
    consumer.add(entries);
    return entries;
  };

type Fields = readonly (EntryField | undefined)[];

/** The saved form of an entry. */
interface Copy<Saved> {
  readonly saved: Saved;
  readonly fields: Fields;
}

/** Keys of entries that are not saved yet, also by the values of their fields. */
class UnsavedKeys<Key extends string> {
  private readonly keys = new Set<Key>();
  /** Keys that were added since the last lookup. Their entries may have changed, so they are not in the index yet. */
  private readonly added = new Set<Key>();
  /** Number of a field → value → keys of the entries that have or had the value. */
  private readonly index = new Map<number, Map<EntryField, Set<Key>>>();

  get size(): number {
    return this.keys.size;
  }

  has(key: Key): boolean {
    return this.keys.has(key);
  }

  add(key: Key): void {
    this.keys.add(key);
    this.added.add(key);
  }

  [Symbol.iterator](): Iterator<Key> {
    return this.keys.values();
  }

  /** Returns the keys of all entries that have the value, and of some that had it. */
  with(field: number, value: EntryField, fieldsOf: (key: Key) => Fields): Iterable<Key> {
    for (const key of this.added) fieldsOf(key).forEach((own, number) => this.note(number, own, key));
    this.added.clear();
    return this.index.get(field)?.get(value) ?? [];
  }

  private note(field: number, value: EntryField | undefined, key: Key): void {
    if (value === undefined) return;
    const values = this.index.get(field) ?? new Map<EntryField, Set<Key>>();
    const keys = values.get(value) ?? new Set();
    this.index.set(field, values.set(value, keys.add(key)));
  }
}

/** Entries that are not open are removed from memory after they were saved. */
export class KeptEntries<Key extends string, Entry extends object, Saved> implements Entries<Key, Entry>, ChangeSource {
  /** Open entries, and entries that are not saved yet. */
  private readonly held = new Map<Key, Entry>();
  /** Cached closed entries, the least recently used first. */
  private readonly resting = new Map<Key, Entry>();
  private changedKeys = new UnsavedKeys<Key>();
  /** Copies of changed entries that have not changed since. */
  private readonly copies = new Map<Key, Copy<Saved>>();
  private savingKeys = new UnsavedKeys<Key>();
  private areOpenLoaded = false;

  constructor(
    private readonly kind: EntryKind<Key, Entry, Saved>,
    private readonly saved: SavedState,
  ) {}

  get(key: Key): Entry | undefined {
    return this.held.get(key) ?? this.rested(key) ?? this.loaded(key);
  }

  peek(key: Key): Entry | undefined {
    return this.held.get(key) ?? this.resting.get(key);
  }

  set(key: Key, entry: Entry): void {
    this.resting.delete(key);
    this.held.set(key, entry);
    this.note(key);
  }

  changed(key: Key): void {
    const entry = this.resting.get(key);
    if (entry) this.set(key, entry);
    else if (this.held.has(key)) this.note(key);
  }

  delete(key: Key): void {
    this.held.delete(key);
    this.resting.delete(key);
    this.note(key);
  }

  inMemory(): Iterable<Entry> {
    if (!this.areOpenLoaded) for (const _ of this.loadOpen());
    return [...this.held.values(), ...this.resting.values()];
  }

  keysWhere(field: string, value: EntryField): ReadonlySet<Key> {
    const number = this.kind.shape.fields.indexOf(field);
    const unsaved = [this.savingKeys, this.changedKeys];
    const fieldsOf = (key: Key): Fields => {
      const entry = this.held.get(key);
      return entry ? this.kind.fieldsOf(entry) : [];
    };
    const keys = new Set<Key>();
    for (const key of this.savedKeys(field, value)) if (!unsaved.some((some) => some.has(key))) keys.add(key);
    for (const some of unsaved)
      for (const key of some.with(number, value, fieldsOf)) if (fieldsOf(key)[number] === value) keys.add(key);
    return keys;
  }

  get unsaved(): number {
    return this.changedKeys.size;
  }

  *loadOpen(): Generator<undefined, void> {
    for (const key of this.savedKeys(OPEN, true)) {
      this.hold(key);
      yield;
    }
    this.areOpenLoaded = true;
  }

  *prepareOpen(): Generator<undefined, void> {
    for (const [key, entry] of this.held) {
      // It is saved again, and then leaves memory.
      if (!this.kind.isOpen(entry, key)) this.changedKeys.add(key);
      else yield* this.kind.prepare?.(entry) ?? [];
      yield;
    }
  }

  *copy(): Generator<undefined, void> {
    for (const key of this.changedKeys) {
      const entry = this.held.get(key);
      if (entry) this.copies.set(key, this.copyOf(entry));
      yield;
    }
  }

  freeze(): FrozenChanges {
    const { kind } = this;
    const closed: Key[] = [];
    const frozen = [...this.changedKeys].map((key) => {
      const entry = this.held.get(key);
      if (!entry) return { key, row: undefined };
      const isOpen = kind.isOpen(entry, key);
      if (!isOpen) closed.push(key);
      return { key, row: this.copies.get(key) ?? this.copyOf(entry), isOpen };
    });
    this.copies.clear();
    this.savingKeys = this.changedKeys;
    this.changedKeys = new UnsavedKeys();
    const changes = function* (): Generator<StateChange> {
      for (const { key, row, isOpen } of frozen) {
        const written = row && {
          key,
          value: encodeValue(kind.compacted?.(row.saved) ?? row.saved),
          fields: [...row.fields, isOpen],
        };
        yield { table: kind.shape.name, key, row: written };
      }
    };
    return {
      changes: changes(),
      saved: () => {
        this.savingKeys = new UnsavedKeys();
      },
      release: () => this.release(closed),
      failed: () => {
        for (const key of this.savingKeys) this.changedKeys.add(key);
        this.savingKeys = new UnsavedKeys();
      },
    };
  }

  private note(key: Key): void {
    this.changedKeys.add(key);
    this.copies.delete(key);
  }

  private copyOf(entry: Entry): Copy<Saved> {
    return { saved: this.kind.toSaved(entry), fields: this.kind.fieldsOf(entry) };
  }

  private savedKeys(field: string, value: EntryField): readonly Key[] {
    const found = this.saved.find(this.kind.shape.name, { where: { [field]: value } });
    // eslint-disable-next-line @typescript-eslint/consistent-type-assertions -- the table has entries of this kind only, each under its key
    return found.map(({ key }) => key as Key);
  }

  /**
   * Moves saved entries to the cache that were closed and have not changed since. They were checked before: whether one is open may
   * depend on an entry that has just left memory.
   */
  private *release(closed: readonly Key[]): Generator<undefined, void> {
    for (const key of closed) {
      const entry = this.held.get(key);
      if (entry && !this.changedKeys.has(key)) {
        this.held.delete(key);
        this.rest(key, entry);
      }
      yield;
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
    // A changed entry without a value was deleted, and the deletion of its row is not saved yet.
    if (this.changedKeys.has(key) || this.savingKeys.has(key)) return undefined;
    const entry = this.readSaved(key);
    if (!entry) return undefined;
    if (this.kind.isOpen(entry, key)) this.held.set(key, entry);
    else this.rest(key, entry);
    return entry;
  }

  /** Keeps an entry that was saved as open. Whether it is open may depend on an entry that is not in memory yet. */
  private hold(key: Key): void {
    if (this.held.has(key) || this.changedKeys.has(key) || this.savingKeys.has(key)) return;
    const entry = this.rested(key) ?? this.readSaved(key);
    if (!entry) return;
    this.resting.delete(key);
    this.held.set(key, entry);
  }

  private readSaved(key: Key): Entry | undefined {
    const value = this.saved.get(this.kind.shape.name, key);
    return value && this.kind.fromSaved(decodeValue<Saved>(value), key);
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
