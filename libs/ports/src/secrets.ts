/** Sealed values (AES-256-GCM). A scope (a cluster's or infra-env's id) has its own key, wrapped by the master key. */
export interface Secrets {
  /** Stores `plaintext` under the name, replacing an older value; durable when it resolves. */
  seal(scope: string, name: string, plaintext: Buffer): Promise<void>;
  /** The plaintext, or undefined when there is none. Throws when the sealed bytes were tampered with. */
  open(scope: string, name: string): Promise<Buffer | undefined>;
  /** Destroys the key of the scope: what was sealed under it can never be opened again. Idempotent. */
  shred(scope: string): Promise<void>;
}
