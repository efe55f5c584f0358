import type { Refusal } from '@muster/decision';
import type { ProblemCode } from '@muster/problems';

/** What validations read has changed since, or may have. */
export const NOT_EVALUATED = -1;

/** What a decision that rests on outcomes knows about their inputs. */
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

/** The refusal of a transition that rests on outdated outcomes. The evaluation of the change leads to the decision again. */
export const OUTDATED_OUTCOMES: Refusal<ProblemCode> = {
  code: 'not-ready',
  reason: 'The validations have not been evaluated for the last change yet.',
  subject: 'validations',
};
