/** Wall time as a capability, so that a test or the simulator can own it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;
}
