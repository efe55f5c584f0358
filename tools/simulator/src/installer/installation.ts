import { type HostRef, HttpRefused, type ServiceAccess, type ServiceApi } from '@muster/host-api';
import { type InstallRequest } from '@muster/service-agent';
import type { SimulationObserver, SimulatedHostRef } from '../observer';
import type { SimulatedTimer } from '../timer';
import type { SimulatedCluster, SimulatedWorld } from '../world/simulated-cluster';
import { percentOf, type HostStage, type StagePath } from './host-stages';

/** One run of the installer on one host, and all that it works with. */
export interface Installation {
  readonly order: InstallRequest;
  readonly path: StagePath;
  readonly host: HostRef & SimulatedHostRef;
  readonly access: ServiceAccess;
  readonly api: ServiceApi;
  readonly world: SimulatedWorld;
  readonly cluster: SimulatedCluster;
  readonly timer: SimulatedTimer;
  readonly observer: SimulationObserver;
  /** Called between stages and at every report of the disk; may end the machine. */
  readonly onReported?: (stage: HostStage, info: string) => void;
}

export function stagePathOf({ role, controlPlaneCount }: InstallRequest): StagePath {
  if (role === 'bootstrap') return controlPlaneCount === 1 ? 'single-node' : 'bootstrap';
  return role === 'worker' ? 'worker' : 'master';
}

/** Tells the service; a refusal is noted and the installation goes on, as with today's installers. */
export async function reportStage(
  installation: Installation,
  stage: HostStage,
  info: string,
  signal: AbortSignal,
  share = 0,
): Promise<void> {
  const { api, host, observer, path } = installation;
  if (signal.aborted) return;
  try {
    await api.reportHostProgress(host, stage, info, signal);
    observer.onStage?.(host, stage, percentOf(path, stage, share));
  } catch (error) {
    if (!(error instanceof HttpRefused)) throw error;
    observer.onTrouble?.(host, `the service did not take the stage "${stage}": ${error.reason}`);
  }
  installation.onReported?.(stage, info);
}
