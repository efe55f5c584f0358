import type { Clock } from '@muster/ports';

/** A clock that a test moves by hand. */
export interface ManualClock extends Clock {
  advance(ms: number): void;
  set(ms: number): void;
}

/** Starts at `startMs`, milliseconds since the Unix epoch (default: 2024-01-01T00:00:00.000Z). */
export const manualClock = (startMs = Date.UTC(2024, 0, 1)): ManualClock => {
  let now = startMs;
  return {
    nowMs: () => now,
    advance: (ms) => {
      now += ms;
    },
    set: (ms) => {
      now = ms;
    },
  };
};
