/** The current time as a port, so that a test or the simulator can control it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;
}

/** New ids as a port, so that a seeded run can be repeated. */
export interface Ids {
  /** A random (version 4) UUID in lower case. */
  uuid(): string;
}
