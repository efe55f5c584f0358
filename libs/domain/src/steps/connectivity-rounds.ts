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

interface DueCheck {
  readonly clusterId: string;
  /** Number of hosts of the cluster. */
  readonly hostCount: number;
  /** The host has not checked the present hosts of the cluster yet. */
  readonly isNewVersion: boolean;
}

/** From when a host may check. */
export interface CheckTurn {
  /** Milliseconds of a steady clock. */
  readonly atMs: number;
  readonly isNewVersion: boolean;
}

interface CheckRound {
  /** Checks that may start now. Negative while turns are given out. */
  allowance: number;
  countedAtMs: number;
}

/**
 * Limits the rate of connectivity checks by cluster. Hosts receive turns, so those that poll at the same time need not wait for each
 * other's next polls. The state is in memory. After a restart the rounds start again.
 */
export class ConnectivityRounds {
  private readonly firstChecks = new Map<string, CheckRound>();
  private readonly repetitions = new Map<string, CheckRound>();

  /**
   * Returns the turn of the host, which may check when its time has come. `last`: the turn which the host received at its last request
   * and has not taken. `nowMs`: milliseconds of a steady clock.
   */
  turnOf({ clusterId, hostCount, isNewVersion }: DueCheck, last: CheckTurn | undefined, nowMs: number): CheckTurn {
    const rounds = isNewVersion ? this.firstChecks : this.repetitions;
    const atOnce = checksPerMinute(hostCount) * CHECKS_AT_ONCE_SHARE;
    if (hostCount <= atOnce) {
      rounds.delete(clusterId);
      return { atMs: nowMs, isNewVersion };
    }
    if (last?.isNewVersion === isNewVersion) return last;
    const perMinute = checksPerMinute(hostCount) * (isNewVersion ? NEW_VERSION_FACTOR : 1);
    const round = rounds.get(clusterId) ?? { allowance: atOnce, countedAtMs: nowMs };
    rounds.set(clusterId, round);
    const earned = ((nowMs - round.countedAtMs) / MINUTE_MS) * perMinute;
    // Hosts that did not take their turns delay the others by one round at most.
    round.allowance = Math.max(Math.min(round.allowance + earned, atOnce) - 1, -hostCount);
    round.countedAtMs = nowMs;
    return { atMs: nowMs + Math.max(0, -round.allowance / perMinute) * MINUTE_MS, isNewVersion };
  }
}
