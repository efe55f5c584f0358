import type { OutcomeMap } from '@muster/assisted-api';
import type { EventData } from '@muster/contracts';

/** Ids of validations that passed before and fail now. */
export const turnedToFailure = (
  before: OutcomeMap,
  changed: EventData<'HostOutcomesChanged'>['changed'],
): readonly string[] =>
  changed.filter(({ id, status }) => status === 'failure' && before[id]?.status === 'success').map(({ id }) => id);

/** Ids of validations that fail. */
export const failedIn = (outcomes: OutcomeMap): readonly string[] =>
  Object.entries(outcomes).flatMap(([id, { status }]) => (status === 'failure' ? [id] : []));
