import type { Readable } from 'node:stream';

/** What a stored body is known by. */
export interface StoredObject {
  /** `sha256:<64 hex>` of the body. */
  readonly digest: string;
  readonly bytes: number;
}

/** Content-addressed bodies: the same bytes are stored once, and never change. */
export interface ObjectStore {
  /** Durable when it resolves. Throws ObjectTooLarge when the body passes `maxBytes`; nothing is kept then. */
  put(body: Buffer | Readable, maxBytes: number): Promise<StoredObject>;
  /** The whole body, or undefined when there is none of that digest. */
  get(digest: string): Promise<Buffer | undefined>;
  /** A stream of the body (or of `[start, end]`, both inclusive), or undefined when there is none of that digest. */
  open(digest: string, range?: { readonly start: number; readonly end: number }): Promise<Readable | undefined>;
  /** Idempotent. */
  remove(digest: string): Promise<void>;
}

export class ObjectTooLarge extends Error {
  constructor(readonly maxBytes: number) {
    super(`The body is larger than the allowed ${maxBytes} bytes; send a smaller one.`);
    this.name = 'ObjectTooLarge';
  }
}
