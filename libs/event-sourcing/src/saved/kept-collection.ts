import {
  byText,
  compareFields,
  type FieldValue,
  type FoundRow,
  type JsonObject,
  type ReadModelConditions,
  type ReadModelDocument,
  type ReadModelQuery,
  type SavedState,
  type StateChange,
  type StateQuery,
  type StateTable,
} from '@muster/ports';
import { BoundedMap } from '../bounded-map';
import type { FrozenChanges } from './saved-states';
import { conditionsOf, decodeDocument, encodeDocument, fieldOf, isWanted, meets, valuesOf, type Where } from './values';

type Fields = readonly (FieldValue | undefined)[];

/** A document that is not saved yet. Without `document`: a removal that is not saved yet. */
interface UnsavedDocument {
  readonly document: JsonObject | undefined;
  /** Fields of the row that this change replaces; undefined when there is none. */
  readonly before: Fields | undefined;
  /** The document was read by its key, so it is cached after it was saved. */
  isRead: boolean;
}

type Keys = Pick<ReadonlyMap<string, unknown>, 'size' | 'keys'>;

/** The unsaved documents of one collection by key, and by those fields that queries use. */
class UnsavedDocuments {
  private readonly changes = new Map<string, UnsavedDocument>();
  /** Field → value → keys of the changes that have the value or replace it. Keys are only added. */
  private readonly indexes = new Map<string, Map<FieldValue, Set<string>>>();

  constructor(private readonly fields: readonly string[]) {}

  get size(): number {
    return this.changes.size;
  }

  get(key: string): UnsavedDocument | undefined {
    return this.changes.get(key);
  }

  has(key: string): boolean {
    return this.changes.has(key);
  }

  set(key: string, change: UnsavedDocument): void {
    this.changes.set(key, change);
    for (const [field, index] of this.indexes) this.note(index, field, key, change);
  }

  [Symbol.iterator](): Iterator<[string, UnsavedDocument]> {
    return this.changes.entries();
  }

  /** Returns the keys of all changes of documents that meet the conditions or met them before, and of some others. */
  keysFor(where: Where): ReadonlySet<string> {
    let fewest: readonly Keys[] = [this.changes];
    for (const [field, wanted] of Object.entries(where)) {
      const index = this.indexOf(field);
      const sets = valuesOf(wanted).flatMap((value) => index.get(value) ?? []);
      if (sizeOf(sets) < sizeOf(fewest)) fewest = sets;
    }
    return new Set(fewest.flatMap((keys) => [...keys.keys()]));
  }

  private indexOf(field: string): ReadonlyMap<FieldValue, ReadonlySet<string>> {
    const known = this.indexes.get(field);
    if (known) return known;
    const index = new Map<FieldValue, Set<string>>();
    this.indexes.set(field, index);
    for (const [key, change] of this.changes) this.note(index, field, key, change);
    return index;
  }

  private note(
    index: Map<FieldValue, Set<string>>,
    field: string,
    key: string,
    { document, before }: UnsavedDocument,
  ): void {
    for (const value of [document && fieldOf(document, field), before?.[this.fields.indexOf(field)]]) {
      if (value === undefined) continue;
      const keys = index.get(value);
      if (keys) keys.add(key);
      else index.set(value, new Set([key]));
    }
  }
}

/** Maximum number of documents and queries in the kept results of one collection. */
const FOUND_MAX = 4_000;

/** The documents of one collection. Documents that are not saved yet take precedence over saved ones. Documents are shared and must not be changed. */
export class KeptCollection {
  private pending: UnsavedDocuments;
  private saving: UnsavedDocuments;
  private lastSavedKey: string;
  /** Results by query. A change of the collection removes them. */
  private found = new BoundedMap<string, readonly ReadModelDocument<JsonObject>[]>(FOUND_MAX);

  constructor(
    readonly table: StateTable,
    private readonly saved: SavedState,
    private readonly cache: BoundedMap<string, JsonObject>,
  ) {
    this.lastSavedKey = saved.lastKey(table.name) ?? '';
    this.pending = new UnsavedDocuments(table.fields);
    this.saving = new UnsavedDocuments(table.fields);
  }

  get unsaved(): number {
    return this.pending.size;
  }

  get(key: string): JsonObject | undefined {
    const unsaved = this.pending.get(key) ?? this.saving.get(key);
    if (unsaved) {
      unsaved.isRead = true;
      return unsaved.document;
    }
    return this.savedDocument(key);
  }

  put = (key: string, document: JsonObject | undefined): void => this.putting(key, document)();

  /** Reads what the change replaces. Returns the change, which does not read and thus cannot fail. */
  putting(key: string, document: JsonObject | undefined): () => void {
    const replaced = this.pending.get(key) ?? this.replacedBy(key);
    return () => {
      if (this.found.size > 0) this.found = new BoundedMap(FOUND_MAX);
      const { before, isRead } = this.pending.get(key) ?? replaced;
      const isAbsent = !document && !before && !this.saving.has(key) && !this.pending.has(key);
      if (!isAbsent) this.pending.set(key, { document, before, isRead });
      this.cache.delete(key);
    };
  }

  /** Returns the documents that meet the conditions, in order, from `offset` on. */
  find(query: ReadModelQuery, limit: number): readonly ReadModelDocument<JsonObject>[] {
    const { where, orderBy, after, offset } = query;
    const name = JSON.stringify([Object.entries(where), orderBy, after, offset, limit]);
    const known = this.found.get(name);
    if (known) return known;
    const found = this.findKeys(query, limit).flatMap((key) => {
      const document = this.get(key);
      return document ? [{ key, document }] : [];
    });
    this.found.set(name, found, found.length + 1);
    return found;
  }

  private findKeys({ where, orderBy, after, offset = 0 }: ReadModelQuery, limit: number): readonly string[] {
    const field = orderBy?.field;
    const sign = orderBy?.descending === true ? -1 : 1;
    this.requireDeclared([...Object.keys(where), ...(field === undefined ? [] : [field])]);
    const unsaved = new Set([...this.saving.keysFor(where), ...this.pending.keysFor(where)]);
    const order = { ...(field !== undefined && { field }), descending: orderBy?.descending === true };
    const rows = (range: Pick<StateQuery, 'offset' | 'limit'>): readonly FoundRow[] =>
      this.saved.find(this.table.name, { where: conditionsOf(where), orderBy: order, after, ...range });
    if (unsaved.size === 0) return rows({ offset, limit }).map(({ key }) => key);
    const compare = (left: FoundRow, right: FoundRow): number =>
      field === undefined
        ? sign * byText(left.key, right.key)
        : sign * compareFields(left.order, right.order) || byText(left.key, right.key);
    const { added, replaced } = this.placesOf(unsaved, { where, after, field });
    // The rows of earlier pages are not read, except for as many as there are unsaved documents, which may precede them.
    const skipped = Math.max(0, offset - added.length);
    const wanted = offset - skipped + limit;
    for (let size = wanted; ; size *= 2) {
      const found = rows({ offset: skipped, limit: size });
      const [first] = found;
      if (!first && skipped > 0) return [];
      const passed = first && skipped > 0 ? replaced.filter((row) => compare(row, first) < 0).length : 0;
      const others = found.filter(({ key }) => !unsaved.has(key));
      // Most unsaved documents of a log have no row yet, so the first query is enough.
      if (others.length < wanted + passed && found.length === size) continue;
      const begin = offset - skipped + passed;
      const merged = [...others, ...added].sort(compare);
      return merged.slice(begin, begin + limit).map(({ key }) => key);
    }
  }

  /** Returns the unsaved documents that a query finds, and the rows that it would find without them. */
  private placesOf(
    unsaved: ReadonlySet<string>,
    { where, after, field }: Pick<ReadModelQuery, 'where' | 'after'> & { readonly field: string | undefined },
  ): { readonly added: readonly FoundRow[]; readonly replaced: readonly FoundRow[] } {
    const [added, replaced]: [FoundRow[], FoundRow[]] = [[], []];
    const number = field === undefined ? -1 : this.table.fields.indexOf(field);
    for (const key of unsaved) {
      if (after !== undefined && byText(key, after) <= 0) continue;
      const [pending, saving] = [this.pending.get(key), this.saving.get(key)];
      const document = (pending ?? saving)?.document;
      const row = (saving ?? pending)?.before;
      if (document && meets(document, where))
        added.push({ key, order: field === undefined ? undefined : fieldOf(document, field) });
      if (row && this.fieldsMeet(row, where)) replaced.push({ key, order: row[number] });
    }
    return { added, replaced };
  }

  count({ where }: ReadModelConditions): number {
    this.requireDeclared(Object.keys(where));
    let count = this.saved.count(this.table.name, { where: conditionsOf(where) });
    for (const layer of [this.saving, this.pending])
      for (const key of layer.keysFor(where)) {
        const { document, before } = layer.get(key) ?? {};
        if (before && this.fieldsMeet(before, where)) count -= 1;
        if (document && meets(document, where)) count += 1;
      }
    return count;
  }

  freeze(): FrozenChanges {
    const { table } = this;
    const saving = this.pending;
    const sizes = new Map<string, number>();
    let last = this.lastSavedKey;
    this.saving = saving;
    this.pending = new UnsavedDocuments(table.fields);
    const fieldsOf = (document: JsonObject): Fields => this.fieldsOf(document);
    const changes = function* (): Generator<StateChange> {
      for (const [key, { document }] of saving) {
        const value = document && encodeDocument(document);
        if (value) sizes.set(key, value.byteLength);
        if (key > last) last = key;
        yield { table: table.name, key, row: value && { key, value, fields: fieldsOf(document) } };
      }
    };
    return {
      changes: changes(),
      saved: () => {
        this.saving = new UnsavedDocuments(table.fields);
        this.lastSavedKey = last;
      },
      release: () => this.release(saving, sizes),
      failed: () => {
        this.saving = new UnsavedDocuments(table.fields);
        for (const [key, change] of saving) {
          const later = this.pending.get(key);
          this.pending.set(key, later ? { ...later, before: change.before } : change);
        }
      },
    };
  }

  /** Caches the documents that were read. Those that changed again are cached after their next save. */
  private *release(saved: UnsavedDocuments, sizes: ReadonlyMap<string, number>): Generator<undefined, void> {
    for (const [key, { document, isRead }] of saved) {
      if (isRead && document && !this.pending.has(key)) this.cache.set(key, document, sizes.get(key) ?? 0);
      yield;
    }
  }

  private savedDocument(key: string): JsonObject | undefined {
    const cached = this.cache.get(key);
    // Keys of logs only increase, so most missing documents have a key above the last one.
    if (cached || key > this.lastSavedKey) return cached;
    const value = this.saved.get(this.table.name, key);
    if (!value) return undefined;
    const document = decodeDocument(value);
    this.cache.set(key, document, value.byteLength);
    return document;
  }

  private replacedBy(key: string): Pick<UnsavedDocument, 'before' | 'isRead'> {
    const saving = this.saving.get(key);
    if (saving) return { before: saving.document && this.fieldsOf(saving.document), isRead: saving.isRead };
    const isRead = this.cache.has(key);
    const document = this.savedDocument(key);
    return { before: document && this.fieldsOf(document), isRead };
  }

  /** A query by another field would have to read every document of the collection. */
  private requireDeclared(fields: readonly string[]): void {
    const { name, fields: declared } = this.table;
    const missing = fields.find((field) => !declared.includes(field));
    if (missing !== undefined)
      throw new Error(
        `The field ${missing} of the collection ${name} has no index. Add it to the fields of its table.`,
      );
  }

  private fieldsOf(document: JsonObject): Fields {
    return this.table.fields.map((field) => fieldOf(document, field));
  }

  private fieldsMeet(values: Fields, where: Where): boolean {
    return Object.entries(where).every(([field, wanted]) => isWanted(values[this.table.fields.indexOf(field)], wanted));
  }
}

const sizeOf = (sets: readonly Keys[]): number => sets.reduce((sum, { size }) => sum + size, 0);
