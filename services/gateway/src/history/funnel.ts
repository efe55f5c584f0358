import { type ClusterJourney, FUNNEL_STEPS, type FunnelStep, type JourneyFailure } from '@muster/assisted-api';

/** How many got to a step, and how, from the one before. */
export interface StepFigures {
  readonly step: FunnelStep;
  readonly reached: number;
  /** Share of the clusters at the previous step that reached this one; null for the first step and without clusters. */
  readonly conversion: number | null;
  /** From the step before to this one, of those that reached both; 0 where this one came first. */
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
  readonly steps: readonly StepFigures[];
  /** Most frequent first; a cluster that failed twice counts twice. */
  readonly failures: readonly FailureGroup[];
}

/** Adds one cluster's way after the other: memory does not grow with their number but for a duration per step. */
export class FunnelCount {
  private readonly reached = new Map<FunnelStep, number>();
  private readonly fromBefore = new Map<FunnelStep, number[]>();
  private readonly outcomes = { open: 0, installed: 0, failed: 0, cancelled: 0 };
  private readonly failures = new Map<string, FailureGroup>();
  private clusters = 0;

  add({ steps, outcome, failures }: ClusterJourney): void {
    this.clusters += 1;
    this.outcomes[outcome] += 1;
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

  private addFailure({ kind, step, stage, reason }: JourneyFailure): void {
    const key = JSON.stringify([kind, step, stage, reason]);
    const count = (this.failures.get(key)?.count ?? 0) + 1;
    this.failures.set(key, { kind, step, stage, reason, count });
  }
}

/** Null of none. */
function nearestRank(sorted: readonly number[], share: number): number | null {
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? null;
}

const secondsBetween = (from: string, to: string): number => Math.max(0, (Date.parse(to) - Date.parse(from)) / 1_000);
