import { type Static, type TSchema, type TUnsafe, Type } from '@sinclair/typebox';
import { Ajv, type ValidateFunction } from 'ajv';
import addFormats from 'ajv-formats';
import { formatViolation, type PlacedViolation, toViolation } from './violation';

/** A document that matches its schema, or the reasons why it does not. */
export type Parsed<Value> =
  | { readonly kind: 'valid'; readonly value: Value }
  | { readonly kind: 'invalid'; readonly violations: readonly [PlacedViolation, ...PlacedViolation[]] };

export interface ParserOptions {
  /** The name of the document in messages. Empty: paths begin with the name of a member. */
  readonly name: string;
  /** Members that the schema does not name are removed from the document. @default false */
  readonly dropsUnknown?: boolean;
  /** Report every violation instead of only the first. @default false */
  readonly reportsAll?: boolean;
  /** A member that is null counts as absent: the document is checked, and returned, without it. @default false */
  readonly nullIsAbsent?: boolean;
  /** Messages never repeat a value. For documents with secrets. @default false */
  readonly hidesValues?: boolean;
}

export type Parser<Value> = (document: unknown) => Parsed<Value>;

/**
 * Returns a function that checks documents against a schema. The schema is compiled at the first call, which takes
 * milliseconds. With `dropsUnknown`, unknown members are removed from the given document itself.
 * A schema may have the annotation `expected`, for example `expected: 'a MAC address such as 02:00:00:80:12:14'`.
 * Messages then use it instead of the keyword that failed. For values that no keyword describes, `holds` creates a
 * schema from a predicate.
 */
export function createParser<S extends TSchema>(schema: S, options: ParserOptions): Parser<Static<S>> {
  const { name, dropsUnknown = false, reportsAll = false, nullIsAbsent = false, hidesValues = false } = options;
  let validate: ValidateFunction<Static<S>> | undefined;
  return (given) => {
    validate ??= ajvFor(dropsUnknown, reportsAll).compile<Static<S>>(schema);
    const document: unknown = nullIsAbsent ? withoutNulls(given) : given;
    if (validate(document)) return { kind: 'valid', value: document };
    const [first, ...more] = (validate.errors ?? []).map((error) => toViolation(name, document, error, hidesValues));
    return { kind: 'invalid', violations: [first ?? { place: [], path: name, reason: 'is not valid' }, ...more] };
  };
}

/** Like `createParser`, for JSON texts. A text that is not JSON has one violation, which does not repeat the text. */
export function createJsonParser<S extends TSchema>(
  schema: S,
  options: ParserOptions,
): (text: string) => Parsed<Static<S>> {
  const parse = createParser(schema, options);
  return (text) => {
    let document: unknown;
    try {
      document = JSON.parse(text);
    } catch {
      return { kind: 'invalid', violations: [{ place: [], path: options.name, reason: 'must be a JSON document' }] };
    }
    return parse(document);
  };
}

/**
 * A function that returns documents of our own, or of a program that we run, as their schema describes them.
 * It throws an Error that names the document and every violation: such a document is damaged, not a mistake of a user.
 */
export function createReader<S extends TSchema>(schema: S, options: ParserOptions): (document: unknown) => Static<S> {
  const parse = createParser(schema, { ...options, reportsAll: true });
  return (document) => valueOrThrow(parse(document));
}

/** The same for JSON texts. The message never repeats a value, because such texts may hold secrets. */
export function createJsonReader<S extends TSchema>(schema: S, options: ParserOptions): (text: string) => Static<S> {
  const parse = createJsonParser(schema, { hidesValues: true, ...options, reportsAll: true });
  return (text) => valueOrThrow(parse(text));
}

function valueOrThrow<Value>(parsed: Parsed<Value>): Value {
  if (parsed.kind === 'valid') return parsed.value;
  throw new Error(`${parsed.violations.map(formatViolation).join(', ')}.`);
}

/** Returns a guard: whether a value matches the schema. */
export function createGuard<S extends TSchema>(schema: S): (value: unknown) => value is Static<S> {
  let validate: ValidateFunction<Static<S>> | undefined;
  return (value): value is Static<S> => {
    validate ??= createAjv(false, false).compile<Static<S>>(schema);
    return validate(value);
  };
}

/** Returns the document, or undefined when it does not match its schema. */
export const valueOf = <Value>(parsed: Parsed<Value>): Value | undefined =>
  parsed.kind === 'valid' ? parsed.value : undefined;

/**
 * Returns a schema for values that a predicate accepts. `expected` is the text for messages, for example `an IP
 * address`. The parsed value has type unknown. The reader of the document converts it.
 */
export function holds<Value>(predicate: (value: unknown) => value is Value, expected: string): TUnsafe<Value>;
export function holds(predicate: (value: unknown) => boolean, expected: string): TUnsafe<unknown>;
export function holds(predicate: (value: unknown) => boolean, expected: string): TUnsafe<unknown> {
  return Type.Unsafe<unknown>({ [PREDICATE]: predicate, expected });
}

/** A schema for the values of a list. */
export const enumOf = <const Value extends string>(values: readonly Value[]): TUnsafe<Value> =>
  Type.Unsafe<Value>({ type: 'string', enum: [...values] });

const PREDICATE = 'predicate';

function withoutNulls(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutNulls);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(
    Object.entries(value).flatMap(([name, member]: [string, unknown]) =>
      member === null || member === undefined ? [] : [[name, withoutNulls(member)]],
    ),
  );
}

const ajvs = new Map<string, Ajv>();

/** One instance for all schemas: the first schema of an instance takes milliseconds, because it also compiles the schema of schemas. */
function ajvFor(dropsUnknown: boolean, reportsAll: boolean): Ajv {
  const key = `${dropsUnknown} ${reportsAll}`;
  const ajv = ajvs.get(key) ?? createAjv(dropsUnknown, reportsAll);
  ajvs.set(key, ajv);
  return ajv;
}

function createAjv(dropsUnknown: boolean, reportsAll: boolean): Ajv {
  const ajv = new Ajv({
    strict: true,
    // The schemas of this repository use unions of types.
    allowUnionTypes: true,
    allErrors: reportsAll,
    verbose: true,
    // Our schemas are typed. A check of them would compile the schema of schemas first, which takes longer than all of them.
    validateSchema: false,
    removeAdditional: dropsUnknown ? 'all' : false,
  });
  addFormats.default(ajv);
  ajv.addKeyword('expected');
  ajv.addKeyword({
    keyword: PREDICATE,
    validate: (predicate: (value: unknown) => boolean, value: unknown): boolean => predicate(value),
    errors: false,
  });
  return ajv;
}
