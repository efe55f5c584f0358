import type { HostKey } from '@muster/contracts';
import { CLOCK } from '@muster/nest-kit';
import type { Clock } from '@muster/ports';
import { Inject, Injectable } from '@nestjs/common';

/** Clusters up to this size check at every poll. In larger ones so many hosts check per minute: each checks all others. */
export const MAX_CHECKS_PER_MINUTE = 150;
const MINUTE_MS = 60_000;
/** Who has not asked for so long does not wait any more. */
const WAITING_MS_MAX = 3 * MINUTE_MS;

interface Turns {
  /** Checks that may begin now; grows to one minute's worth. */
  allowance: number;
  countedAtMs: number;
  /** Hosts in the order in which they first asked, with when each asked last. */
  readonly waiting: Map<HostKey, number>;
}

/** Whose turn it is to check how it reaches the other hosts of its cluster. In memory: a lost turn comes again. */
@Injectable()
export class ConnectivityTurns {
  private readonly clusters = new Map<string, Turns>();

  constructor(@Inject(CLOCK) private readonly clock: Clock) {}

  /** Whether the host may check now; if so, its turn is over with that. */
  take(clusterId: string, key: HostKey, hostCount: number): boolean {
    if (hostCount <= MAX_CHECKS_PER_MINUTE) {
      this.clusters.delete(clusterId);
      return true;
    }
    const nowMs = this.clock.nowMs();
    const turns = this.turnsAt(clusterId, nowMs);
    turns.waiting.set(key, nowMs);
    if (!isAmongFirst(turns, key, nowMs)) return false;
    turns.waiting.delete(key);
    turns.allowance -= 1;
    return true;
  }

  private turnsAt(clusterId: string, nowMs: number): Turns {
    const turns = this.clusters.get(clusterId) ?? {
      allowance: MAX_CHECKS_PER_MINUTE,
      countedAtMs: nowMs,
      waiting: new Map<HostKey, number>(),
    };
    this.clusters.set(clusterId, turns);
    const earned = ((nowMs - turns.countedAtMs) / MINUTE_MS) * MAX_CHECKS_PER_MINUTE;
    turns.allowance = Math.min(turns.allowance + earned, MAX_CHECKS_PER_MINUTE);
    turns.countedAtMs = nowMs;
    return turns;
  }
}

/** Those who waited longest come first. Looks at no more hosts than may check. */
function isAmongFirst({ allowance, waiting }: Turns, key: HostKey, nowMs: number): boolean {
  let left = Math.floor(allowance);
  for (const [candidate, askedAtMs] of waiting) {
    if (left <= 0) return false;
    if (candidate === key) return true;
    if (nowMs - askedAtMs > WAITING_MS_MAX) waiting.delete(candidate);
    else left -= 1;
  }
  return false;
}
