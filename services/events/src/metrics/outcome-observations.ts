import type { OutcomeMap } from '@muster/assisted-api';
import type { Outcome, Outcomes } from '@muster/validation-rules';

/** Returns the ids of validations that passed before and fail now. `initial` has the outcomes that are never recorded. */
export const turnedToFailure = (
  before: OutcomeMap,
  changed: readonly Outcome[],
  initial: Outcomes,
): readonly string[] =>
  changed
    .filter(({ id, status }) => status === 'failure' && (before[id] ?? initial.get(id))?.status === 'success')
    .map(({ id }) => id);

/** Returns the ids of validations that fail. */
export const failedIn = (outcomes: OutcomeMap, initial: Outcomes): readonly string[] =>
  [...initial].flatMap(([id, outcome]) => ((outcomes[id] ?? outcome).status === 'failure' ? [id] : []));
