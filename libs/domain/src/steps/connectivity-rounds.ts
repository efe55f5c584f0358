/** Pairs of hosts that are checked per minute in one cluster. The cost of a check grows with the number of hosts. */
const CHECKED_PAIRS_PER_MINUTE = 150_000;
/** Number of hosts that check per minute in every cluster, however large. */
const CHECKS_PER_MINUTE_MIN = 150;
const MINUTE_MS = 60_000;

/**
 * A cluster is ready only after its hosts have checked each other, so these checks are more frequent than their repetitions, which continue
 * as long as the cluster waits.
 */
const NEW_VERSION_FACTOR = 3;

/**
 * Share of the checks of one minute that may start at the same time. A report that waits for more than 6 s behind others is refused,
 * and its agent sends it again.
 */
const CHECKS_AT_ONCE_SHARE = 1 / 3;

/** Returns how many hosts check per minute, each against all others. */
export const checksPerMinute = (hostCount: number): number =>
  Math.max(CHECKS_PER_MINUTE_MIN, Math.floor(CHECKED_PAIRS_PER_MINUTE / hostCount));

/** A host that has not polled for this time loses its place in the queue. */
const WAITING_MS_MAX = 3 * MINUTE_MS;

export interface DueCheck {
  readonly clusterId: string;
  /** Identifies the host. */
  readonly host: string;
  /** Number of hosts of the cluster. */
  readonly hostCount: number;
  /** The host has not checked the present hosts of the cluster yet. */
  readonly isNewVersion: boolean;
}

interface CheckRound {
  /** Checks that may start now. */
  allowance: number;
  countedAtMs: number;
  /** Hosts in the order of their first request, with the time of their last request in ms. */
  readonly waiting: Map<string, number>;
}

/**
 * Limits the rate of connectivity checks by cluster. The state is in memory. After a restart the rounds start again.
 */
export class ConnectivityRounds {
  private readonly clusters = new Map<string, CheckRound>();

  /**
   * Returns whether the host may check now. Repetitions take turns: the host moves to the end of the queue. `nowMs`: milliseconds
   * since the Unix epoch.
   */
  take({ clusterId, host, hostCount, isNewVersion }: DueCheck, nowMs: number): boolean {
    const perMinute = checksPerMinute(hostCount);
    const atOnce = perMinute * CHECKS_AT_ONCE_SHARE;
    if (hostCount <= atOnce) {
      this.clusters.delete(clusterId);
      return true;
    }
    const rate = isNewVersion ? perMinute * NEW_VERSION_FACTOR : perMinute;
    const round = this.roundAt(clusterId, rate, atOnce, nowMs);
    // The first hosts of the queue may poll last, so a host with a new version does not wait for them.
    if (!isNewVersion) round.waiting.set(host, nowMs);
    if (isNewVersion ? round.allowance < 1 : !isAmongFirst(round, host, nowMs)) return false;
    round.waiting.delete(host);
    round.allowance -= 1;
    return true;
  }

  private roundAt(clusterId: string, perMinute: number, atOnce: number, nowMs: number): CheckRound {
    const round = this.clusters.get(clusterId) ?? {
      allowance: atOnce,
      countedAtMs: nowMs,
      waiting: new Map<string, number>(),
    };
    this.clusters.set(clusterId, round);
    const earned = ((nowMs - round.countedAtMs) / MINUTE_MS) * perMinute;
    round.allowance = Math.min(round.allowance + earned, atOnce);
    round.countedAtMs = nowMs;
    return round;
  }
}

/** Returns whether the host is among the first `allowance` hosts of the queue. Visits only these. */
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
