import type { Timer } from '@muster/host-api';

const FIRST_MS = 500;
const FACTOR = 1.5;
const SPREAD = 0.5;
export const STEP_MS_MAX = 60_000;
/** After this time without an answer the agent registers again. */
const TOTAL_MS_MAX = 15 * 60_000;

/** Waits between failed polls: 500 ms, multiplied by 1.5 up to one minute, with a jitter of ±50 %. */
export interface Backoff {
  /** Returns the milliseconds to wait, or undefined after TOTAL_MS_MAX. */
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

const POLL_MS_MIN = 1_000;
const POLL_MS_MAX = 60 * 60_000;

/**
 * Returns the milliseconds until the next poll. Without limits, a wrong answer would make the agent poll without a pause, or never again.
 */
export const pollWaitMs = (nextInstructionSeconds: number): number =>
  Math.min(Math.max(nextInstructionSeconds * 1_000, POLL_MS_MIN), POLL_MS_MAX);

/** A wait that a wake-up ends early. A wake-up between two waits ends the next wait. */
export interface WakeSignal {
  wait(ms: number, signal: AbortSignal): Promise<void>;
  ring(): void;
}

export function createWakeSignal(timer: Timer): WakeSignal {
  let hasRung = false;
  let wake: AbortController | undefined;
  return {
    wait: async (ms, signal) => {
      if (!hasRung) {
        wake = new AbortController();
        await timer.sleep(ms, AbortSignal.any([signal, wake.signal]));
        wake = undefined;
      }
      hasRung = false;
    },
    ring: () => {
      hasRung = true;
      wake?.abort();
    },
  };
}
