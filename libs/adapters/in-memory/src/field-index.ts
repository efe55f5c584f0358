import type { JsonObject, JsonValue } from '@muster/ports';

/** Keys of the documents that have a value in one top-level field. Values that no query can ask for are left out. */
export class FieldIndex {
  private readonly keysByValue = new Map<string | number | boolean, Set<string>>();

  constructor(
    private readonly field: string,
    documents: ReadonlyMap<string, JsonObject>,
  ) {
    for (const [key, document] of documents) this.add(key, document);
  }

  add(key: string, document: JsonObject): void {
    const value = document[this.field];
    if (!isIndexable(value)) return;
    const keys = this.keysByValue.get(value);
    if (keys === undefined) this.keysByValue.set(value, new Set([key]));
    else keys.add(key);
  }

  remove(key: string, document: JsonObject): void {
    const value = document[this.field];
    if (!isIndexable(value)) return;
    const keys = this.keysByValue.get(value);
    keys?.delete(key);
    if (keys?.size === 0) this.keysByValue.delete(value);
  }

  keysOf(value: string | number | boolean): ReadonlySet<string> | undefined {
    return this.keysByValue.get(value);
  }
}

const isIndexable = (value: JsonValue | undefined): value is string | number | boolean =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
