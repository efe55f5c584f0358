import type { JsonObject, JsonValue, ReadModelQuery } from '@muster/ports';

type Value = string | number | boolean;

/** One list per combination of values that is asked for; keys of each in order. */
export type KeyLists = readonly (readonly string[])[];

/** Keys of the documents, in order, by the values of some top-level fields. What no query can ask for is left out. */
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

  /** Follows a document that came (no `before`), changed, or went (no `after`). */
  follow(key: string, before: JsonObject | undefined, after: JsonObject | undefined): void {
    const from = before && this.valuesOf(before);
    const to = after && this.valuesOf(after);
    if (from === to) return;
    if (from !== undefined) this.take(from, key);
    if (to !== undefined) this.insert(to, key);
  }

  /** The documents that meet all conditions; the conditions name exactly the fields of this index. */
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
    // What grows by position, as logs do, grows at the end.
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

/** Text as it is compared with `<`: by its characters, whatever the language. */
export const byText = (left: string, right: string): number => (left < right ? -1 : left > right ? 1 : 0);

/** One value stands for itself; several for the list that they are. */
const combined = (values: readonly Value[]): Value => {
  const [only, ...others] = values;
  return only !== undefined && others.length === 0 ? only : JSON.stringify(values);
};

/** Where the key is, or would have to be. */
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
