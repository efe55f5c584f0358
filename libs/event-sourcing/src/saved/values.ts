import { deserialize, serialize } from 'node:v8';

/** Saved values keep maps, sets and members that are `undefined`, so that a loaded entry equals the one that was saved. */
export const encodeValue = (value: unknown): Uint8Array => serialize(value);

/** Decodes a saved value. @throws Error when the bytes are not a saved value */
export const decodeValue = <Value>(bytes: Uint8Array): Value => deserialize(bytes) as Value;
