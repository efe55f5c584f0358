import type { Outcome } from '../rule/rule';
import { type OutcomeResult, resultOf } from './result-of';

/** The history of one outcome. It follows from the recorded events. */
export interface OutcomeHistory {
  /** When the status became what it is, RFC 3339. Empty while the outcome is the initial one. */
  readonly since: string;
  /** Changes between passing and failing. */
  readonly flips: number;
  readonly lastResult: OutcomeResult;
  /** Times of the last changes, oldest first. */
  readonly recentFlips: readonly string[];
}

/** By rule id. */
export type Histories = ReadonlyMap<string, OutcomeHistory>;

export const NO_HISTORY: OutcomeHistory = { since: '', flips: 0, lastResult: '', recentFlips: [] };

/** How many changes are kept; the setting for flapping cannot be larger. */
export const FLIPS_KEPT_MAX = 50;

/** Returns the history after a recorded outcome replaced another one. */
export function nextHistory(
  history: OutcomeHistory | undefined,
  before: Outcome,
  after: Outcome,
  at: string,
): OutcomeHistory {
  const old = history ?? { ...NO_HISTORY, lastResult: resultOf(before) };
  const result = resultOf(after);
  const hasFlipped = result !== '' && old.lastResult !== '' && result !== old.lastResult;
  return {
    since: before.status === after.status && old.since !== '' ? old.since : at,
    flips: hasFlipped ? old.flips + 1 : old.flips,
    lastResult: result || old.lastResult,
    recentFlips: hasFlipped ? [...old.recentFlips, at].slice(-FLIPS_KEPT_MAX) : old.recentFlips,
  };
}
