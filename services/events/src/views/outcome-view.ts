import type { OutcomeMap } from '@muster/assisted-api';
import type { Outcome } from '@muster/validation-rules';

/** Events carry changes only. Maps are never changed in place: unchanged outcomes are shared. */
export function changedOutcomes(
  before: OutcomeMap,
  { changed, reset = false }: { readonly changed: readonly Outcome[]; readonly reset?: boolean },
): OutcomeMap {
  const after: { [ruleId: string]: Outcome } = reset ? {} : { ...before };
  for (const outcome of changed) after[outcome.id] = outcome;
  return after;
}
