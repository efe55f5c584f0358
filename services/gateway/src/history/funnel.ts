import {
  type ClusterJourney,
  FUNNEL_STEPS,
  type FunnelStep,
  type JourneyFailure,
  type Mark,
} from '@muster/assisted-api';
import { RefusalError } from '@muster/problems';

const DAY_MS = 86_400_000;
/** Default length of the window. */
export const FUNNEL_DEFAULT_DAYS = 90;
export const FUNNEL_MAX_DAYS = 366;

export interface FunnelWindow {
  /** ISO 8601 UTC. `from` is included, `to` is not. */
  readonly from: string;
  readonly to: string;
  /** All dates of the window, `YYYY-MM-DD`. */
  readonly days: readonly string[];
}

/** @throws RefusalError `invalid-input` when `to` is not after `from` or the window exceeds FUNNEL_MAX_DAYS. */
export function funnelWindow(given: { readonly from?: string; readonly to?: string }, nowMs: number): FunnelWindow {
  const toMs = given.to ? Date.parse(given.to) : nowMs;
  const fromMs = given.from ? Date.parse(given.from) : toMs - FUNNEL_DEFAULT_DAYS * DAY_MS;
  if (fromMs >= toMs) throw new RefusalError(refusal('`from` must be before `to`.'));
  if (toMs - fromMs > FUNNEL_MAX_DAYS * DAY_MS)
    throw new RefusalError(refusal(`The window must not exceed ${FUNNEL_MAX_DAYS} days; request it in parts.`));
  const first = Math.floor(fromMs / DAY_MS);
  const last = Math.floor((toMs - 1) / DAY_MS);
  const days = Array.from({ length: last - first + 1 }, (_, index) => isoOf((first + index) * DAY_MS).slice(0, 10));
  return { from: isoOf(fromMs), to: isoOf(toMs), days };
}

const refusal = (reason: string) => ({ code: 'invalid-input', reason, subject: 'from' }) as const;
const isoOf = (ms: number): string => new Date(ms).toISOString();

/** A period with its name. `to` is null while it lasts. */
export interface Span {
  readonly name: string;
  readonly from: string;
  readonly to: string | null;
  readonly seconds: number;
}

/** Final statuses. */
const ENDS: ReadonlySet<string> = new Set([
  'installed',
  'added-to-existing-cluster',
  'error',
  'cancelled',
  'resetting',
  'resetting-pending-user-action',
  'unbinding-pending-user-action',
  'deregistered',
]);

/** Each status lasts until the next one, the last one until `now`. A final status has no duration. */
export function statusSpans(marks: readonly Mark[], now: string): readonly Span[] {
  return marks.map(({ name, at }, index) => {
    const next = marks[index + 1]?.at ?? (ENDS.has(name) ? at : null);
    return span(name, at, next, now);
  });
}

/** A stage lasts until the next one, or until a final status of the host or cluster. */
export function stageSpans(stages: readonly Mark[], statuses: readonly Mark[], now: string): readonly Span[] {
  return stages.map(({ name, at }, index) => {
    const over = statuses.find((status) => status.at >= at && ENDS.has(status.name))?.at;
    const ends = [stages[index + 1]?.at, over].filter((end) => end !== undefined).sort();
    return span(name, at, ends[0] ?? null, now);
  });
}

function span(name: string, from: string, to: string | null, now: string): Span {
  const seconds = Math.max(0, (Date.parse(to ?? now) - Date.parse(from)) / 1_000);
  return { name, from, to, seconds };
}

/** Number of clusters that reached a step, and the conversion from the previous step. */
export interface StepFigures {
  readonly step: FunnelStep;
  readonly reached: number;
  /** Share of the clusters at the previous step that reached this one; null for the first step and without clusters. */
  readonly conversion: number | null;
  /**
   * Median time from the previous step, over the clusters that reached both; 0 where this step came first; null without
   * such clusters.
   */
  readonly median_seconds: number | null;
  readonly p90_seconds: number | null;
}

export interface FailureGroup {
  readonly kind: JourneyFailure['kind'];
  readonly step: FunnelStep;
  readonly stage: string;
  readonly reason: string;
  readonly count: number;
}

export interface Funnel {
  readonly clusters: number;
  readonly open: number;
  readonly installed: number;
  readonly failed: number;
  readonly cancelled: number;
  /** Deleted before an installation ended. */
  readonly deleted: number;
  readonly steps: readonly StepFigures[];
  /** Most frequent first. A cluster that failed twice counts twice. */
  readonly failures: readonly FailureGroup[];
}

/** Counts timelines one after the other. Memory grows by one duration per step and cluster. */
export class FunnelCount {
  private readonly reached = new Map<FunnelStep, number>();
  private readonly fromBefore = new Map<FunnelStep, number[]>();
  private readonly outcomes = { open: 0, installed: 0, failed: 0, cancelled: 0, deleted: 0 };
  private readonly failures = new Map<string, FailureGroup>();
  private clusters = 0;

  add({ steps, outcome, failures, deleted }: ClusterJourney): void {
    this.clusters += 1;
    this.outcomes[deleted && outcome === 'open' ? 'deleted' : outcome] += 1;
    for (const failure of failures) this.addFailure(failure);
    let before: string | undefined;
    for (const step of FUNNEL_STEPS) {
      const at = steps[step];
      if (at !== undefined) this.reached.set(step, (this.reached.get(step) ?? 0) + 1);
      if (at !== undefined && before !== undefined) this.addDuration(step, secondsBetween(before, at));
      before = at;
    }
  }

  figures(): Funnel {
    const steps = FUNNEL_STEPS.map((step, index) => this.stepFigures(step, FUNNEL_STEPS[index - 1]));
    const failures = [...this.failures.values()].sort((first, second) => second.count - first.count);
    return { clusters: this.clusters, ...this.outcomes, steps, failures };
  }

  private stepFigures(step: FunnelStep, before: FunnelStep | undefined): StepFigures {
    const reachedBefore = (before && this.reached.get(before)) ?? 0;
    const seconds = (this.fromBefore.get(step) ?? []).sort((first, second) => first - second);
    return {
      step,
      reached: this.reached.get(step) ?? 0,
      conversion: reachedBefore === 0 ? null : seconds.length / reachedBefore,
      median_seconds: nearestRank(seconds, 0.5),
      p90_seconds: nearestRank(seconds, 0.9),
    };
  }

  private addDuration(step: FunnelStep, seconds: number): void {
    const known = this.fromBefore.get(step);
    if (known) known.push(seconds);
    else this.fromBefore.set(step, [seconds]);
  }

  /** The reason of a failed preparation is a sentence, which may contain names of a user. */
  private addFailure({ kind, step, stage, reason: given }: JourneyFailure): void {
    const reason = kind === 'preparation-failed' ? kind : given;
    const key = JSON.stringify([kind, step, stage, reason]);
    const count = (this.failures.get(key)?.count ?? 0) + 1;
    this.failures.set(key, { kind, step, stage, reason, count });
  }
}

/** Returns null for an empty list. */
function nearestRank(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

const secondsBetween = (from: string, to: string): number => Math.max(0, (Date.parse(to) - Date.parse(from)) / 1_000);
