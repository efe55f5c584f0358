import type { ErrorObject } from 'ajv';
import { listAt, memberAt, objectAt, textAt } from './values';

/** One reason why a document does not match its schema. */
export interface Violation {
  /**
   * The path of the value: `inventory.disks[3].size_bytes`. The name of the document when the whole document is wrong.
   */
  readonly path: string;
  /** The predicate of the sentence: `must be a whole number, not "12"`. */
  readonly reason: string;
}

/** Member names and list indices from the root of a document to one of its values. */
export type Place = readonly (string | number)[];

/** A violation as the validator found it. */
export interface PlacedViolation extends Violation {
  /** The innermost value of the document that the violation is about: for a missing member the object that lacks it. */
  readonly place: Place;
}

/** The violation as one sentence without a full stop. */
export const formatViolation = ({ path, reason }: Violation): string => `${path} ${reason}`;

/** Longest part of a wrong value or of the name of a member that a message repeats, in characters. */
const SHOWN_MAX_CHARACTERS = 80;

const TYPE_NAMES: ReadonlyMap<string, string> = new Map([
  ['string', 'a string'],
  ['integer', 'a whole number'],
  ['number', 'a number'],
  ['boolean', 'true or false'],
  ['object', 'an object'],
  ['array', 'a list'],
  ['null', 'null'],
]);

const FORMAT_NAMES: ReadonlyMap<string, string> = new Map([
  ['uuid', 'a UUID such as 6ba7b810-9dad-11d1-80b4-00c04fd430c8'],
  ['ipv4', 'an IPv4 address'],
  ['ipv6', 'an IPv6 address'],
  ['uri', 'a URL'],
  ['date-time', 'a time such as 2026-01-02T03:04:05Z'],
]);

/** Returns the violation for an error of the validator. `name` is the name of the document. */
export function toViolation(
  name: string,
  document: unknown,
  error: ErrorObject,
  hidesValues: boolean,
): PlacedViolation {
  const place = placeOf(document, error.instancePath);
  const path = formatPlace(place, name);
  switch (error.keyword) {
    case 'required':
      return { place, path: memberPath(path, String(error.params['missingProperty'])), reason: 'is required' };
    case 'additionalProperties': {
      const unknown = String(error.params['additionalProperty']);
      return { place: [...place, unknown], path: memberPath(path, unknown), reason: unknownMember(error) };
    }
    case 'minLength':
      if (error.params['limit'] === 1) return { place, path, reason: 'must not be empty' };
  }
  const found = hidesValues ? '' : `, not ${displayValue(error.data)}`;
  return { place, path, reason: `must be ${expectation(error)}${found}` };
}

function unknownMember({ parentSchema }: ErrorObject): string {
  return `is not a known field. Known fields: ${Object.keys(objectAt(parentSchema, 'properties')).join(', ')}`;
}

/**
 * Returns what the schema requires. The annotation `expected` of the schema takes precedence over the keyword that
 * failed.
 */
function expectation({ keyword, params, parentSchema, message = 'valid' }: ErrorObject): string {
  const expected = textAt(parentSchema, 'expected');
  if (expected !== undefined) return expected;
  switch (keyword) {
    case 'type':
      return [params['type']]
        .flat()
        .map((type) => TYPE_NAMES.get(String(type)) ?? String(type))
        .join(' or ');
    case 'enum':
      return `one of ${listAt(params, 'allowedValues').join(', ')}`;
    case 'const':
      return displayValue(params['allowedValue']);
    case 'format':
      return FORMAT_NAMES.get(String(params['format'])) ?? `a value of format ${String(params['format'])}`;
    case 'pattern':
      return `a value that matches ${String(params['pattern'])}`;
    case 'minimum':
      return `at least ${String(params['limit'])}`;
    case 'maximum':
      return `at most ${String(params['limit'])}`;
    case 'minLength':
      return `at least ${String(params['limit'])} characters long`;
    case 'maxLength':
      return `at most ${String(params['limit'])} characters long`;
    case 'minItems':
      return `a list of at least ${String(params['limit'])} entries`;
    case 'maxItems':
      return `a list of at most ${String(params['limit'])} entries`;
    default:
      return message;
  }
}

/** Returns the value as it appears in a message: shortened, and without the content of lists and objects. */
export function displayValue(value: unknown): string {
  if (value === undefined) return 'absent';
  if (Array.isArray(value)) return `a list of ${value.length} entries`;
  if (typeof value === 'object' && value !== null) return 'an object';
  return shortened(JSON.stringify(value));
}

/**
 * Converts `/disks/3/size_bytes` to names and indices. Digits are an index only in a list, because objects may have
 * members with such names.
 */
function placeOf(document: unknown, pointer: string): Place {
  let value = document;
  return pointer
    .split('/')
    .slice(1)
    .map((part) => {
      const name = part.replace(/~1/g, '/').replace(/~0/g, '~');
      if (Array.isArray(value)) {
        value = value[Number(name)];
        return Number(name);
      }
      value = memberAt(value, name);
      return name;
    });
}

/** Returns `inventory.disks[3].size_bytes` for the document `inventory` and the place `['disks', 3, 'size_bytes']`. */
export function formatPlace(place: Place, name = ''): string {
  return place.reduce<string>(
    (path, part) => (typeof part === 'number' ? `${path}[${part}]` : memberPath(path, part)),
    name,
  );
}

function memberPath(path: string, name: string): string {
  const shown = shortened(name);
  return path === '' ? shown : `${path}.${shown}`;
}

const shortened = (text: string): string =>
  text.length > SHOWN_MAX_CHARACTERS ? `${text.slice(0, SHOWN_MAX_CHARACTERS)}…` : text;
