import type { Message } from '@bufbuild/protobuf';

/** A generated message as a plain object: exactly what its proto3 JSON holds when implicit fields are always written. */
export type Plain<T> = T extends Uint8Array
  ? string
  : T extends readonly (infer Item)[]
    ? Plain<Item>[]
    : T extends Message
      ? { [K in keyof T as Exclude<K, '$typeName' | '$unknown'>]: Plain<T[K]> }
      : T;
