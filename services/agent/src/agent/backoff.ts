const FIRST_MS = 500;
const FACTOR = 1.5;
const SPREAD = 0.5;
const STEP_MS_MAX = 60_000;
/** After this time without an answer the agent registers again. */
const TOTAL_MS_MAX = 15 * 60_000;

/** Waits between failed polls: 500 ms, growing by half, up to a minute, spread by ±50 %. */
export interface Backoff {
  /** Milliseconds to wait, or undefined when it is time to give up. */
  next(): number | undefined;
  reset(): void;
}

export function createBackoff(random: () => number): Backoff {
  let stepMs = FIRST_MS;
  let totalMs = 0;
  return {
    next: () => {
      if (totalMs >= TOTAL_MS_MAX) return undefined;
      const waitMs = stepMs * (1 - SPREAD + 2 * SPREAD * random());
      totalMs += waitMs;
      stepMs = Math.min(stepMs * FACTOR, STEP_MS_MAX);
      return waitMs;
    },
    reset: () => {
      stepMs = FIRST_MS;
      totalMs = 0;
    },
  };
}
