import { hiddenProperty } from '@muster/schema';
import type { JsonValue } from './event-store';

/** Texts of values that are written more than once, as the data of an event: to the store and to the bus. */
const keptText = hiddenProperty<string>();

/** Returns the value as JSON: its kept text, or a new one. */
export const jsonTextOf = (value: JsonValue): string =>
  (typeof value === 'object' && value !== null ? keptText.get(value) : undefined) ?? JSON.stringify(value);

/** Keeps the text of a value, which must not change afterwards, until `forgetJsonText` or the end of the value. */
export const keepJsonText = (value: object, text: string): void => keptText.set(value, text);

export const forgetJsonText = (value: object): void => keptText.set(value, undefined);

/** Lengths of received and published values as JSON. Their texts are not kept. */
const keptLength = hiddenProperty<number>();

export const keepJsonLength = (value: object, length: number): void => keptLength.set(value, length);

/** Returns the kept length of a value as JSON, in characters or bytes. 0: no length was kept. */
export const jsonLengthOf = (value: JsonValue): number =>
  (typeof value === 'object' && value !== null ? keptLength.get(value) : undefined) ?? 0;

/** Maximum nesting of the JSON text of a client. */
export const JSON_MAX_DEPTH = 32;
/**
 * Maximum number of members of all objects and lists of the JSON text of a client. An infra-env with 1,000 static hosts of 10
 * interfaces has 33,000.
 */
export const JSON_MAX_MEMBERS = 50_000;

const [QUOTE, BACKSLASH, COMMA, OPEN_LIST, CLOSE_LIST, OPEN_OBJECT, CLOSE_OBJECT] = [...'"\\,[]{}'].map((character) =>
  character.charCodeAt(0),
);

/**
 * Returns why JSON text has too deep or too many values, before it is parsed, because V8 takes half a second for 4 MiB of
 * brackets. It makes one pass over the bytes and does not check the JSON syntax.
 */
export function jsonExtentFault(bytes: Uint8Array): string | undefined {
  // A text has fewer members than bytes, and V8 parses this many brackets in 5 ms.
  if (bytes.length <= JSON_MAX_MEMBERS) return undefined;
  let depth = 0;
  let members = 1;
  for (let at = 0; at < bytes.length; at += 1) {
    switch (bytes[at]) {
      case QUOTE:
        at += 1;
        while (at < bytes.length && bytes[at] !== QUOTE) at += bytes[at] === BACKSLASH ? 2 : 1;
        break;
      case OPEN_LIST:
      case OPEN_OBJECT:
        depth += 1;
        if (depth > JSON_MAX_DEPTH + 1) return `must not be nested deeper than ${JSON_MAX_DEPTH} levels`;
        break;
      case CLOSE_LIST:
      case CLOSE_OBJECT:
        depth -= 1;
        break;
      case COMMA:
        members += 1;
        if (members > JSON_MAX_MEMBERS) return `must not have more than ${JSON_MAX_MEMBERS} members`;
        break;
    }
  }
  return undefined;
}
