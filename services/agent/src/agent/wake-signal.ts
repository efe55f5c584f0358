import { type Timer } from '@muster/host-api';

/** A wait that a nudge cuts short. A nudge between two waits ends the next wait. */
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
