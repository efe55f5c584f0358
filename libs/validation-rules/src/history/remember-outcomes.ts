import { isSameOutcome, type Outcomes } from '../rule/evaluate-rules';
import { type Outcome, SUPPRESSED } from '../rule/rule';
import { type FlapPolicy, type Histories, NO_HISTORY, type OutcomeResult, resultOf } from './outcome-history';

/** The changes of a flapping outcome since the recorded outcome. They are not stored. */
export interface Watched {
  readonly result: OutcomeResult;
  readonly changedAtMs: number;
}
/** By rule id. May be lost: then the quiet time starts again, which only delays a success. */
export type FlapWatch = ReadonlyMap<string, Watched>;

export interface EvaluationContext {
  readonly atMs: number;
  readonly policy: FlapPolicy;
  readonly watch: FlapWatch;
  /** Returns true when a success of a flapping rule has to be stable before it counts. */
  readonly isDamped: (ruleId: string) => boolean;
}

export interface Remembered {
  readonly outcomes: readonly Outcome[];
  readonly watch: FlapWatch;
  /** When to evaluate again without a new event. Undefined when no rule flaps. */
  readonly evaluateAgainAtMs: number | undefined;
}

/**
 * Returns the outcomes to record. A failure always counts immediately. A success of a flapping rule counts after it is
 * stable. Until then, the recorded failure is kept.
 */
export function rememberOutcomes(
  before: { readonly outcomes: Outcomes; readonly histories: Histories },
  found: readonly Outcome[],
  context: EvaluationContext,
): Remembered {
  const watch = new Map<string, Watched>();
  const outcomes = found.map((outcome) => {
    const recorded = before.outcomes.get(outcome.id);
    if (recorded?.flapping) return whileFlapping(recorded, outcome, context, watch);
    return startsFlapping(outcome, before.histories, context, watch) ?? outcome;
  });
  const ends = [...watch.values()].map(({ changedAtMs }) => changedAtMs + context.policy.quietMs);
  return { outcomes, watch, evaluateAgainAtMs: ends.length > 0 ? Math.min(...ends) : undefined };
}

/** Only a change to a failure starts flapping. */
function startsFlapping(
  outcome: Outcome,
  histories: Histories,
  { atMs, policy, isDamped }: EvaluationContext,
  watch: Map<string, Watched>,
): Outcome | undefined {
  if (resultOf(outcome) !== 'failing' || !isDamped(outcome.id)) return undefined;
  const { lastResult, recentFlips } = histories.get(outcome.id) ?? NO_HISTORY;
  if (lastResult !== 'passing') return undefined;
  const flips = recentFlips.filter((at) => atMs - Date.parse(at) <= policy.windowMs).length + 1;
  if (flips < policy.flipsMin) return undefined;
  watch.set(outcome.id, { result: 'failing', changedAtMs: atMs });
  return {
    ...outcome,
    flapping: {
      since: new Date(atMs).toISOString(),
      flips: Math.min(flips, policy.flipsMin),
      windowSeconds: toSeconds(policy.windowMs),
      quietSeconds: toSeconds(policy.quietMs),
    },
  };
}

function whileFlapping(
  recorded: Outcome,
  found: Outcome,
  { atMs, policy, watch: watched, isDamped }: EvaluationContext,
  watch: Map<string, Watched>,
): Outcome {
  const result = resultOf(found);
  const seen = watched.get(found.id) ?? { result: result || 'failing', changedAtMs: atMs };
  const hasChanged = result !== '' && result !== seen.result;
  const now: Watched = hasChanged
    ? { result, changedAtMs: atMs }
    : // A clock that was set back must not delay a success.
      { ...seen, changedAtMs: Math.min(seen.changedAtMs, atMs) };
  const isStable = atMs - now.changedAtMs >= policy.quietMs;
  if (isStable || !isChecked(found) || !isDamped(found.id)) return found;
  watch.set(found.id, now);
  return result === 'failing' && !isSameOutcome(found, recorded) ? { ...found, flapping: recorded.flapping } : recorded;
}

/** Returns false when the settings decide the outcome: the rule is disabled, does not apply or passes without a check. */
const isChecked = ({ status, reason }: Outcome): boolean =>
  status !== 'disabled' && status !== SUPPRESSED && (status !== 'success' || reason === undefined);

const MS_PER_SECOND = 1_000;
const toSeconds = (durationMs: number): number => Math.ceil(durationMs / MS_PER_SECOND);
