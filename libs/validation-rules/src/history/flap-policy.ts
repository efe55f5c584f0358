/** When a turn from passing to failing is one too many. */
export interface FlapPolicy {
  /** Turns, in either direction, within the window. */
  readonly flipsMin: number;
  readonly windowMs: number;
  /** What flaps is believed again once it has not turned for as long. */
  readonly quietMs: number;
}

const MINUTE_MS = 60_000;

/**
 * A host that falls silent is noticed after 3 minutes, most else is measured once a minute: three failures in half an
 * hour come from something that does not hold. What turns often enough to flap, regularly, never passes for as long as
 * the quiet time; so a steady rhythm begins to flap once and does not end and begin again.
 */
export const DEFAULT_FLAP_POLICY: FlapPolicy = { flipsMin: 6, windowMs: 30 * MINUTE_MS, quietMs: 10 * MINUTE_MS };
