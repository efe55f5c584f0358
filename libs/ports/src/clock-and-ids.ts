/** Wall time as a capability, so that a test or the simulator can own it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;
}

/** Fresh identities as a capability, so that a seeded run can repeat itself. */
export interface Ids {
  /** A random (version 4) UUID in lower case. */
  uuid(): string;
}
