import type { StepPlan } from './step-table';

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

interface PollRound {
  readonly fingerprint: string;
  readonly sentAtMs: number;
}

/**
 * Adapts the interval of polls to what happens in the cluster. Agents run every step of every answer, so the short polls in
 * between have no steps: a step is repeated at the interval of its row only.
 */
export class PollPace {
  private readonly rounds = new Map<string, PollRound>();

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

/** Clusters up to this size check at every poll. In larger clusters so many hosts check per minute, each against all others. */
export const MAX_CHECKS_PER_MINUTE = 150;
const MINUTE_MS = 60_000;
/** A host that has not polled for so long loses its place. */
const WAITING_MS_MAX = 3 * MINUTE_MS;

interface CheckRound {
  /** Checks that may begin now; grows to the number of one minute. */
  allowance: number;
  countedAtMs: number;
  /** Hosts in the order of their first request, with the time of their last one in ms. */
  readonly waiting: Map<string, number>;
}

/** Rate limit of connectivity checks by cluster. In memory: after a restart the rounds begin again. */
export class ConnectivityRounds {
  private readonly clusters = new Map<string, CheckRound>();

  /** Whether the host may check now. If so, it goes to the end of the queue. `nowMs`: milliseconds since the Unix epoch. */
  take(clusterId: string, host: string, hostCount: number, nowMs: number): boolean {
    if (hostCount <= MAX_CHECKS_PER_MINUTE) {
      this.clusters.delete(clusterId);
      return true;
    }
    const round = this.roundAt(clusterId, nowMs);
    round.waiting.set(host, nowMs);
    if (!isAmongFirst(round, host, nowMs)) return false;
    round.waiting.delete(host);
    round.allowance -= 1;
    return true;
  }

  private roundAt(clusterId: string, nowMs: number): CheckRound {
    const round = this.clusters.get(clusterId) ?? {
      allowance: MAX_CHECKS_PER_MINUTE,
      countedAtMs: nowMs,
      waiting: new Map<string, number>(),
    };
    this.clusters.set(clusterId, round);
    const earned = ((nowMs - round.countedAtMs) / MINUTE_MS) * MAX_CHECKS_PER_MINUTE;
    round.allowance = Math.min(round.allowance + earned, MAX_CHECKS_PER_MINUTE);
    round.countedAtMs = nowMs;
    return round;
  }
}

/** Whether the host is among the first `allowance` of the queue. Visits no more hosts than may check. */
function isAmongFirst({ allowance, waiting }: CheckRound, host: string, nowMs: number): boolean {
  let left = Math.floor(allowance);
  for (const [candidate, polledAtMs] of waiting) {
    if (left <= 0) return false;
    if (candidate === host) return true;
    if (nowMs - polledAtMs > WAITING_MS_MAX) waiting.delete(candidate);
    else left -= 1;
  }
  return false;
}
