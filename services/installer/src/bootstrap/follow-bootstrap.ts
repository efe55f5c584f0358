import {
  ARBITER_LABEL,
  CONTROL_PLANE_LABEL,
  createTarGz,
  hasVsphereAccess,
  isSelfInstalled,
  KUBE_RESOURCES,
  type KubeNode,
  nodeOf,
  removeUninitializedTaints,
  type ServiceHost,
  toKubeNode,
} from '@muster/host-api';
import { type IgnitionConfig, mergeIgnition } from '@muster/ignition-config';
import type { ClusterApi, KubeObject } from '@muster/ports';
import { createParser, textAt, valueOf } from '@muster/schema';
import { type Static, Type } from '@sinclair/typebox';
import { parse } from 'yaml';
import {
  INSTALL_FOLDER,
  type Installation,
  parseIgnition,
  reportStage,
  reportStageOf,
  waitUntil,
} from '../installation';
import { startBootstrap } from './start-bootstrap';

const POLL_MS = 5_000;
const WORKERS_POLL_MS = 30_000;
const CONTROLLER_LOGS_MS = 5 * 60_000;
const KUBECONFIG = '/opt/openshift/auth/kubeconfig';
const READY_NODES_MAX = 2;
const NAMESPACE = 'assisted-installer';
const READY_EVENT = 'AssistedControllerIsReady';
/** The stages of a worker before its reboot. */
const BEFORE_REBOOT = ['', 'Starting installation', 'Installing', 'Writing image to disk', 'Waiting for control plane'];
const CONFIG_ANNOTATION = 'machineconfiguration.openshift.io/currentConfig';
const DESIRED_ANNOTATION = 'machineconfiguration.openshift.io/desiredConfig';
const PAST_JOINED: readonly string[] = ['Joined', 'Done'];

/** Waits until the cluster runs without the bootstrap host, and reports the nodes that join. */
export async function followBootstrap(installation: Installation, signal: AbortSignal): Promise<void> {
  const { host } = installation;
  await reportStage(installation, 'Waiting for control plane', 'Waiting for bootstrap node preparation', signal);
  let kubeconfig = '';
  await waitUntil(
    installation,
    `the file ${KUBECONFIG}`,
    POLL_MS,
    async () => (kubeconfig = (await host.readFile(KUBECONFIG))?.toString('utf8') ?? '') !== '',
    signal,
  );
  if (signal.aborted) return;
  const cluster = installation.openCluster(kubeconfig);
  await reportStage(
    installation,
    'Waiting for control plane',
    'Waiting for masters to join bootstrap control plane',
    signal,
  );
  await waitForReadyNodes(installation, cluster, signal);
  await waitForBootkube(installation, signal);
  await waitForController(installation, cluster, signal);
  await waitForWorkers(installation, cluster, signal);
  await waitForConfigs(installation, cluster, signal);
}

const POOL = Type.Object({ replicas: Type.Optional(Type.Integer()) });
const INSTALL_CONFIG = Type.Object({
  controlPlane: Type.Optional(POOL),
  arbiter: Type.Optional(POOL),
  platform: Type.Optional(Type.Record(Type.String(), Type.Unknown())),
});
type InstallConfig = Static<typeof INSTALL_CONFIG>;
const parseInstallConfig = createParser(INSTALL_CONFIG, { name: 'install-config' });

async function waitForReadyNodes(installation: Installation, cluster: ClusterApi, signal: AbortSignal): Promise<void> {
  const reported = new Set<string>();
  await waitUntil(
    installation,
    'ready nodes of the control plane',
    POLL_MS,
    async () => {
      const config = await installConfigOf(cluster, signal);
      const replicas = config.controlPlane?.replicas ?? installation.settings.controlPlaneCount;
      const nodes = (await cluster.list(KUBE_RESOURCES.nodes, {}, signal)).map(toKubeNode);
      try {
        await removeTaints(installation, cluster, config, nodes, signal);
      } finally {
        // While a taint is not removed, the installation waits, and the user sees which hosts have joined.
        const ready = nodes.filter(({ isReady }) => isReady);
        await reportJoined(installation, ready, reported, signal);
      }
      const readyWith = (label: string): number =>
        nodes.filter(({ isReady, labels }) => isReady && label in labels).length;
      const required = Math.min(Math.max(replicas - 1, 1), READY_NODES_MAX);
      const needsArbiter = (config.arbiter?.replicas ?? 0) > 0;
      return readyWith(CONTROL_PLANE_LABEL) >= required && (!needsArbiter || readyWith(ARBITER_LABEL) >= 1);
    },
    signal,
  );
}

/** Returns an empty config while the cluster has none. */
async function installConfigOf(cluster: ClusterApi, signal: AbortSignal): Promise<InstallConfig> {
  const map = await cluster.get(
    { resource: KUBE_RESOURCES.configMaps, namespace: 'kube-system', name: 'cluster-config-v1' },
    signal,
  );
  const text = textAt(map, 'data', 'install-config');
  return text ? (valueOf(parseInstallConfig(parse(text))) ?? {}) : {};
}

/** The cloud providers of these platforms initialize nodes only after the installation. */
async function removeTaints(
  { api, settings }: Installation,
  cluster: ClusterApi,
  { platform = {} }: InstallConfig,
  nodes: readonly KubeNode[],
  signal: AbortSignal,
): Promise<void> {
  const isVsphere = 'vsphere' in platform;
  if (!isVsphere && !('nutanix' in platform)) return;
  const mayKeep = isVsphere && (await isSelfInstalled(cluster, signal));
  if (mayKeep && hasVsphereAccess(await api.cluster(settings.clusterId, false, signal))) return;
  await removeUninitializedTaints(cluster, nodes, signal);
}

async function reportJoined(
  installation: Installation,
  nodes: readonly KubeNode[],
  reported: Set<string>,
  signal: AbortSignal,
): Promise<void> {
  if (nodes.every(({ name }) => reported.has(name))) return;
  const { api, settings } = installation;
  const { hosts = [] } = await api.cluster(settings.clusterId, true, signal);
  for (const host of hosts) {
    const node = nodeOf(host, nodes);
    if (!node || reported.has(node.name)) continue;
    const stage = host.progress?.current_stage ?? '';
    const infraEnvId = host.infra_env_id ?? settings.infraEnvId;
    if (host.status !== 'installed' && !PAST_JOINED.includes(stage)) {
      // The service accepts stages only in their order.
      if (stage === 'Rebooting')
        await reportStageOf(installation, { hostId: host.id, infraEnvId }, 'Configuring', '', signal);
      await reportStageOf(installation, { hostId: host.id, infraEnvId }, 'Joined', '', signal);
    }
    reported.add(node.name);
  }
}

async function waitForBootkube(installation: Installation, signal: AbortSignal): Promise<void> {
  const { host } = installation;
  await reportStage(installation, 'Waiting for bootkube', '', signal);
  await waitUntil(installation, 'bootkube', POLL_MS, () => host.exists(BOOTKUBE_DONE), signal);
  await reportStage(installation, 'Waiting for bootkube', 'waiting for ETCD bootstrap to be complete', signal);
  const isInactive = async (): Promise<boolean> => {
    const { stdout } = await host.run('systemctl', ['is-active', 'progress.service'], {}, signal);
    return stdout.trim() === 'inactive';
  };
  await waitUntil(installation, 'etcd', POLL_MS, isInactive, signal);
}

async function waitForController(installation: Installation, cluster: ClusterApi, signal: AbortSignal): Promise<void> {
  await reportStage(installation, 'Waiting for controller', 'waiting for controller pod ready event', signal);
  const done = new AbortController();
  void sendControllerLogs(installation, cluster, AbortSignal.any([signal, done.signal]));
  const isThere = async (): Promise<boolean> => {
    const events = await cluster.list(KUBE_RESOURCES.events, { namespace: NAMESPACE }, signal);
    return events.some(({ metadata }) => metadata.name === READY_EVENT);
  };
  await waitUntil(installation, 'the controller', POLL_MS, isThere, signal);
  done.abort();
}

async function sendControllerLogs(installation: Installation, cluster: ClusterApi, signal: AbortSignal): Promise<void> {
  const { api, settings, timer } = installation;
  await timer.sleep(CONTROLLER_LOGS_MS, signal);
  while (!signal.aborted) {
    try {
      const pods = await cluster.list(
        KUBE_RESOURCES.pods,
        { namespace: NAMESPACE, labelSelector: 'job-name=assisted-installer-controller' },
        signal,
      );
      // A Job replaces a pod that failed, and keeps it. Times in this form are sorted as texts.
      const createdAt = (pod: KubeObject): string => textAt(pod, 'metadata', 'creationTimestamp') ?? '';
      const [pod] = [...pods].sort((a, b) => (createdAt(a) < createdAt(b) ? 1 : -1));
      if (pod) {
        const log = await cluster.podLog({ namespace: NAMESPACE, name: pod.metadata.name }, {}, signal);
        const archive = await createTarGz({ 'assisted-installer-controller.logs': log });
        await api.uploadControllerLogs(settings.clusterId, archive, signal);
      }
    } catch {
      // Once the controller runs, it sends its logs itself.
    }
    await timer.sleep(CONTROLLER_LOGS_MS, signal);
  }
}

/** Workers need the service until they reboot. It may run on this host, which must not reboot before. */
async function waitForWorkers(installation: Installation, cluster: ClusterApi, signal: AbortSignal): Promise<void> {
  const { api, settings } = installation;
  let reported = '';
  const areOnTheirWay = async (): Promise<boolean> => {
    if (!(await isSelfInstalled(cluster, signal))) return true;
    const workers = await api.hostsOfRole(settings.clusterId, 'worker', signal);
    const names = workers.filter(needsService).map(({ id, requested_hostname: name }) => name || id);
    const text = `waiting for the reboot of ${names.join(', ')}`;
    if (names.length > 0 && text !== reported) await reportStage(installation, 'Waiting for controller', text, signal);
    reported = text;
    return names.length === 0;
  };
  await waitUntil(installation, 'the workers', WORKERS_POLL_MS, areOnTheirWay, signal);
}

/** The service stops the installer of a worker in `error`, also when it only exceeded its time limit. Such a worker never reboots. */
function needsService({ progress, status }: ServiceHost): boolean {
  return status !== 'error' && BEFORE_REBOOT.includes(progress?.current_stage ?? '');
}

/** All control plane nodes must have the same desired configuration, and it must exist. */
async function waitForConfigs(installation: Installation, cluster: ClusterApi, signal: AbortSignal): Promise<void> {
  const areConsistent = async (): Promise<boolean> => {
    const nodes = (await cluster.list(KUBE_RESOURCES.nodes, { labelSelector: CONTROL_PLANE_LABEL }, signal)).map(
      toKubeNode,
    );
    const current = nodes.map(({ annotations }) => annotations[CONFIG_ANNOTATION]);
    const desired = nodes.map(({ annotations }) => annotations[DESIRED_ANNOTATION]);
    if ([...current, ...desired].some((name) => !name) || new Set(desired).size > 1) return false;
    for (const name of new Set([...current, ...desired]))
      if (name && !(await cluster.get({ resource: KUBE_RESOURCES.machineConfigs, name }, signal))) return false;
    return true;
  };
  await waitUntil(installation, 'the configuration of the control plane', POLL_MS, areConsistent, signal);
}

export const BOOTKUBE_DONE = '/opt/openshift/.bootkube.done';
const MASTER_IGNITION = '/opt/openshift/master.ign';

/**
 * Installs a single node: runs the bootstrap control plane in the live system, then merges its output with the config
 * of this host. The installed system downloads nothing on first boot.
 */
export async function bootstrapInPlace(installation: Installation, signal: AbortSignal): Promise<void> {
  const { api, host, settings } = installation;
  await startBootstrap(installation, signal);
  await reportStage(installation, 'Waiting for bootkube', '', signal);
  await waitUntil(installation, 'bootkube', POLL_MS, () => host.exists(BOOTKUBE_DONE), signal);
  if (signal.aborted) return;
  const master = parseIgnition(await host.readFile(MASTER_IGNITION), MASTER_IGNITION);
  const { hostId, infraEnvId } = settings;
  const own = parseIgnition(await api.hostIgnition({ hostId, infraEnvId }, signal), `of host ${hostId}`);
  const path = `${INSTALL_FOLDER}/master-${hostId}.ign`;
  await host.writeFile(path, JSON.stringify(mergeIgnition(master, withoutSources(own))));
  installation.ignitionPath = path;
}

const withoutSources = ({ ignition: { config: _, ...ignition }, ...rest }: IgnitionConfig): IgnitionConfig => ({
  ...rest,
  ignition,
});
