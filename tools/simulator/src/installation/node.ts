import type { IgnitionConfig } from '@muster/ignition-config';
import type { SimulatedHostRef, SimulationObserver } from '../observer';
import { checkNodeRoot } from '../scratch-root/check-roots';
import { applyIgnition } from '../scratch-root/scratch-roots';
import { DURATIONS_MS, INTERVALS_MS, type SimulatedTimer } from '../timer';
import type { ServerPorts } from '../world/server-names';
import type { SimulatedWorld } from '../world/simulated-cluster';
import type { StagePath } from './host-stages';
import { NoAnswer, withFetched } from './ignition-documents';

/** The system that the installer wrote to the disk of a machine. */
export interface InstalledSystem {
  readonly clusterId: string;
  readonly path: StagePath;
  /** The config that the machine applies on first boot. */
  readonly config: IgnitionConfig;
}

export interface NodePlay {
  readonly self: SimulatedHostRef;
  readonly system: InstalledSystem;
  readonly world: SimulatedWorld;
  readonly timer: SimulatedTimer;
  readonly observer: SimulationObserver;
}

/**
 * Boots a machine from its disk as a node of its cluster. Resolves when the node is ready.
 * @throws when its config, or a config to which it refers, is incomplete, because the machine would stop in its first
 * boot
 */
export async function becomeNode(
  { self, system, world, timer, observer }: NodePlay,
  signal: AbortSignal,
): Promise<void> {
  const { hostId } = self;
  const { clusterId, path, config } = system;
  let cluster = world.cluster(clusterId);
  let complete = config;
  // The config of a single node is complete. Other hosts request the config of their pool from the machine-config
  // server.
  if (path !== 'single-node') {
    const endpoint = endpointOf(config);
    const find = (): ServerPorts | undefined =>
      world.cluster(clusterId).machineConfigServer ?? world.serverAt(endpoint);
    const fetchOnce = async (): Promise<IgnitionConfig | undefined> => {
      await untilFound(find, world, timer, signal);
      await timer.work(DURATIONS_MS.ignitionFetch, signal);
      const server = find();
      if (signal.aborted || !server) return undefined;
      try {
        return await withFetched(config, server);
      } catch (error) {
        if (!(error instanceof NoAnswer)) throw error;
        observer.onTrouble?.(self, `${error.message} The download is repeated.`);
        return undefined;
      }
    };
    let fetched: IgnitionConfig | undefined;
    while (!fetched && !signal.aborted) fetched = await fetchOnce();
    if (!fetched) return;
    complete = fetched;
    // The service may use another id for the running cluster, so the endpoint identifies the cluster.
    if (!cluster.machineConfigServer) cluster = world.clusterAt(endpoint) ?? cluster;
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
    observer.onNode?.(self, isReady ? 'ready' : 'joined');
  };
  enter(false);
  await timer.work(DURATIONS_MS.nodeBecomesReady, signal);
  enter(true);
}

/** Servers of other processes appear without a notification, so the search is repeated, as Ignition does. */
async function untilFound(
  find: () => ServerPorts | undefined,
  world: SimulatedWorld,
  timer: SimulatedTimer,
  signal: AbortSignal,
): Promise<void> {
  while (!signal.aborted && !find()) {
    const pause = new AbortController();
    const stop = AbortSignal.any([signal, pause.signal]);
    void timer.polls.sleep(INTERVALS_MS.otherHosts, stop).then(() => pause.abort());
    await world.until(() => find() !== undefined, stop);
    pause.abort();
  }
}

/**
 * Returns the name or address from which the machine requests the config of its pool; empty when its config is
 * complete.
 */
function endpointOf({ ignition }: IgnitionConfig): string {
  const source = ignition.config?.merge?.[0]?.source ?? '';
  return URL.canParse(source) ? new URL(source).hostname : '';
}
