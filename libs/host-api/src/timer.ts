import { setTimeout as delay } from 'node:timers/promises';
import { errorMessage } from '@muster/schema';

/** Waiting as a port: a simulation waits for a shorter time, a test does not wait. */
export interface Timer {
  /** Resolves after `ms`, or immediately when `signal` is aborted. Never rejects. */
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

/**
 * Calls `attempt` until it does not throw, at intervals of `intervalMs`, or until `signal` is aborted. `onFailure`
 * receives each reason.
 */
export async function retryUntilDone(
  attempt: () => Promise<void>,
  options: { readonly timer: Timer; readonly intervalMs: number; readonly onFailure?: (reason: string) => void },
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted) return;
      options.onFailure?.(errorMessage(error));
      await options.timer.sleep(options.intervalMs, signal);
    }
  }
}
