import type { Clock, Ids } from '@muster/ports';

/** A clock whose time the test sets. */
export interface ManualClock extends Clock {
  advance(ms: number): void;
  /** Sets the clock of the machine. No time passes. */
  set(ms: number): void;
}

/** Creates a clock that starts at `startMs`, milliseconds since the Unix epoch. @default 2024-01-01T00:00:00.000Z */
export const manualClock = (startMs = Date.UTC(2024, 0, 1)): ManualClock => {
  let now = startMs;
  let passed = 0;
  return {
    nowMs: () => now,
    monotonicMs: () => passed,
    advance: (ms) => {
      now += ms;
      passed += ms;
    },
    set: (ms) => {
      now = ms;
    },
  };
};

/** Version 4 UUIDs that depend on the seed only, so that a failing run can be repeated. */
export const seededIds = (seed = 1): Ids => {
  const random = mulberry32(seed);
  return {
    uuid: () => {
      const hex = Array.from({ length: 4 }, () => random().toString(16).padStart(8, '0')).join('');
      const variant = ((Number.parseInt(hex.charAt(16), 16) & 0x3) | 0x8).toString(16);
      return [
        hex.slice(0, 8),
        hex.slice(8, 12),
        `4${hex.slice(13, 16)}`,
        `${variant}${hex.slice(17, 20)}`,
        hex.slice(20),
      ].join('-');
    },
  };
};

/** A small generator of 32-bit numbers, suitable for test ids and not for keys. */
const mulberry32 = (seed: number) => {
  let state = seed >>> 0;
  return (): number => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return (mixed ^ (mixed >>> 14)) >>> 0;
  };
};

/** How long a test waits for an expected state before it fails: shorter than jest, which would not name the state. */
const TIMEOUT_MS = 25_000;
const POLL_INTERVAL_MS = 5;

/** Resolves when `happened` returns true. After the timeout, the error contains `what`. */
export const eventually = async (what: string, happened: () => boolean | Promise<boolean>): Promise<void> => {
  const giveUpAt = Date.now() + TIMEOUT_MS;
  while (!(await happened())) {
    if (Date.now() > giveUpAt) throw new Error(`The expected state was not reached within ${TIMEOUT_MS} ms: ${what}`);
    await new Promise((resolve) => setTimeout(resolve, POLL_INTERVAL_MS));
  }
};
