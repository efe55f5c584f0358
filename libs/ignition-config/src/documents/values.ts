import { parseCidr, parseIp } from '@muster/addresses';
import { countValues, holds, type Place } from '@muster/schema';
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

/**
 * Returns the line, counted from 1, on which the value at `path` begins in a JSON text. Undefined when the value does
 * not exist. The text must be valid JSON of limited depth. It is read once, from the start.
 */
export function jsonLineOf(text: string, path: Place): number | undefined {
  const offset = offsetOf(text, path);
  return offset === undefined ? undefined : lineAt(text, offset);
}

/** Returns the line of an offset, counted from 1. */
export function lineAt(text: string, offset: number): number {
  let line = 1;
  for (let at = text.indexOf('\n'); at >= 0 && at < offset; at = text.indexOf('\n', at + 1)) line += 1;
  return line;
}

function offsetOf(text: string, path: Place): number | undefined {
  let at = skipBlanks(text, 0);
  for (const step of path) {
    const found: number | undefined = memberOf(text, at, step);
    if (found === undefined) return undefined;
    at = found;
  }
  return at;
}

/**
 * Returns the offset of a member of the list or object at `at`. Of several members with one name the last one counts,
 * as in JSON.parse.
 */
function memberOf(text: string, start: number, step: string | number): number | undefined {
  const isMapping = text[start] === '{';
  if (!isMapping && text[start] !== '[') return undefined;
  let found: number | undefined;
  let at = skipBlanks(text, start + 1);
  for (let index = 0; text[at] !== ']' && text[at] !== '}'; index += 1) {
    let name: string | number = index;
    if (isMapping) {
      const end = endOfString(text, at);
      name = String(JSON.parse(text.slice(at, end)));
      // The colon follows the name.
      at = skipBlanks(text, skipBlanks(text, end) + 1);
    }
    if (name === step) found = at;
    at = skipBlanks(text, endOfValue(text, at));
    if (text[at] === ',') at = skipBlanks(text, at + 1);
  }
  return found;
}

function endOfValue(text: string, start: number): number {
  let depth = 0;
  for (let at = start; at < text.length;) {
    const character = text[at];
    if (character === '"') at = endOfString(text, at);
    else if (depth === 0 && (character === ',' || character === ']' || character === '}')) return at;
    else {
      if (character === '[' || character === '{') depth += 1;
      if (character === ']' || character === '}') depth -= 1;
      at += 1;
    }
    if (depth === 0 && (character === ']' || character === '}' || character === '"')) return at;
  }
  return text.length;
}

function endOfString(text: string, start: number): number {
  let at = start + 1;
  while (at < text.length && text[at] !== '"') at += text[at] === '\\' ? 2 : 1;
  return at + 1;
}

function skipBlanks(text: string, start: number): number {
  let at = start;
  while (at < text.length && ' \t\r\n'.includes(text[at] ?? 'x')) at += 1;
  return at;
}
