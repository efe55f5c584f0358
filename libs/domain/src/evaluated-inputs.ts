import type { Refusal } from '@muster/decision';
import type { ProblemCode } from '@muster/problems';

/** Revision for outcomes whose inputs have changed since, or may have changed. */
export const NOT_EVALUATED = -1;

/** The state of the inputs for a decision that depends on outcomes. */
export interface EvaluatedInputs {
  /**
   * The `inputsRevision` of the state that the conditions were evaluated for. NOT_EVALUATED when an input from outside of the
   * stream may be newer than the conditions.
   */
  readonly evaluatedRevision: number;
}

/** Counts the events of a stream that change what validations read. */
export interface CountedInputs {
  readonly inputsRevision: number;
}

/** Returns true when the outcomes are older than the last change that they depend on. */
export const isOutdated = ({ evaluatedRevision }: EvaluatedInputs, { inputsRevision }: CountedInputs): boolean =>
  evaluatedRevision < inputsRevision;

/** Refusal of a transition that depends on outdated outcomes. The transition is decided again after the evaluation. */
export const OUTDATED_OUTCOMES: Refusal<ProblemCode> = {
  code: 'not-ready',
  reason: 'The validations have not been evaluated for the last change yet.',
  subject: 'validations',
};
