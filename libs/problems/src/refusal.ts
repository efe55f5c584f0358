import type { ProblemCode } from './problem-table';

/** Why something was not done. A value, not an exception; nothing was stored. */
export interface Refusal {
  readonly code: ProblemCode;
  /** One sentence for a person: what was wrong and what to do. */
  readonly reason: string;
  /** The field or state that the reason speaks of. */
  readonly subject?: string;
  /** What would have been accepted, where it can be listed. */
  readonly allowed?: readonly string[];
  /** When it may be worth asking again; for `busy` and `too-many-requests`. */
  readonly retryAfterSeconds?: number;
}

/** A refusal on its way out of a place that can only throw (a framework's handler, a transport). */
export class RefusalError extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.reason);
    this.name = 'RefusalError';
  }
}
