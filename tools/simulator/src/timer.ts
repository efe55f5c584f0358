import { realTimer, type Timer } from '@muster/host-api';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;

/** Durations on a typical machine, in milliseconds of its own time. */
export const DURATIONS_MS = {
  firmwareStart: 3 * MINUTE,
  liveSystemStart: MINUTE,
  /** From the start of the installation to the first byte on the disk. */
  preparation: 20 * SECOND,
  bootstrapPreparation: 90 * SECOND,
  /** Twenty reports of five percent. */
  writeStep: 9 * SECOND,
  shutdown: MINUTE,
  logsGathering: 20 * SECOND,
  /** Until the machine-config server of the bootstrap host answers. */
  machineConfigServerStart: 4 * MINUTE,
  bootkube: 12 * MINUTE,
  ignitionFetch: 30 * SECOND,
  /** Operating system image of the release, kubelet, certificates. */
  configuration: 4 * MINUTE,
  nodeBecomesReady: 90 * SECOND,
  controllerStart: MINUTE,
  operatorRollout: 6 * MINUTE,
  olmRollout: 4 * MINUTE,
  diskSpeedCheck: 20 * SECOND,
  imagePull: 15 * SECOND,
} as const;

/** Poll intervals of the programs of an installation, in milliseconds of the machine's own time. */
export const INTERVALS_MS = {
  otherHosts: 5 * SECOND,
  machineConfigLog: 30 * SECOND,
  nodes: 30 * SECOND,
  clusterStatus: 60 * SECOND,
  finalizing: 30 * SECOND,
  operators: 60 * SECOND,
  controllerLogs: 5 * MINUTE,
} as const;

/** The time of a simulated machine. Durations are those of a real machine, in milliseconds. */
export interface SimulatedTimer {
  /**
   * Waits for work of the machine itself: the duration divided by the time scale. Ends early when `signal` is aborted.
   */
  work(ms: number, signal: AbortSignal): Promise<void>;
  /** Waits between requests to a service: divided too, but with a minimum, so that the service is not overloaded. */
  readonly polls: Timer;
}

export interface SimulatedTimerOptions {
  /** 1: real time. 60: a minute takes one second. */
  readonly timeScale: number;
  /** Minimum time between two requests, in milliseconds of real time. */
  readonly pollMsMin?: number;
  /** Factor by which a slow machine takes longer. */
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
