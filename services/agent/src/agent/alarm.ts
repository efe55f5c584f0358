import type { Pace } from './pace';

/** A wait that a nudge cuts short. A nudge that comes while nobody waits is kept for the next wait. */
export interface Alarm {
  wait(ms: number, signal: AbortSignal): Promise<void>;
  ring(): void;
}

export function createAlarm(pace: Pace): Alarm {
  let hasRung = false;
  let wake: AbortController | undefined;
  return {
    wait: async (ms, signal) => {
      if (!hasRung) {
        wake = new AbortController();
        await pace.sleep(ms, AbortSignal.any([signal, wake.signal]));
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
