import type { OutcomeMap } from '@muster/assisted-api';
import type { EventData } from '@muster/contracts';

/** Only what changed is stored, so only that is touched; the rest of the map is shared text. */
export function changedOutcomes(
  before: OutcomeMap,
  { changed, withdrawn }: Pick<EventData<'HostOutcomesChanged'>, 'changed' | 'withdrawn'>,
): OutcomeMap {
  const after: { [ruleId: string]: OutcomeMap[string] } = { ...before };
  for (const { id, status, message, category, history } of changed)
    after[id] = history?.flapping ? { status, message, category, flaps: true } : { status, message, category };
  for (const id of withdrawn) delete after[id];
  return after;
}
