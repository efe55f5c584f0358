import { CLUSTER_RULES } from '../cluster/cluster-rules.table';
import { HOST_RULES } from '../host/host-rules.table';
import type { Outcome } from '../rule/rule';

interface Row {
  readonly id: string;
  readonly comesAndGoes?: true;
}

const dampedIds = (rules: readonly Row[]): ReadonlySet<string> =>
  new Set(rules.filter(({ comesAndGoes }) => comesAndGoes).map(({ id }) => id));

/** Host rules whose success has to be stable when they flap. Outcomes that depend on settings only count at once. */
export const DAMPED_HOST_RULES = dampedIds(HOST_RULES);
export const DAMPED_CLUSTER_RULES = dampedIds(CLUSTER_RULES);

/** When a turn from passing to failing is one too many. */
export interface FlapPolicy {
  /** Turns, in either direction, within the window. */
  readonly flipsMin: number;
  readonly windowMs: number;
  /** What flaps is believed again once it has not turned for as long. */
  readonly quietMs: number;
}

const MINUTE_MS = 60_000;

/**
 * A host that falls silent is noticed after 3 minutes, most else is measured once a minute: three failures in half an
 * hour come from something that does not hold. What turns often enough to flap, regularly, never passes for as long as
 * the quiet time; so a steady rhythm begins to flap once and does not end and begin again.
 */
export const DEFAULT_FLAP_POLICY: FlapPolicy = { flipsMin: 6, windowMs: 30 * MINUTE_MS, quietMs: 10 * MINUTE_MS };

export type OutcomeResult = 'passing' | 'failing' | '';

/** What an outcome says for or against its subject. Pending and disabled say neither: what was found before stands. */
export function resultOf({ status }: Pick<Outcome, 'status'>): OutcomeResult {
  if (status === 'success') return 'passing';
  return status === 'failure' || status === 'error' ? 'failing' : '';
}

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
