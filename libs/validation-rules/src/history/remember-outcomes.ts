import type { OutcomeHistory, Plain } from '@muster/contracts';
import type { Outcome } from '../rule/rule';
import type { FlapPolicy } from './flap-policy';
import { type OutcomeResult, resultOf } from './result-of';

type History = Plain<OutcomeHistory>;

/** What was seen of a flapping outcome since it was last stored: its turns are not, so that they fill no stream. */
export interface Watched {
  readonly verdict: OutcomeResult;
  readonly turnedAtMs: number;
  readonly flips: number;
}
/** By rule id. May be lost: then the quiet time begins anew, which only delays good news. */
export type FlapWatch = ReadonlyMap<string, Watched>;

export interface EvaluationContext {
  readonly atMs: number;
  readonly policy: FlapPolicy;
  readonly watch: FlapWatch;
  /** Whether good news of the rule has to last before it counts. */
  readonly isDamped: (ruleId: string) => boolean;
}

export interface Remembered {
  readonly outcomes: readonly Outcome[];
  readonly watch: FlapWatch;
  /** When to look again though nothing was heard; undefined when nothing flaps. */
  readonly lookAgainAtMs: number | undefined;
}

/**
 * What was found, with since when and how steadily, given what was known before. Bad news counts at once, always. Good
 * news of what flaps counts once it has lasted; until then the failure stands as it was told.
 */
export function rememberOutcomes(
  before: readonly Outcome[],
  found: readonly Outcome[],
  look: EvaluationContext,
): Remembered {
  const known = new Map(before.map((outcome) => [outcome.id, outcome]));
  const watch = new Map<string, Watched>();
  const outcomes = found.map((outcome) => {
    const old = known.get(outcome.id);
    if (old?.history?.flapping) return stillFlapping(old, old.history, outcome, look, watch);
    return begunToFlap(withHistory(old, outcome, look), old, look, watch);
  });
  const ends = [...watch.values()].map(({ turnedAtMs }) => turnedAtMs + look.policy.quietMs);
  return { outcomes, watch, lookAgainAtMs: ends.length > 0 ? Math.min(...ends) : undefined };
}

/** A status that was stored before histories were kept has none until it changes. */
function withHistory(old: Outcome | undefined, found: Outcome, { atMs, policy }: EvaluationContext): Outcome {
  const [verdict, at] = [resultOf(found), toText(atMs)];
  if (!old) return { ...found, history: { ...NO_HISTORY, since: at, lastResult: verdict } };
  if (!old.history && old.status === found.status) return found;
  const { since, flips, lastResult, recentFlips } = old.history ?? { ...NO_HISTORY, lastResult: resultOf(old) };
  const hasTurned = verdict !== '' && lastResult !== '' && verdict !== lastResult;
  return {
    ...found,
    history: {
      since: old.status === found.status ? since : at,
      flips: hasTurned ? flips + 1 : flips,
      lastResult: verdict || lastResult,
      recentFlips: hasTurned ? recent([...recentFlips, at], atMs, policy) : recentFlips,
      flapping: undefined,
    },
  };
}

/** Only a failure begins to flap: it is told like any other, and what is held afterwards has its words and its remedy. */
function begunToFlap(
  outcome: Outcome,
  old: Outcome | undefined,
  { atMs, policy, isDamped }: EvaluationContext,
  watch: Map<string, Watched>,
): Outcome {
  const { history } = outcome;
  const hasTurned = history && old?.history?.flips !== undefined && history.flips > old.history.flips;
  if (!hasTurned || resultOf(outcome) !== 'failing' || !isDamped(outcome.id)) return outcome;
  if (history.recentFlips.length < policy.flipsMin) return outcome;
  watch.set(outcome.id, { verdict: 'failing', turnedAtMs: atMs, flips: 0 });
  const flapping = {
    since: toText(atMs),
    flips: history.recentFlips.length,
    windowSeconds: Math.ceil(policy.windowMs / MS_PER_SECOND),
    quietSeconds: Math.ceil(policy.quietMs / MS_PER_SECOND),
  };
  return {
    ...outcome,
    message: `${outcome.message} (it comes and goes: turned ${flapping.flips} times within ${descriptions(policy.windowMs)}; passes again once it has held for ${descriptions(policy.quietMs)})`,
    history: { ...history, flapping },
  };
}

function stillFlapping(
  old: Outcome,
  history: History,
  found: Outcome,
  { atMs, policy, watch: watched, isDamped }: EvaluationContext,
  watch: Map<string, Watched>,
): Outcome {
  const verdict = resultOf(found);
  const seen = watched.get(found.id) ?? { verdict: verdict || 'failing', turnedAtMs: atMs, flips: 0 };
  const hasTurned = verdict !== '' && verdict !== seen.verdict;
  const now = hasTurned
    ? { verdict, turnedAtMs: atMs, flips: seen.flips + 1 }
    : // A clock that was set back must not hold anything for longer.
      { ...seen, turnedAtMs: Math.min(seen.turnedAtMs, atMs) };
  const isOver = atMs - now.turnedAtMs >= policy.quietMs || found.status === 'disabled' || !isDamped(found.id);
  if (!isOver) {
    watch.set(found.id, now);
    return old;
  }
  const flips = now.flips > 0 ? [...history.recentFlips, toText(now.turnedAtMs)] : history.recentFlips;
  return {
    ...found,
    history: {
      since: old.status === found.status ? history.since : toText(atMs),
      flips: history.flips + now.flips,
      lastResult: now.verdict,
      recentFlips: recent(flips, atMs, policy),
      flapping: undefined,
    },
  };
}

const NO_HISTORY: History = { since: '', flips: 0, lastResult: '', recentFlips: [], flapping: undefined };

const MS_PER_SECOND = 1_000;
const SECONDS_PER_MINUTE = 60;

const recent = (flips: readonly string[], atMs: number, { flipsMin, windowMs }: FlapPolicy): string[] =>
  flips.filter((at) => atMs - Date.parse(at) <= windowMs).slice(-flipsMin);

const toText = (atMs: number): string => new Date(atMs).toISOString();

function descriptions(durationMs: number): string {
  const seconds = Math.round(durationMs / MS_PER_SECOND);
  return seconds % SECONDS_PER_MINUTE === 0 ? `${seconds / SECONDS_PER_MINUTE} minutes` : `${seconds} seconds`;
}
