/** The members of a value of unknown shape, by name. */
export interface Members {
  readonly [name: string]: unknown;
}

/** Whether the value is an object with members: not null, not a list. */
export const isObject = (value: unknown): value is Members =>
  typeof value === 'object' && value !== null && !Array.isArray(value);

/** The value that the member names lead to; undefined when one of them is absent or a value on the way is not an object. */
export const memberAt = (value: unknown, ...names: readonly string[]): unknown =>
  names.reduce<unknown>((at, name) => (isObject(at) && Object.hasOwn(at, name) ? at[name] : undefined), value);

/** The string that the member names lead to; undefined for everything that is no string. */
export function textAt(value: unknown, ...names: readonly string[]): string | undefined {
  const found = memberAt(value, ...names);
  return typeof found === 'string' ? found : undefined;
}

/** The object that the member names lead to; empty for everything that is not an object. */
export function objectAt(value: unknown, ...names: readonly string[]): Members {
  const found = memberAt(value, ...names);
  return isObject(found) ? found : {};
}

/** The list that the member names lead to; empty for everything that is not a list. */
export function listAt(value: unknown, ...names: readonly string[]): readonly unknown[] {
  const found = memberAt(value, ...names);
  return Array.isArray(found) ? found : [];
}

/** Whether the value is one of the listed ones. */
export const isOneOf = <const Value>(values: readonly Value[], value: unknown): value is Value =>
  values.some((one) => one === value);

/** Whether the name is one of the object's own members. */
export const isKeyOf = <Object extends object>(object: Object, name: PropertyKey): name is keyof Object =>
  Object.hasOwn(object, name);

/** The names of the object's own members, typed. */
export const keysOf = <Object extends object>(object: Object): readonly Extract<keyof Object, string>[] =>
  Object.keys(object).filter((name): name is Extract<keyof Object, string> => isKeyOf(object, name));

/** An object with one member per key. */
export function recordOf<Key extends string, Value>(
  keys: readonly Key[],
  toValue: (key: Key) => Value,
): Record<Key, Value> {
  const record: Partial<Record<Key, Value>> = {};
  for (const key of keys) record[key] = toValue(key);
  if (!hasAll(record, keys)) throw new Error('An object cannot have the member __proto__.');
  return record;
}

const hasAll = <Key extends string, Value>(
  record: Partial<Record<Key, Value>>,
  keys: readonly Key[],
): record is Record<Key, Value> => keys.every((key) => Object.hasOwn(record, key));

/** The members of the object whose names are selected. */
export function selectMembers<Object extends object>(
  object: Object,
  isSelected: (name: Extract<keyof Object, string>) => boolean,
): Partial<Object> {
  const selected: Partial<Object> = {};
  for (const name of keysOf(object)) if (isSelected(name)) selected[name] = object[name];
  return selected;
}

/** The members of the object that are not undefined. */
export const onlyPresent = <Object extends object>(object: Object): Partial<Object> =>
  selectMembers(object, (name) => object[name] !== undefined);

/** The number of values in a value at any depth, itself included. Reads at most `max` of them and returns `max` + 1 when there are more. */
export function countValues(value: unknown, max: number): number {
  const waiting: unknown[] = [value];
  let count = 0;
  for (; waiting.length > 0 && count <= max; count += 1) {
    const one = waiting.pop();
    if (typeof one === 'object' && one !== null) for (const member of Object.values(one)) waiting.push(member);
  }
  return count;
}

/** The value of a JSON text; undefined when the text is not JSON. */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** The host name or address as URLs contain it: an IPv6 address in brackets. */
export const urlHost = (host: string): string => (host.includes(':') ? `[${host}]` : host);

/** The message of what was thrown, also of an error of another realm. */
export function errorMessage(error: unknown): string {
  const message = isObject(error) ? error['message'] : undefined;
  return typeof message === 'string' ? message : String(error);
}

/** The message of the error of a JSON parser, without the part of the text that V8 repeats. That part may be secret. */
export const jsonFault = (error: unknown): string =>
  errorMessage(error).replace(/, (?:\.\.\.)?".*"(?:\.\.\.)? is not valid JSON$/s, '');

/** The code of an error of Node or of a driver, such as ENOENT; undefined when it has none. */
export function errorCode(error: unknown): string | undefined {
  const code = isObject(error) ? error['code'] : undefined;
  return typeof code === 'string' ? code : undefined;
}
