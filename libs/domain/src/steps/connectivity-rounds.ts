/** Clusters up to this size check at every poll. In larger clusters so many hosts check per minute, each against all others. */
export const MAX_CHECKS_PER_MINUTE = 150;
const MINUTE_MS = 60_000;
/** A host that has not polled for so long loses its place. */
const WAITING_MS_MAX = 3 * MINUTE_MS;

interface Round {
  /** Checks that may begin now; grows to the number of one minute. */
  allowance: number;
  countedAtMs: number;
  /** Hosts in the order of their first request, with the time of their last one in ms. */
  readonly waiting: Map<string, number>;
}

/** Rate limit of connectivity checks by cluster. In memory: after a restart the rounds begin again. */
export class ConnectivityRounds {
  private readonly clusters = new Map<string, Round>();

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

  private roundAt(clusterId: string, nowMs: number): Round {
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
function isAmongFirst({ allowance, waiting }: Round, host: string, nowMs: number): boolean {
  let left = Math.floor(allowance);
  for (const [candidate, polledAtMs] of waiting) {
    if (left <= 0) return false;
    if (candidate === host) return true;
    if (nowMs - polledAtMs > WAITING_MS_MAX) waiting.delete(candidate);
    else left -= 1;
  }
  return false;
}
