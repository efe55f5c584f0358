import { type Static, StringEnum, Nullable } from '@muster/assisted-api';
import type { BlockingStatus, Outcome, RenderedOutcome } from '@muster/validation-rules';
import { Type } from '@sinclair/typebox';

/** An outcome, with its history when it is recorded. */
type OutcomeRecord = Outcome & { readonly since?: string; readonly flips?: number };

/** How outcomes of one kind of subject are presented. */
interface Presentation {
  readonly render: (outcome: Outcome) => RenderedOutcome;
  readonly blockingStatusOf: (outcome: Outcome) => BlockingStatus;
}

/** One validation with all its details. */
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
  outcomes: readonly OutcomeRecord[],
  { render, blockingStatusOf }: Presentation,
): readonly PresentedValidation[] {
  return outcomes
    .map((outcome) => presentValidation(outcome, render(outcome), blockingStatusOf(outcome)))
    .sort((first, second) => (first.id < second.id ? -1 : 1));
}

function presentValidation(
  { since, flips, flapping }: OutcomeRecord,
  { id, category, status, message, measured, required, remedy }: RenderedOutcome,
  { gate, isIgnorable, isIgnored, isBlocking }: BlockingStatus,
): PresentedValidation {
  return {
    id,
    category,
    status,
    message,
    measured,
    required,
    remedy,
    since: since || null,
    flips: flips ?? 0,
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
