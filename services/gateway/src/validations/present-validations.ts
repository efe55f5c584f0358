import { choice, flag, list, orNull, record, type Static, text, time, whole, word } from '@muster/assisted-api';
import type { OutputOf } from '@muster/nest-kit';
import type { ValidationService } from '@muster/contracts';
import type { BlockingStatus } from '@muster/validation-rules';

type Outcome = OutputOf<typeof ValidationService.method.readOutcomes>['outcomes'][number];

/** One outcome, with all that is known of it. */
export const VALIDATION_SCHEMA = record('validation', {
  id: text(),
  category: text(),
  status: word(['success', 'failure', 'pending', 'error', 'disabled']),
  message: text(),
  measured: text(),
  required: text(),
  remedy: text(),
  since: orNull(time()),
  flips: whole(),
  flapping: orNull(
    record('flapping', { since: time(), flips: whole(), window_seconds: whole(), quiet_seconds: whole() }),
  ),
  gate: choice<BlockingStatus['gate']>(['known', 'ready', 'preparation', 'soft']),
  ignorable: flag(),
  ignored: flag(),
  holds_back: flag(),
});
export type PresentedValidation = Static<typeof VALIDATION_SCHEMA>;

/** Sorted by id. */
export const VALIDATIONS_SCHEMA = record('validations', {
  validations: list(VALIDATION_SCHEMA),
  unsupported_by_override: flag(),
});
export type PresentedValidations = Static<typeof VALIDATIONS_SCHEMA>;

export function presentValidations(
  outcomes: readonly Outcome[],
  blockingStatusOf: (outcome: Outcome) => BlockingStatus,
): readonly PresentedValidation[] {
  return outcomes
    .map((outcome) => presentValidation(outcome, blockingStatusOf(outcome)))
    .sort((first, second) => (first.id < second.id ? -1 : 1));
}

function presentValidation(
  outcome: Outcome,
  { gate, isIgnorable, isIgnored, isBlocking }: BlockingStatus,
): PresentedValidation {
  const { id, category, status, message, measured, required, remedy, history } = outcome;
  const flapping = history?.flapping;
  return {
    id,
    category,
    status,
    message,
    measured,
    required,
    remedy,
    since: history?.since || null,
    flips: history?.flips ?? 0,
    flapping: flapping
      ? {
          since: flapping.since,
          flips: flapping.flips,
          window_seconds: flapping.windowSeconds,
          quiet_seconds: flapping.quietSeconds,
        }
      : null,
    gate,
    ignorable: isIgnorable,
    ignored: isIgnored,
    holds_back: isBlocking,
  };
}
