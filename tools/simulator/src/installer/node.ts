import { DURATIONS_MS } from '../durations';
import type { SimulatedPace } from '../pace';
import type { SimulatedWorld } from '../world/simulated-cluster';
import type { StagePath } from './host-stages';

/** What the installer left on a machine's disk. */
export interface InstalledSystem {
  readonly clusterId: string;
  readonly path: StagePath;
}

/** A machine that boots from its disk becomes a node of its cluster. Resolves once it is ready. */
export async function becomeNode(
  hostId: string,
  { clusterId, path }: InstalledSystem,
  world: SimulatedWorld,
  pace: SimulatedPace,
  signal: AbortSignal,
): Promise<void> {
  const cluster = world.cluster(clusterId);
  // A single node carries its configuration on its own disk; all others ask the machine config server.
  if (path !== 'single-node') {
    await world.until(() => cluster.isIgnitionServed, signal);
    await pace.work(DURATIONS_MS.ignitionFetch, signal);
    if (signal.aborted) return;
    cluster.ignitionFetchedBy.add(hostId);
    world.changed();
  }
  await pace.work(DURATIONS_MS.configuration, signal);
  const enter = (isReady: boolean): void => {
    if (signal.aborted) return;
    cluster.nodes.set(hostId, { isControlPlane: path !== 'worker', isReady });
    world.changed();
  };
  enter(false);
  await pace.work(DURATIONS_MS.nodeBecomesReady, signal);
  enter(true);
}
