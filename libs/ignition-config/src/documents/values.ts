import { parseCidr, parseIp } from '@muster/addresses';
import { countValues, holds } from '@muster/schema';
import { type TSchema, Type } from '@sinclair/typebox';

/**
 * Maximum number of values in a JSON document of a user, far more than such documents have. It is read and merged whenever a host or a
 * user asks for the result.
 */
export const DOCUMENT_VALUES_MAX = 20_000;

/** Returns why a document has too many values, as the end of a sentence, or undefined. */
export const extentFault = (document: unknown): string | undefined =>
  countValues(document, DOCUMENT_VALUES_MAX) > DOCUMENT_VALUES_MAX
    ? `it has more than ${DOCUMENT_VALUES_MAX} values. Shorten its lists.`
    : undefined;

const MAC = /^[0-9a-f]{2}(?:[:-][0-9a-f]{2}){5}$/i;
const INFINIBAND_MAC = /^[0-9a-f]{2}(?:[:-][0-9a-f]{2}){19}$/i;
/** Names of interfaces that the kernel accepts. */
const INTERFACE_NAME = /^[^\s/:]{1,15}$/;
const TRUE_WORDS: readonly string[] = ['true', 'yes', 'on', 'y', '1'];
const FLAG_WORDS: readonly string[] = [...TRUE_WORDS, 'false', 'no', 'off', 'n', '0'];

/** Returns whether a value means true in a network document, which accepts texts such as "yes" in upper and lower case. */
export const isTrue = (value: unknown): boolean => TRUE_WORDS.includes(scalarText(value).toLowerCase());

/** Returns the text of a scalar value. Empty for lists and mappings. */
export const scalarText = (value: unknown): string =>
  typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean' ? String(value) : '';

/** Returns a whole number, which may be a text in decimal or hexadecimal form, such as `0x8001`. */
export function toInteger(value: unknown): number | undefined {
  if (typeof value === 'number') return Number.isInteger(value) ? value : undefined;
  if (typeof value !== 'string' || !/^(?:-?\d{1,15}|0x[0-9a-f]{1,12})$/i.test(value)) return undefined;
  return Number(value);
}

/** A schema for texts that `isRight` accepts. */
export const string = (isRight: (text: string) => boolean, expected: string) =>
  holds((value) => typeof value === 'string' && isRight(value), expected);

export const anything = Type.Unknown();
export const text = string(() => true, 'a text');
/** Read as a text. */
export const scalar = holds((value) => typeof value === 'string' || typeof value === 'number', 'a text');
export const flag = holds((value) => FLAG_WORDS.includes(scalarText(value).toLowerCase()), 'true or false');
export const interfaceName = holds(
  (value) => typeof value === 'string' && INTERFACE_NAME.test(value) && value !== '.' && value !== '..',
  'the name of an interface: 1 to 15 characters without blank, slash or colon',
);
export const macAddress = string(
  (value) => MAC.test(value) || INFINIBAND_MAC.test(value),
  'a MAC address such as 02:00:00:80:12:14',
);
export const ipAddress = string((value) => parseIp(value) !== undefined, 'an IP address');
export const ipv4Address = string((value) => parseIp(value)?.family === 4, 'an IPv4 address');
export const ipv6Address = string((value) => parseIp(value)?.family === 6, 'an IPv6 address');
export const network = string(
  (value) => parseCidr(value) !== undefined,
  'a network such as 192.168.0.0/24 or fd00::/64',
);
const isRange = (value: string): boolean => (parseCidr(value) ?? parseIp(value)) !== undefined;
const RANGE_EXPECTED = 'a network such as 192.168.0.0/24 or fd00::/64, or an IP address';
export const networkOrAddress = string(isRange, RANGE_EXPECTED);
/** A network, an IP address or an empty text. */
export const optionalRange = string((value) => value === '' || isRange(value), RANGE_EXPECTED);

export const integer = (from: number, to: number) =>
  holds((value) => {
    const number = toInteger(value);
    return number !== undefined && number >= from && number <= to;
  }, `a whole number from ${from} to ${to}`);

export const oneOf = (words: readonly (string | number)[]) =>
  holds((value) => words.some((word) => String(word) === scalarText(value)), `one of ${words.join(', ')}`);

export const uint16 = integer(0, 65_535);
export const uint32 = integer(0, 4_294_967_295);

export const listOf = (item: TSchema) => Type.Array(item);

/** Members with one schema. */
export const members = (schema: TSchema, names: readonly string[]): { readonly [name: string]: TSchema } =>
  Object.fromEntries(names.map((name) => [name, schema]));

/** A mapping with only these members, all optional. */
export const mapping = (known: { readonly [name: string]: TSchema }, required: readonly string[] = []) =>
  Type.Object(optionalExcept(known, required), { additionalProperties: false });

/** A mapping with these and any other members. */
export const openMapping = (known: { readonly [name: string]: TSchema }, required: readonly string[] = []) =>
  Type.Object(optionalExcept(known, required));

const optionalExcept = (
  known: { readonly [name: string]: TSchema },
  required: readonly string[],
): { readonly [name: string]: TSchema } =>
  Object.fromEntries(
    Object.entries(known).map(([name, schema]) => [name, required.includes(name) ? schema : Type.Optional(schema)]),
  );
