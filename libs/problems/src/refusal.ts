import type { Refusal as DecisionRefusal } from '@muster/decision';
import type { ProblemCode } from './problem-table';

/** A refusal with a code of the problem table. */
export type Refusal = DecisionRefusal<ProblemCode>;

/** Carries a refusal through code that can only throw: a framework's handler, a transport. */
export class RefusalError extends Error {
  constructor(readonly refusal: Refusal) {
    super(refusal.reason);
    this.name = 'RefusalError';
  }
}
