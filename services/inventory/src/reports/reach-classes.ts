import type { PeerReach, Plain } from '@muster/contracts';

/**
 * Round-trip times and losses differ with every report. They are news when they enter another class: ten milliseconds wide up to 100 ms, a
 * hundred wide up to 1,000 ms, one class beyond; whole percents of loss. Limits that lie on such a step are kept exactly.
 */
const FINE_MS = 10;
const FINE_UP_TO_MS = 100;
const COARSE_MS = 100;
const COARSE_UP_TO_MS = 1_000;

function latencyClass(latencyMs: number): number {
  if (latencyMs <= FINE_UP_TO_MS) return Math.ceil(latencyMs / FINE_MS) * FINE_MS;
  return latencyMs <= COARSE_UP_TO_MS ? Math.ceil(latencyMs / COARSE_MS) * COARSE_MS : Infinity;
}

/** Equal for two reports that say the same of another host. */
export const reachMark = (reach: Plain<PeerReach>): string =>
  [
    reach.hostId,
    reach.nearAddresses.join(),
    reach.farAddresses.join(),
    Math.max(FINE_MS, latencyClass(reach.latencyMs)),
    Math.ceil(reach.packetLossPercent),
  ].join(' ');
