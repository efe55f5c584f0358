import { isObject } from '@muster/schema';
import { ArrayMaxSize, IsArray, IsObject, Matches, ValidateBy, ValidateNested } from 'class-validator';
import 'reflect-metadata';
import { ADDRESS_PATTERN, CIDR_PATTERN, KERNEL_ARGUMENT_PATTERN, MAC_PATTERN, TIMESTAMP_PATTERN } from './wire-values';

/** Maximum length of a text field without a limit of its own, in characters. */
export const TEXT_MAX_CHARACTERS = 16_384;
/** Maximum number of entries of a list. */
export const LIST_MAX_ITEMS = 1_000;
export const INT32_MAX = 2_147_483_647;
export const INT32_MIN = -INT32_MAX;

/** Values of absent fields, by request class. */
const fieldDefaults = new WeakMap<object, FieldDefaults>();
const MAY_BE_ABSENT = Symbol('the body may be absent');

type RequestClass = new () => object;

const compose =
  (...decorators: readonly PropertyDecorator[]): PropertyDecorator =>
  (target, property) =>
    decorators.toReversed().forEach((decorate) => decorate(target, property));

/** An IPv4 or IPv6 network. */
export const IsNetwork = (): PropertyDecorator =>
  Matches(CIDR_PATTERN, { message: 'must be a network such as 192.168.0.0/24 or fd00::/64' });

/** An IPv4 or IPv6 address. An empty string clears the address. */
export const IsAddressOrEmpty = (): PropertyDecorator =>
  Matches(ADDRESS_PATTERN, { message: 'must be an IP address such as 192.168.0.1 or fd00::1, or empty' });

export const IsMac = (): PropertyDecorator =>
  Matches(MAC_PATTERN, { message: 'must be a MAC address such as 02:00:00:80:12:14' });

export const IsKernelArgument = (): PropertyDecorator =>
  Matches(KERNEL_ARGUMENT_PATTERN, { message: 'must be kernel arguments. Put values with blanks in double quotes' });

/** A day, which means its start in UTC, or an RFC 3339 time. */
export const IsTimestamp = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isTimestamp',
      validator: {
        validate: (value) =>
          typeof value === 'string' &&
          TIMESTAMP_PATTERN.test(value) &&
          !Number.isNaN(Date.parse(value)) &&
          isDay(value),
      },
    },
    { message: 'must be a day or an RFC 3339 time, such as 2026-01-31 or 2026-01-31T12:00:00Z' },
  );

/** Whether the text begins with a day of the calendar: for JavaScript, 30 February is 2 March. */
function isDay(text: string): boolean {
  const [day = ''] = text.split(/t/i);
  return new Date(day).getUTCDate() === Number(day.slice(-2));
}

/** A document as an object or as its JSON text. */
export const IsObjectOrText = (): PropertyDecorator =>
  ValidateBy(
    {
      name: 'isObjectOrText',
      validator: {
        validate: (value) => typeof value === 'string' || isObject(value),
      },
    },
    { message: 'must be an object or its JSON text' },
  );

/** Returns a decorator that declares something for a field, and a function that returns it for a class and its base classes. */
function declaredPerField<Declared>() {
  const byPrototype = new WeakMap<object, Map<PropertyKey, Declared>>();
  const declare =
    (declared: Declared): PropertyDecorator =>
    (prototype, field) => {
      const fields = byPrototype.get(prototype) ?? new Map<PropertyKey, Declared>();
      byPrototype.set(prototype, fields.set(field, declared));
    };
  const find = (type: RequestClass, field: string): Declared | undefined => {
    const declaring = ancestry(type.prototype).find((prototype) => byPrototype.get(prototype)?.has(field));
    return declaring && byPrototype.get(declaring)?.get(field);
  };
  return [declare, find] as const;
}

const [nests, findNested] = declaredPerField<() => RequestClass>();

/** An object with the fields of a request class. */
export const Nested = (type: () => RequestClass): PropertyDecorator =>
  compose(ValidateNested(), IsObject(), nests(type));

/** A list of objects with the fields of a request class. */
export const NestedList = (type: () => RequestClass, itemsMax = LIST_MAX_ITEMS): PropertyDecorator =>
  compose(ValidateNested({ each: true }), IsObject({ each: true }), ArrayMaxSize(itemsMax), IsArray(), nests(type));

/** Returns the class of a field's objects. Undefined when the field is not declared with `Nested` or `NestedList`. */
export const nestedTypeOf = (type: RequestClass, field: string): RequestClass | undefined =>
  findNested(type, field)?.();

export interface FieldDefaults {
  readonly [field: string]: string | number | boolean;
}

/** Sets the values of absent fields. The API document contains them. */
export const Defaults =
  (defaults: FieldDefaults): ClassDecorator =>
  (type) =>
    void fieldDefaults.set(type, { ...defaultsOf(type), ...defaults });

/** Returns the values of absent fields, including those of base classes. */
export const defaultsOf = (type: object): FieldDefaults =>
  ancestry(type)
    .map((one) => fieldDefaults.get(one))
    .find((defaults) => defaults !== undefined) ?? {};

const closedQueries = new WeakSet<object>();

/** A query that has other parameters is refused: with a misspelled filter, it would return everything. For the Muster API only. */
export const RefusesOtherParameters = (): ClassDecorator => (type) => void closedQueries.add(type);

export const refusesOtherParameters = (type: object): boolean => closedQueries.has(type);

/** The object and its prototypes, the nearest first. */
function ancestry(object: object): readonly object[] {
  const parent: object | null = Object.getPrototypeOf(object);
  return parent ? [object, ...ancestry(parent)] : [object];
}

/** Declares that a request may be sent without a body. */
export const MayBeAbsent = (): ClassDecorator => Reflect.metadata(MAY_BE_ABSENT, true);
export const mayBeAbsent = (type: object): boolean => Reflect.getMetadata(MAY_BE_ABSENT, type) === true;

/** Values that clients send for true in a query or a header. Every other value is false. */
const TRUE_TEXTS = new Set(['true', '1', 'yes', 'ok', 'y', 'on', 'selected', 'checked', 't', 'enabled']);

/** Returns whether a value of a query or a header means true. */
export const isTrueText = (value: unknown): boolean => TRUE_TEXTS.has(String(last(value)).toLowerCase());

const last = (value: unknown): unknown => (Array.isArray(value) ? value.at(-1) : value);

/** `conversionOf` returns the conversion of a field's value in a query. Undefined when the value is used as it is. */
const [convert, conversionOf] = declaredPerField<(value: unknown) => unknown>();
export { conversionOf };

/** Uses the last value of a repeated parameter. An empty value counts as absent. */
export const LastValue = (): PropertyDecorator => convert(lastValue);
const lastValue = (value: unknown): unknown => last(value) || undefined;

/** Like `LastValue`, for a MAC address. iPXE writes `${net0/mac:hexhyp}` with hyphens. */
export const LastMac = (): PropertyDecorator =>
  convert((value) => {
    const given = lastValue(value);
    return typeof given === 'string' ? given.replaceAll('-', ':') : given;
  });

export const ToBoolean = (): PropertyDecorator => convert(isTrueText);

/** Does not convert a value that is not a whole number, so that `IsInt` refuses it. */
export const ToInteger = (): PropertyDecorator =>
  convert((value) => {
    const given = lastValue(value);
    return /^-?\d{1,15}$/.test(String(given)) ? Number(given) : given;
  });

/** A list of a query: comma-separated values, a repeated parameter, or both. */
export const ToList = (): PropertyDecorator =>
  convert((value) =>
    (Array.isArray(value) ? value : [value])
      .flatMap((item) => String(item).split(','))
      .map((item) => item.trim())
      .filter((item) => item !== ''),
  );
