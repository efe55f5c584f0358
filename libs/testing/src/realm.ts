/**
 * Returns a copy whose arrays, objects, maps and sets have the constructors of this realm. jest runs specs in a realm of their
 * own, and `deserialize` of node:v8 returns values of another one, which comparisons by constructor treat as different.
 */
export function inThisRealm(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value;
  const kind = Object.prototype.toString.call(value);
  if (isIterable(value)) {
    if (kind === '[object Array]') return Array.from(value, inThisRealm);
    if (kind === '[object Set]') return new Set(Array.from(value, inThisRealm));
    if (kind === '[object Map]') return new Map(Array.from(value, entryInThisRealm));
  }
  if (kind !== '[object Object]') return value;
  return Object.fromEntries(Object.entries(value).map(([name, member]) => [name, inThisRealm(member)]));
}

const isIterable = (value: object): value is Iterable<unknown> => Symbol.iterator in value;

function entryInThisRealm(entry: unknown): [unknown, unknown] {
  const [key, value] = Array.isArray(entry) ? entry : [];
  return [inThisRealm(key), inThisRealm(value)];
}
