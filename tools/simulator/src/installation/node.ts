import type { IgnitionConfig } from '@muster/ignition-config';
import { checkNodeRoot } from '../scratch-root/check-roots';
import { applyIgnition } from '../scratch-root/scratch-roots';
import { DURATIONS_MS, type SimulatedTimer } from '../timer';
import type { SimulatedCluster, SimulatedWorld } from '../world/simulated-cluster';
import type { StagePath } from './host-stages';
import { withFetched } from './ignition-documents';

/** What the installer left on a machine's disk. */
export interface InstalledSystem {
  readonly clusterId: string;
  readonly path: StagePath;
  /** What the machine reads when it starts for the first time. */
  readonly config: IgnitionConfig;
}

/**
 * A machine that boots from its disk becomes a node of its cluster. Resolves once it is ready. Throws when its config, or what
 * that refers to, does not make a node of it: it would stop in its first boot.
 */
export async function becomeNode(
  hostId: string,
  { clusterId, path, config }: InstalledSystem,
  world: SimulatedWorld,
  timer: SimulatedTimer,
  signal: AbortSignal,
): Promise<void> {
  const endpoint = endpointOf(config);
  // The service may know the cluster that runs under another id: the endpoint tells which one it really is.
  const find = (): SimulatedCluster => {
    const own = world.cluster(clusterId);
    return own.machineConfigServer ? own : (world.clusterAt(endpoint) ?? own);
  };
  let cluster = world.cluster(clusterId);
  let complete = config;
  // A single node carries its configuration on its own disk; all others ask the machine config server.
  if (path !== 'single-node') {
    await world.until(() => find().machineConfigServer !== undefined, signal);
    cluster = find();
    await timer.work(DURATIONS_MS.ignitionFetch, signal);
    const server = cluster.machineConfigServer;
    if (signal.aborted || !server) return;
    complete = await withFetched(config, server);
    cluster.ignitionFetchedBy.add(hostId);
    world.changed();
  }
  const root = world.roots.fresh(hostId, 'installed');
  applyIgnition(complete, root);
  checkNodeRoot(root);
  await timer.work(DURATIONS_MS.configuration, signal);
  const enter = (isReady: boolean): void => {
    if (signal.aborted) return;
    cluster.nodes.set(hostId, { isControlPlane: path !== 'worker', isReady });
    world.changed();
  };
  enter(false);
  await timer.work(DURATIONS_MS.nodeBecomesReady, signal);
  enter(true);
}

/** Name or address that the machine asks for its pool's configuration; empty when its config is complete. */
function endpointOf({ ignition }: IgnitionConfig): string {
  const source = ignition.config?.merge?.[0]?.source ?? '';
  return URL.canParse(source) ? new URL(source).hostname : '';
}
