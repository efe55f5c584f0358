import type { JsonValue } from './event-store';

/** Texts of values that are written more than once, as the data of an event: to the store and to the bus. */
const KEPT = new WeakMap<object, string>();

/** Returns the value as JSON: its kept text, or a new one. */
export const jsonTextOf = (value: JsonValue): string =>
  (typeof value === 'object' && value !== null ? KEPT.get(value) : undefined) ?? JSON.stringify(value);

/** Keeps the text of a value, which must not change afterwards, until `forgetJsonText` or the end of the value. */
export const keepJsonText = (value: object, text: string): void => void KEPT.set(value, text);

export const forgetJsonText = (value: object): void => void KEPT.delete(value);
