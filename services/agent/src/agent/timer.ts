import { setTimeout as delay } from 'node:timers/promises';

/** Waiting as a capability: a simulation waits shorter, a test not at all. */
export interface Timer {
  /** Resolves after `ms`, or at once when `signal` is aborted. Never rejects. */
  sleep(ms: number, signal: AbortSignal): Promise<void>;
}

export const realTimer: Timer = {
  sleep: (ms, signal) => delay(ms, undefined, { signal }).catch(() => undefined),
};

/** Resolves when `signal` is aborted. */
export const untilAborted = (signal: AbortSignal): Promise<void> =>
  new Promise((resolve) => {
    if (signal.aborted) return resolve();
    signal.addEventListener('abort', () => resolve(), { once: true });
  });
