/** Longer texts are not kept. Texts may come from users. */
const TEXT_CHARACTERS_MAX = 64;

/**
 * Returns the function with its results kept by text. For functions that depend on the text only, are called often, and mostly with the
 * same texts: versions, networks. Other arguments must follow from the text. All results are removed when there are more than `textsMax`.
 */
export function keptByText<Result, Others extends readonly unknown[] = []>(
  compute: (text: string, ...others: Others) => Result,
  textsMax: number,
  textCharactersMax = TEXT_CHARACTERS_MAX,
): (text: string, ...others: Others) => Result {
  const kept = new Map<string, { readonly result: Result }>();
  return (text, ...others) => {
    const known = kept.get(text);
    if (known) return known.result;
    const result = compute(text, ...others);
    if (text.length > textCharactersMax) return result;
    if (kept.size >= textsMax) kept.clear();
    kept.set(text, { result });
    return result;
  };
}

/** Values of objects, as in a `WeakMap`. */
export interface HiddenProperty<Value> {
  get(object: object): Value | undefined;
  /** Has no effect on a frozen object. */
  set(object: object, value: Value | undefined): void;
}

/**
 * Returns values that objects carry in a property of their own. The property has a symbol as name and is not enumerable: copies, JSON,
 * comparisons and saved states do not contain it, and classes do not inherit it. For values of many objects: V8 visits the entries of
 * each `WeakMap` in the pause that ends a collection of the whole heap, and 150,000 entries took 100 ms. Not for copies that were made
 * with spread syntax and are read often: V8 gives each of them a hidden class of its own, and then finds all of its members slowly.
 */
export function hiddenProperty<Value>(): HiddenProperty<Value> {
  const name: unique symbol = Symbol('hidden');
  return {
    get: (object: { readonly [name]?: Value }) => (Object.hasOwn(object, name) ? object[name] : undefined),
    set: (object, value) => void Reflect.defineProperty(object, name, { value, writable: true }),
  };
}

/**
 * Returns the function with its last result kept by the object that is its first argument, as long as that object lives. Computes
 * again when another argument differs. For functions of objects that are never changed.
 */
export function keptByObject<Key extends object, Others extends readonly unknown[], Result>(
  compute: (key: Key, ...others: Others) => Result,
): (key: Key, ...others: Others) => Result {
  const kept = hiddenProperty<{ readonly others: Others; readonly result: Result }>();
  return (key, ...others) => {
    const known = kept.get(key);
    if (known?.others.every((other, index) => other === others[index])) return known.result;
    const result = compute(key, ...others);
    kept.set(key, { others, result });
    return result;
  };
}
