import type { Readable } from 'node:stream';

/** Digest and size of a stored body. */
export interface StoredObject {
  /** `sha256:<64 hex>` of the body. */
  readonly digest: string;
  readonly bytes: number;
}

/** Content-addressed bodies: equal bytes are stored once and never change. */
export interface ObjectStore {
  /**
   * Stores a body. Durable when the promise resolves.
   * @throws ObjectTooLarge when the body exceeds `maxBytes`; nothing is stored then
   */
  put(body: Buffer | Readable, maxBytes: number): Promise<StoredObject>;
  /** Returns the whole body, or undefined when there is none with that digest. */
  get(digest: string): Promise<Buffer | undefined>;
  /**
   * Returns a stream of the body (or of `[start, end]`, both inclusive), or undefined when there is none with that
   * digest.
   */
  open(digest: string, range?: { readonly start: number; readonly end: number }): Promise<Readable | undefined>;
  /** Idempotent. */
  remove(digest: string): Promise<void>;
  /** Returns every stored body. `storedAtMs`: when it was last stored, in milliseconds since 1970. */
  list(): AsyncIterable<StoredObject & { readonly storedAtMs: number }>;
}

/**
 * Separate object stores by name (a UUID). Equal bytes in two areas are stored twice, so that a body of one area can be
 * removed without checking the others.
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

/**
 * Sealed values (AES-256-GCM). A scope (the id of a cluster or infra-env) has its own key, encrypted with the master
 * key.
 */
export interface Secrets {
  /** Stores `plaintext` under the name and replaces an older value. Durable when the promise resolves. */
  seal(scope: string, name: string, plaintext: Buffer, options?: SealOptions): Promise<void>;
  /**
   * Returns the plaintext, or undefined when there is none.
   * @throws Error when the sealed bytes were changed
   */
  open(scope: string, name: string): Promise<Buffer | undefined>;
  /** Destroys the key of the scope: its values can never be opened again. Idempotent. */
  shred(scope: string): Promise<void>;
}

export interface SealOptions {
  /** The scope was just named and has no values yet, so it is not read first. @default false */
  readonly isNewScope?: boolean;
  /** An older value stays: of several processes that create a value, one stores it, and all of them open that one. @default false */
  readonly keepsOlder?: boolean;
}

export interface SealedValue {
  readonly name: string;
  readonly bytes: Buffer;
}

/** Storage of sealed bytes. Scopes and names contain no text of a caller. */
export interface SealedStorage {
  read(scope: string, name: string): Promise<Buffer | undefined>;
  /** Stores the first values of a scope; durable when it resolves. False when the scope has values; then nothing is stored. */
  create(scope: string, values: ReadonlyMap<string, Buffer>): Promise<boolean>;
  /**
   * Stores a value in a scope, replacing an older one; durable when it resolves. False when the scope does not have the value `given`,
   * because it was destroyed meanwhile; then nothing is stored. `keepsOlder`: an older value stays.
   */
  replace(
    scope: string,
    name: string,
    bytes: Buffer,
    given: SealedValue,
    options?: Pick<SealOptions, 'keepsOlder'>,
  ): Promise<boolean>;
  /** Destroys all values of a scope. Idempotent. */
  remove(scope: string): Promise<void>;
}
