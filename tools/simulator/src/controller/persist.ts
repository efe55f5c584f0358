import { type ServiceApi } from '@muster/host-api';
import type { SimulationObserver } from '../observer';
import type { SimulatedTimer } from '../timer';
import type { ControllerConfig, SimulatedCluster, SimulatedWorld } from '../world/simulated-cluster';

/** The in-cluster controller at work, and all that it works with. */
export interface Controller {
  readonly config: ControllerConfig;
  readonly api: ServiceApi;
  readonly cluster: SimulatedCluster;
  readonly world: SimulatedWorld;
  readonly timer: SimulatedTimer;
  readonly observer: SimulationObserver;
}

/** Tries until it succeeds. */
export async function persist(
  { config, observer, timer }: Controller,
  what: string,
  intervalMs: number,
  signal: AbortSignal,
  attempt: () => Promise<void>,
): Promise<void> {
  while (!signal.aborted) {
    try {
      return await attempt();
    } catch (error) {
      if (signal.aborted) return;
      observer.onController?.(config.clusterId, `could not ${what}: ${error instanceof Error ? error.message : error}`);
      await timer.polls.sleep(intervalMs, signal);
    }
  }
}
