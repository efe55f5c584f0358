import { type Timer, realTimer } from '@muster/host-api';

/** How fast a simulated machine lives. Durations are given as on a real machine, in milliseconds. */
export interface SimulatedTimer {
  /** What the machine does by itself: divided by the time scale, nothing else. Ends early when `signal` is aborted. */
  work(ms: number, signal: AbortSignal): Promise<void>;
  /** Between two questions to a service: divided too, but never so short that the service is flooded. */
  readonly polls: Timer;
}

export interface SimulatedTimerOptions {
  /** 1: real time; 60: a minute passes in a second. */
  readonly timeScale: number;
  /** Least time between two questions, milliseconds of real time. */
  readonly pollMsMin?: number;
  /** A slow machine takes this many times longer for its own work. */
  readonly slowness?: number;
}

export const DEFAULT_POLL_MS_MIN = 200;

export function createSimulatedTimer({
  timeScale,
  pollMsMin = DEFAULT_POLL_MS_MIN,
  slowness = 1,
}: SimulatedTimerOptions): SimulatedTimer {
  if (!(timeScale > 0)) throw new Error(`The time scale must be a number above 0, not ${timeScale}.`);
  return {
    work: (ms, signal) => realTimer.sleep((ms * slowness) / timeScale, signal),
    polls: { sleep: (ms, signal) => realTimer.sleep(Math.max(ms / timeScale, Math.min(ms, pollMsMin)), signal) },
  };
}
