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
  /** Every stored body. `storedAtMs`: when it was stored last, in milliseconds since 1970. */
  list(): AsyncIterable<StoredObject & { readonly storedAtMs: number }>;
}

/**
 * Object stores of their own, by name (a UUID). The same bytes in two areas are stored twice, so that a body of one area can be removed
 * without a look at the others.
 */
export interface ObjectAreas {
  area(name: string): Promise<ObjectStore>;
  /** Names of the areas that exist. An area without bodies may be missing. */
  names(): Promise<readonly string[]>;
}

export class ObjectTooLarge extends Error {
  constructor(readonly maxBytes: number) {
    super(`The body is larger than the allowed ${maxBytes} bytes.`);
    this.name = 'ObjectTooLarge';
  }
}

/** Sealed values (AES-256-GCM). A scope (a cluster's or infra-env's id) has its own key, wrapped by the master key. */
export interface Secrets {
  /** Stores `plaintext` under the name, replacing an older value; durable when it resolves. */
  seal(scope: string, name: string, plaintext: Buffer): Promise<void>;
  /** The plaintext, or undefined when there is none. Throws when the sealed bytes were tampered with. */
  open(scope: string, name: string): Promise<Buffer | undefined>;
  /** Destroys the key of the scope: what was sealed under it can never be opened again. Idempotent. */
  shred(scope: string): Promise<void>;
}
