import type { StepPlan } from './next-steps';

/** Polls per second that the hosts of one cluster may cause while they wait for something that is about to happen. */
export const PROMPT_POLLS_PER_SECOND_MAX = 25;
/** Shortest interval between two polls, in seconds. */
export const PROMPT_INTERVAL_SECONDS_MIN = 2;

/** Cluster statuses in which the instructions of its hosts change at any moment: by a user, or with the next report. */
const PROMPT_CLUSTER_STATUSES: readonly string[] = ['ready', 'preparing-for-installation'];

export interface PollSituation {
  /** Identifies the host. */
  readonly host: string;
  readonly hostStatus: string;
  /** Empty for a host of the pool. */
  readonly clusterStatus: string;
  readonly hostCount: number;
  /** The agent is notified of new instructions, so it need not poll for them. */
  readonly receivesNudges: boolean;
}

interface Round {
  readonly fingerprint: string;
  readonly sentAtMs: number;
}

/**
 * Adapts the interval of polls to what happens in the cluster. Agents run every step of every answer, so the short polls in
 * between have no steps: a step is repeated at the interval of its row only.
 */
export class PollPace {
  private readonly rounds = new Map<string, Round>();

  /** The plan as it is sent now. `nowMs`: milliseconds since the Unix epoch. */
  apply(plan: StepPlan, situation: PollSituation, nowMs: number): StepPlan {
    const { host, hostStatus } = situation;
    const intervalSeconds = intervalOf(plan, situation);
    if (intervalSeconds >= plan.intervalSeconds) {
      this.rounds.delete(host);
      return plan;
    }
    const fingerprint = [hostStatus, ...plan.steps.map(({ type, args }) => `${type} ${args.join(' ')}`)].join('\n');
    const last = this.rounds.get(host);
    // A poll that comes a little early still belongs to the next round.
    const isDue = !last || nowMs - last.sentAtMs >= (plan.intervalSeconds - intervalSeconds / 2) * 1_000;
    if (!isDue && last.fingerprint === fingerprint) return { ...plan, steps: [], intervalSeconds };
    this.rounds.set(host, { fingerprint, sentAtMs: nowMs });
    return { ...plan, intervalSeconds };
  }

  /** The host was removed. */
  forget(host: string): void {
    this.rounds.delete(host);
  }
}

function intervalOf(plan: StepPlan, { clusterStatus, hostCount, receivesNudges }: PollSituation): number {
  const isPrompt = !receivesNudges && plan.then === 'continue' && PROMPT_CLUSTER_STATUSES.includes(clusterStatus);
  if (!isPrompt) return plan.intervalSeconds;
  return Math.max(PROMPT_INTERVAL_SECONDS_MIN, Math.ceil(hostCount / PROMPT_POLLS_PER_SECOND_MAX));
}
