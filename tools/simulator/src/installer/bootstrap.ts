import { HttpRefused, type ServiceHost } from '@muster/host-api';
import { DURATIONS_MS, INTERVALS_MS } from '../durations';
import { percentOf } from './host-stages';
import { applyIgnition } from '../scratch-root/apply-ignition';
import { checkBootstrapRoot } from '../scratch-root/check-bootstrap-root';
import { startMachineConfigServer } from '../world/machine-config-server';
import { readIgnition } from './ignition';
import { reportStage, type Installation } from './installation';

/** Nodes of the control plane, besides the bootstrap host, that must be ready before bootstrapping can end. */
const READY_NODES_MAX = 2;
const PAST_CONFIGURING = ['Configuring', 'Joined', 'Done', 'Waiting for ignition'];
const PAST_JOINED = ['Joined', 'Done'];

/** Applies the bootstrap config and brings up the temporary control plane; resolves with its file system. With other nodes to come, it goes on in the background until `signal` is aborted. */
export async function startBootstrap(installation: Installation, signal: AbortSignal): Promise<string> {
  const { access, api, order, timer, path, world } = installation;
  const config = readIgnition(await api.clusterFile(order.clusterId, 'bootstrap.ign', signal), 'bootstrapping');
  const root = world.roots.fresh(installation.host.hostId, 'live');
  applyIgnition(config, root);
  checkBootstrapRoot(root, path === 'single-node');
  const cluster = world.begin(order.clusterId);
  const { serviceUrl, token, agentVersion } = access;
  cluster.controllerConfig = { clusterId: order.clusterId, serviceUrl, token, agentVersion };
  await timer.work(DURATIONS_MS.bootstrapPreparation, signal);
  if (path === 'single-node') return root;
  const server = await startMachineConfigServer(root);
  if (signal.aborted) server.close();
  void timer.work(DURATIONS_MS.machineConfigServerStart, signal).then(() => {
    if (signal.aborted) return server.close();
    cluster.machineConfigServer = server;
    world.changed();
  });
  void runBootkube(installation, signal);
  void watchOtherHosts(installation, signal);
  return root;
}

async function runBootkube({ cluster, order, timer, world }: Installation, signal: AbortSignal): Promise<void> {
  await timer.work(DURATIONS_MS.bootkube, signal);
  const required = Math.min(Math.max(order.controlPlaneCount - 1, 1), READY_NODES_MAX);
  await world.until(() => readyControlPlane(cluster) >= required, signal);
  if (signal.aborted) return;
  cluster.isBootstrapped = true;
  world.changed();
}

const readyControlPlane = (cluster: Installation['cluster']): number =>
  [...cluster.nodes.values()].filter((node) => node.isControlPlane && node.isReady).length;

/** What the bootstrap host's own installer waits for after its disk is written. */
export async function followBootstrap(installation: Installation, signal: AbortSignal): Promise<void> {
  const { cluster, order, world } = installation;
  const required = Math.min(Math.max(order.controlPlaneCount - 1, 1), READY_NODES_MAX);
  const wait = (isTrue: () => boolean): Promise<void> => world.until(isTrue, signal);
  await reportStage(installation, 'Waiting for control plane', 'waiting for the other control plane hosts', signal);
  // Not before the service has heard of them: that is done on the same round on which they are counted.
  const known = (): number => [...cluster.joinReported].filter((id) => cluster.nodes.get(id)?.isControlPlane).length;
  await wait(() => known() >= required);
  await reportStage(installation, 'Waiting for bootkube', '', signal);
  await wait(() => cluster.isBootstrapped);
  await reportStage(
    installation,
    'Waiting for controller',
    'waiting for the controller to say that it is there',
    signal,
  );
  await wait(() => cluster.isControllerReady);
}

/** Tells the service of the others what only the bootstrap host can see: who fetched its configuration, who joined. */
async function watchOtherHosts(installation: Installation, signal: AbortSignal): Promise<void> {
  const { api, cluster, host, observer, order, timer, world } = installation;
  const told = new Set<string>();
  while (!signal.aborted) {
    const seen = [
      ...[...cluster.ignitionFetchedBy].map((id) => ({ id, stage: 'Configuring' as const })),
      ...[...cluster.nodes].filter(([, node]) => node.isReady).map(([id]) => ({ id, stage: 'Joined' as const })),
    ].filter(({ id, stage }) => id !== host.hostId && !told.has(`${id} ${stage}`));
    try {
      const hosts = seen.length > 0 ? ((await api.cluster(order.clusterId, true, signal)).hosts ?? []) : [];
      for (const { id, stage } of seen) {
        const other = hosts.find((one) => one.id === id);
        if (other) await tell(installation, other, stage, signal);
        told.add(`${id} ${stage}`);
        if (stage === 'Joined') cluster.joinReported.add(id);
      }
      world.changed();
    } catch (error) {
      if (signal.aborted) return;
      observer.onTrouble?.(host, `could not tell of other hosts: ${String(error)}`);
    }
    await timer.polls.sleep(INTERVALS_MS.otherHosts, signal);
  }
}

async function tell(
  { api, order, observer, world }: Installation,
  other: ServiceHost,
  sign: 'Configuring' | 'Joined',
  signal: AbortSignal,
): Promise<void> {
  const isWorker = other.role === 'worker';
  const known = sign === 'Configuring' ? PAST_CONFIGURING : PAST_JOINED;
  if (known.includes(other.progress?.current_stage ?? '') || other.status === 'installed') return;
  const stage = sign === 'Configuring' && isWorker ? 'Waiting for ignition' : sign;
  const ref = { hostId: other.id, infraEnvId: other.infra_env_id ?? order.infraEnvId };
  try {
    await api.reportHostProgress(ref, stage, '', signal);
    const { hostname, path } = world.host(other.id);
    observer.onStage?.({ hostId: other.id, hostname }, stage, percentOf(path, stage));
  } catch (error) {
    // The host is further already: someone else told it.
    if (!(error instanceof HttpRefused)) throw error;
  }
}
