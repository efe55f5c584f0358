import { Type } from '@sinclair/typebox';
import { type Static, StringEnum, Nullable } from '@muster/assisted-api';
import type { OutputOf } from '@muster/nest-kit';
import type { ValidationService } from '@muster/contracts';
import type { BlockingStatus } from '@muster/validation-rules';

type Outcome = OutputOf<typeof ValidationService.method.readOutcomes>['outcomes'][number];

/** One outcome, with all that is known of it. */
export const VALIDATION_SCHEMA = Type.Object(
  {
    id: Type.String(),
    category: Type.String(),
    status: StringEnum<string>(['success', 'failure', 'pending', 'error', 'disabled']),
    message: Type.String(),
    measured: Type.String(),
    required: Type.String(),
    remedy: Type.String(),
    since: Nullable(Type.String({ format: 'date-time' })),
    flips: Type.Integer(),
    flapping: Nullable(
      Type.Object(
        {
          since: Type.String({ format: 'date-time' }),
          flips: Type.Integer(),
          window_seconds: Type.Integer(),
          quiet_seconds: Type.Integer(),
        },
        { title: 'flapping' },
      ),
    ),
    gate: StringEnum<BlockingStatus['gate']>(['known', 'ready', 'preparation', 'soft']),
    ignorable: Type.Boolean(),
    ignored: Type.Boolean(),
    holds_back: Type.Boolean(),
  },
  { title: 'validation' },
);
export type PresentedValidation = Static<typeof VALIDATION_SCHEMA>;

/** Sorted by id. */
export const VALIDATIONS_SCHEMA = Type.Object(
  {
    validations: Type.Array(VALIDATION_SCHEMA),
    unsupported_by_override: Type.Boolean(),
  },
  { title: 'validations' },
);
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
