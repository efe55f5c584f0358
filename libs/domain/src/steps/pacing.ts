import type { StepPlan } from './step-table';

/** Polls per second that the hosts of one cluster may cause while they wait for something that is about to happen. */
export const PROMPT_POLLS_PER_SECOND_MAX = 25;
/** Seconds between an answer and the next poll. */
export const PROMPT_INTERVAL_SECONDS_MIN = 1;
/** Longest hold of a poll, in seconds. The agent of assisted-service v2 gives up after 30, and so do common proxies. */
export const HOLD_SECONDS_MAX = 20;

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

/** A plan as it is sent. `holdSeconds`: how long the answer may be held while nothing changes; 0 when it has steps. */
export interface PacedPlan extends StepPlan {
  readonly holdSeconds: number;
}

/**
 * Adapts polls to what happens in the cluster. While instructions may change at any moment, a poll without new steps is held
 * until the host is nudged. Agents run every step of every answer, so a step is repeated at the interval of its row only.
 */
export class PollPace {
  private readonly rounds = new Map<string, PollRound>();

  /** The plan as it is sent now. `nowMs`: milliseconds since the Unix epoch. */
  apply(plan: StepPlan, situation: PollSituation, nowMs: number): PacedPlan {
    const { host, hostStatus } = situation;
    if (!isPrompt(plan, situation)) {
      this.rounds.delete(host);
      return { ...plan, holdSeconds: 0 };
    }
    const intervalSeconds = intervalOf(situation);
    const fingerprint = [hostStatus, ...plan.steps.map(({ type, args }) => `${type} ${args.join(' ')}`)].join('\n');
    const last = this.rounds.get(host);
    const dueInSeconds = last ? plan.intervalSeconds - (nowMs - last.sentAtMs) / 1_000 : 0;
    // A poll that comes a little early still belongs to the next round.
    if (last?.fingerprint === fingerprint && dueInSeconds > PROMPT_INTERVAL_SECONDS_MIN) {
      const holdSeconds = Math.min(HOLD_SECONDS_MAX, Math.ceil(dueInSeconds) - PROMPT_INTERVAL_SECONDS_MIN);
      return { ...plan, steps: [], intervalSeconds, holdSeconds };
    }
    this.rounds.set(host, { fingerprint, sentAtMs: nowMs });
    return { ...plan, intervalSeconds, holdSeconds: 0 };
  }

  /** The host was removed. */
  forget(host: string): void {
    this.rounds.delete(host);
  }
}

const isPrompt = ({ then }: StepPlan, { clusterStatus, receivesNudges }: PollSituation): boolean =>
  !receivesNudges && then === 'continue' && PROMPT_CLUSTER_STATUSES.includes(clusterStatus);

/** A round is a hold and an interval; the hosts of a very large cluster wait longer in between. */
const intervalOf = ({ hostCount }: PollSituation): number =>
  Math.max(PROMPT_INTERVAL_SECONDS_MIN, Math.ceil(hostCount / PROMPT_POLLS_PER_SECOND_MAX) - HOLD_SECONDS_MAX);

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
