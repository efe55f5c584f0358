import { realTimer, type Timer } from '@muster/host-api';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Durations on a typical machine in milliseconds of its own time. */
export const DURATIONS_MS = {
  firmwareStart: 3 * MINUTE,
  liveSystemStart: MINUTE,
  /** From the first sign of an installation to the first byte on the disk. */
  preparation: 20 * SECOND,
  bootstrapPreparation: 90 * SECOND,
  /** Twenty reports of five percent. */
  writeStep: 9 * SECOND,
  shutdown: MINUTE,
  logsGathering: 20 * SECOND,
  /** Until the machine config server of the bootstrap host answers. */
  machineConfigServerStart: 4 * MINUTE,
  bootkube: 12 * MINUTE,
  ignitionFetch: 30 * SECOND,
  /** The operating system's own image, kubelet, certificates. */
  configuration: 4 * MINUTE,
  nodeBecomesReady: 90 * SECOND,
  controllerStart: MINUTE,
  operatorRollout: 6 * MINUTE,
  olmRollout: 4 * MINUTE,
  diskSpeedCheck: 20 * SECOND,
  imagePull: 15 * SECOND,
} as const;

/** How often the programs of an installation look; milliseconds of the machine's own time. */
export const INTERVALS_MS = {
  otherHosts: 5 * SECOND,
  machineConfigLog: 30 * SECOND,
  nodes: 30 * SECOND,
  clusterStatus: 60 * SECOND,
  finalizing: 30 * SECOND,
  operators: 60 * SECOND,
  controllerLogs: 5 * MINUTE,
} as const;

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
