import { RefusalError as DecisionRefusalError, type Refusal as DecisionRefusal } from '@muster/decision';
import type { ProblemCode } from './problem-table';

/** A refusal with a code of the problem table. */
export type Refusal = DecisionRefusal<ProblemCode>;

/** A thrown refusal with a code of the problem table. */
export type RefusalError = DecisionRefusalError<ProblemCode>;
export const RefusalError: new (refusal: Refusal) => RefusalError = DecisionRefusalError;
