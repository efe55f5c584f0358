/** The current time as a port, so that a test or the simulator can control it. */
export interface Clock {
  /** Milliseconds since the Unix epoch. */
  nowMs(): number;
  /** Milliseconds of a clock that is never set. @default performance.now */
  monotonicMs?(): number;
}

/**
 * Returns a clock for the time between two moments of this process. It begins with the present time and does not change when the clock of
 * the machine is set.
 */
export function steadyClock(clock: Clock): Clock {
  const passedMs = (): number => clock.monotonicMs?.() ?? performance.now();
  const beginMs = clock.nowMs() - passedMs();
  return { nowMs: () => Math.round(beginMs + passedMs()) };
}

/** New ids as a port, so that a seeded run can be repeated. */
export interface Ids {
  /** A random (version 4) UUID in lower case. */
  uuid(): string;
}

let last = { ms: NaN, text: '' };

/**
 * Returns a time as ISO 8601 text in UTC with milliseconds. `ms`: since the Unix epoch. The last text is kept, because commands and
 * events of the same millisecond need it several times, and a busy process writes thousands per second.
 */
export function isoTime(ms: number): string {
  if (last.ms !== ms) last = { ms, text: new Date(ms).toISOString() };
  return last.text;
}
