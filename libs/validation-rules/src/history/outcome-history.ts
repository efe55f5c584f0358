import { CLUSTER_RULES } from '../cluster/cluster-rules.table';
import { HOST_RULES } from '../host/host-rules.table';
import type { Outcome } from '../rule/rule';

interface Row {
  readonly id: string;
  readonly mayFlap?: true;
}

const dampedIds = (rules: readonly Row[]): ReadonlySet<string> =>
  new Set(rules.filter(({ mayFlap }) => mayFlap).map(({ id }) => id));

/**
 * Host rules whose success must be stable after they flapped. Outcomes that depend only on settings count immediately.
 */
export const DAMPED_HOST_RULES = dampedIds(HOST_RULES);
export const DAMPED_CLUSTER_RULES = dampedIds(CLUSTER_RULES);

/** The limits from which a rule counts as flapping. */
export interface FlapPolicy {
  /** Minimum number of changes within the window, in either direction. */
  readonly flipsMin: number;
  readonly windowMs: number;
  /** A flapping rule passes after it has not changed for this time. */
  readonly quietMs: number;
}

const MINUTE_MS = 60_000;

/**
 * A silent host is detected after 3 minutes, and most other reports arrive once per minute, so three failures in 30
 * minutes are no measurement noise. A regular rhythm of changes that is fast enough to flap never passes for the quiet
 * time, so flapping starts once and does not end and start again.
 */
export const DEFAULT_FLAP_POLICY: FlapPolicy = { flipsMin: 6, windowMs: 30 * MINUTE_MS, quietMs: 10 * MINUTE_MS };

export type OutcomeResult = 'passing' | 'failing' | '';

/** Whether an outcome passes or fails. For pending and disabled, the previous result is kept. */
export function resultOf({ status }: Pick<Outcome, 'status'>): OutcomeResult {
  if (status === 'success') return 'passing';
  return status === 'failure' || status === 'error' ? 'failing' : '';
}

/** The history of one outcome. It follows from the recorded events. */
export interface OutcomeHistory {
  /** When the status last changed, RFC 3339. Empty for the initial outcome. */
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

/** The number of changes that are kept. The setting for flapping cannot be larger. */
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
