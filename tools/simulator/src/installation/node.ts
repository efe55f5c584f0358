import type { IgnitionConfig } from '@muster/ignition-config';
import { checkNodeRoot } from '../scratch-root/check-roots';
import { applyIgnition } from '../scratch-root/scratch-roots';
import { DURATIONS_MS, type SimulatedTimer } from '../timer';
import type { SimulatedCluster, SimulatedWorld } from '../world/simulated-cluster';
import type { StagePath } from './host-stages';
import { withFetched } from './ignition-documents';

/** The system that the installer wrote to the disk of a machine. */
export interface InstalledSystem {
  readonly clusterId: string;
  readonly path: StagePath;
  /** The config that the machine applies on first boot. */
  readonly config: IgnitionConfig;
}

/**
 * Boots a machine from its disk as a node of its cluster. Resolves when the node is ready.
 * @throws when its config, or a config to which it refers, is incomplete, because the machine would stop in its first
 * boot
 */
export async function becomeNode(
  hostId: string,
  { clusterId, path, config }: InstalledSystem,
  world: SimulatedWorld,
  timer: SimulatedTimer,
  signal: AbortSignal,
): Promise<void> {
  const endpoint = endpointOf(config);
  // The service may use another id for the running cluster, so the endpoint identifies the cluster.
  const find = (): SimulatedCluster => {
    const own = world.cluster(clusterId);
    return own.machineConfigServer ? own : (world.clusterAt(endpoint) ?? own);
  };
  let cluster = world.cluster(clusterId);
  let complete = config;
  // The config of a single node is complete. Other hosts request the config of their pool from the machine-config
  // server.
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

/**
 * Returns the name or address from which the machine requests the config of its pool; empty when its config is
 * complete.
 */
function endpointOf({ ignition }: IgnitionConfig): string {
  const source = ignition.config?.merge?.[0]?.source ?? '';
  return URL.canParse(source) ? new URL(source).hostname : '';
}
