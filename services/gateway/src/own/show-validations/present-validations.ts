import type { OutputOf } from '@muster/nest-kit';
import type { ValidationService } from '@muster/contracts';
import type { Standing } from '@muster/validation-rules';

type Outcome = OutputOf<typeof ValidationService.method.readOutcomes>['outcomes'][number];

/** One outcome, with all that is known of it. */
export interface ShownValidation {
  /** As in the contract's host-validation-id or cluster-validation-id. */
  readonly id: string;
  readonly category: string;
  /** success, failure, pending, error, disabled. */
  readonly status: string;
  readonly message: string;
  /** With their units; empty when there is nothing to measure. */
  readonly measured: string;
  readonly required: string;
  /** What a person can do about it; empty when there is nothing to do. */
  readonly remedy: string;
  /** RFC 3339: when the status became what it is; null when that was before it was kept. */
  readonly since: string | null;
  /** How often it turned from passing to failing or back. */
  readonly flips: number;
  /** It turns too often for a pass to be believed at once; null when it does not. */
  readonly flapping: {
    readonly since: string;
    readonly flips: number;
    readonly window_seconds: number;
    readonly quiet_seconds: number;
  } | null;
  readonly gate: Standing['gate'];
  readonly ignorable: boolean;
  readonly ignored: boolean;
  /** The gate is closed because of it, now. */
  readonly holds_back: boolean;
}

export interface ShownValidations {
  /** Sorted by id. */
  readonly validations: readonly ShownValidation[];
  /** Some validation of the cluster or of its hosts is ignored. */
  readonly unsupported_by_override: boolean;
}

export function presentValidations(
  outcomes: readonly Outcome[],
  standingOf: (outcome: Outcome) => Standing,
): readonly ShownValidation[] {
  return outcomes
    .map((outcome) => presentValidation(outcome, standingOf(outcome)))
    .sort((first, second) => (first.id < second.id ? -1 : 1));
}

function presentValidation(outcome: Outcome, { gate, isIgnorable, isIgnored, holdsBack }: Standing): ShownValidation {
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
    holds_back: holdsBack,
  };
}
