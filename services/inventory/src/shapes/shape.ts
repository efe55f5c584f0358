/** The output of a step does not have the shape of its model. */
export class ShapeError extends Error {
  constructor(
    /** Where: `inventory.disks[3].size_bytes`. */
    readonly path: string,
    expected: string,
    found: unknown,
  ) {
    super(`${path} must be ${expected}, not ${nameOf(found)}`);
    this.name = 'ShapeError';
  }
}

/** Reads one value of a JSON document; throws ShapeError with the place. Unknown fields are dropped. */
export type Shape<Value> = (value: unknown, path: string) => Value;

const MAX_LIST_ENTRIES = 100_000;

/** Half of a character that JSON can write but UTF-8 cannot. */
const LONE_SURROGATE = /\p{Surrogate}/gu;

export const text: Shape<string> = (value, path) => {
  if (typeof value !== 'string') throw new ShapeError(path, 'a text', value);
  return value.replace(LONE_SURROGATE, '\ufffd');
};

export const number: Shape<number> = (value, path) => {
  if (typeof value !== 'number' || !Number.isFinite(value)) throw new ShapeError(path, 'a number', value);
  return value;
};

export const integer: Shape<number> = (value, path) => {
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) throw new ShapeError(path, 'a whole number', value);
  return value;
};

export const flag: Shape<boolean> = (value, path) => {
  if (typeof value !== 'boolean') throw new ShapeError(path, 'true or false', value);
  return value;
};

export const oneOf =
  <Choice extends string>(...choices: readonly Choice[]): Shape<Choice> =>
  (value, path) => {
    const found = choices.find((choice) => choice === value);
    if (found === undefined) throw new ShapeError(path, `one of ${choices.join(', ')}`, value);
    return found;
  };

/** `null` counts as empty: that is how agents written in Go send a list without entries. */
export const list =
  <Entry>(entry: Shape<Entry>, maxEntries = MAX_LIST_ENTRIES): Shape<Entry[]> =>
  (value, path) => {
    if (value === null) return [];
    if (!Array.isArray(value)) throw new ShapeError(path, 'a list', value);
    if (value.length > maxEntries) throw new ShapeError(path, `a list of at most ${maxEntries} entries`, value);
    return value.map((one, index) => entry(one, `${path}[${index}]`));
  };

type Fields = { readonly [name: string]: Shape<unknown> };
type ObjectOf<Given extends Fields> = { -readonly [Name in keyof Given]?: ReturnType<Given[Name]> };

/** Fields that are absent or `null` stay absent. */
export const object =
  <Given extends Fields>(fields: Given): Shape<ObjectOf<Given>> =>
  (value, path) => {
    if (typeof value !== 'object' || value === null || Array.isArray(value))
      throw new ShapeError(path, 'an object', value);
    const result: { [name: string]: unknown } = {};
    for (const [name, shape] of Object.entries(fields)) {
      const field = (value as { readonly [name: string]: unknown })[name];
      if (field !== undefined && field !== null) result[name] = shape(field, `${path}.${name}`);
    }
    return result as ObjectOf<Given>;
  };

function nameOf(value: unknown): string {
  if (value === undefined) return 'absent';
  if (Array.isArray(value)) return `a list of ${value.length} entries`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return JSON.stringify(value).slice(0, 80);
}
