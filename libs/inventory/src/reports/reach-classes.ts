import type { PeerReach, Plain } from '@muster/contracts';

/**
 * Round-trip times and losses differ in every report. They have changed when they enter another class: 10 ms wide up to
 * 100 ms, 100 ms wide up to 1,000 ms, one class beyond; whole percents of loss. Limits on such a step are kept exactly.
 */
const FINE_MS = 10;
const FINE_UP_TO_MS = 100;
const COARSE_MS = 100;
const COARSE_UP_TO_MS = 1_000;

function latencyClass(latencyMs: number): number {
  if (latencyMs <= FINE_UP_TO_MS) return Math.ceil(latencyMs / FINE_MS) * FINE_MS;
  return latencyMs <= COARSE_UP_TO_MS ? Math.ceil(latencyMs / COARSE_MS) * COARSE_MS : Infinity;
}

/** Equal for two equal reports about another host. */
export const reachFingerprint = (reach: Plain<PeerReach>): string =>
  [
    reach.hostId,
    reach.nearAddresses.join(),
    reach.farAddresses.join(),
    Math.max(FINE_MS, latencyClass(reach.latencyMs)),
    Math.ceil(reach.packetLossPercent),
  ].join(' ');
