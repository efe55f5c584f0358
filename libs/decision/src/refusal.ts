/** Why a command was not executed. A value, not an exception; nothing was stored. */
export interface Refusal<Code extends string = string> {
  /** Stable: clients and the problem table of the product refer to it. */
  readonly code: Code;
  /** One sentence for the user: what is wrong, the value, and what to do. */
  readonly reason: string;
  /** The field or the state that the reason is about. */
  readonly subject?: string;
  /** The accepted values, where they can be listed. */
  readonly allowed?: readonly string[];
  /** Seconds after which a retry may succeed; for `busy` and `too-many-requests`. */
  readonly retryAfterSeconds?: number;
}

/** Carries a refusal through code that can only throw: a framework's handler, a transport. */
export class RefusalError<Code extends string = string> extends Error {
  constructor(readonly refusal: Refusal<Code>) {
    super(refusal.reason);
    this.name = 'RefusalError';
  }
}
