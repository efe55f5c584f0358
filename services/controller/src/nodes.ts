import {
  conditionsOf,
  hasFetchedIgnition,
  hasVsphereAccess,
  HttpRefused,
  ignitionClients,
  isSelfInstalled,
  KUBE_RESOURCES,
  nodeOf,
  removeUninitializedTaints,
  type ServiceCluster,
  type ServiceHost,
  toKubeNode,
} from '@muster/host-api';
import { abortAfter, KeyedQueue, type KubeObject } from '@muster/ports';
import { errorMessage, objectAt, parseJson, textAt } from '@muster/schema';
import { type Controller, INTERVALS_MS, note, openClient, persist, repeat } from './controller';

const CONDITION = {
  type: 'Approved',
  status: 'True',
  reason: 'NodeCSRApprove',
  message: 'This CSR was approved by the assisted-installer-controller',
};

const KUBELET_SIGNERS = ['kubernetes.io/kube-apiserver-client-kubelet', 'kubernetes.io/kubelet-serving'];

/**
 * Approves every certificate request of a kubelet that is neither approved nor denied, because the cluster cannot verify
 * its nodes during the installation. On a single node the controller is an administrator, which can approve requests of
 * all signers, for example for the certificate of a user. Ends with `signal`.
 */
export async function approveCertificates(controller: Controller, signal: AbortSignal): Promise<void> {
  const { cluster } = controller;
  const resource = KUBE_RESOURCES.certificateSigningRequests;
  await repeat(
    controller,
    'Approving certificates',
    INTERVALS_MS.nodes,
    async () => {
      for (const request of (await cluster.list(resource, {}, signal)).filter(isPending)) {
        const { name } = request.metadata;
        const conditions = [...conditionsOf(request), CONDITION];
        const approved = { ...request, status: { ...objectAt(request, 'status'), conditions } };
        // The requests after a refused one must not wait.
        await cluster.replace({ resource, name }, approved, 'approval', signal).catch((error: unknown) => {
          if (!signal.aborted)
            note(controller, `The certificate request ${name} was not approved: ${errorMessage(error)}`);
        });
      }
      return false;
    },
    signal,
  );
}

const isPending = (request: KubeObject): boolean =>
  KUBELET_SIGNERS.includes(textAt(request, 'spec', 'signerName') ?? '') &&
  !conditionsOf(request).some(({ type }) => type === 'Approved' || type === 'Denied');

/** At its end, the controller tries to set the last labels and to resume the pool for this time. */
const RESUME_MS_MAX = 10 * 60_000;

/**
 * Sets the labels that users assigned to hosts on their nodes, until all are set or the controller ends. A host in
 * `error` can still join. A label can change the pool of a worker, which reboots the worker while the pool of workers is
 * active. So the pool is paused before the nodes are ready, and resumed at the end.
 */
export async function labelNodes(controller: Controller, signal: AbortSignal): Promise<void> {
  const { api, cluster, settings } = controller;
  const labelled = new Set<string>();
  const refusals = new Map<string, string>();
  let isDone = false;
  let pool: 'active' | 'paused' | 'unknown' = 'active';
  const setPool = async (next: 'active' | 'paused', ending: AbortSignal): Promise<void> => {
    // A call without an answer can have changed the pool.
    pool = 'unknown';
    const change = { spec: { paused: next === 'paused' } };
    await cluster.patch({ resource: KUBE_RESOURCES.machineConfigPools, name: 'worker' }, change, ending);
    pool = next;
  };
  const round = async (until: AbortSignal): Promise<boolean> => {
    const { hosts = [] } = await api.cluster(settings.clusterId, true, until);
    const wanted = hosts.filter(({ node_labels, status }) => (node_labels ?? '') !== '' && status !== 'disabled');
    const open = wanted.filter(({ id }) => !labelled.has(id));
    const changesPool = open.some(
      ({ machine_config_pool_name, role }) => role === 'worker' && machine_config_pool_name,
    );
    if (changesPool && pool !== 'paused') await setPool('paused', until);
    await labelReady(controller, open, { labelled, refusals }, until);
    if (hosts.length === 0 || wanted.some(({ id }) => !labelled.has(id))) return false;
    if (pool !== 'active') await setPool('active', until);
    return (isDone = true);
  };
  await repeat(controller, 'Labelling the nodes', INTERVALS_MS.nodes, () => round(signal), signal);
  if (isDone) return;
  const ending = AbortSignal.timeout(RESUME_MS_MAX);
  // The cluster can be installed as soon as its last node is ready.
  await round(ending).catch((error: unknown) => note(controller, `Labelling the nodes failed: ${errorMessage(error)}`));
  if (pool === 'active') return;
  await persist(controller, 'Resuming the pool of workers', RETRY_MS, () => setPool('active', ending), ending);
}

/** Labels the ready nodes of the hosts and adds their IDs to `labelled`. A refusal is logged once. */
async function labelReady(
  controller: Controller,
  hosts: readonly ServiceHost[],
  { labelled, refusals }: { readonly labelled: Set<string>; readonly refusals: Map<string, string> },
  signal: AbortSignal,
): Promise<void> {
  if (hosts.length === 0) return;
  const { cluster } = controller;
  const nodes = (await cluster.list(KUBE_RESOURCES.nodes, {}, signal)).map(toKubeNode);
  for (const host of hosts) {
    const node = nodeOf(host, nodes);
    if (!node?.isReady) continue;
    const labels = objectAt(parseJson(host.node_labels ?? '{}'));
    // The cluster may refuse a label. The hosts after a refused one must not wait.
    await cluster
      .patch({ resource: KUBE_RESOURCES.nodes, name: node.name }, { metadata: { labels } }, signal)
      .then(() => labelled.add(host.id))
      .catch((error: unknown) => {
        const reason = errorMessage(error);
        if (signal.aborted || refusals.get(host.id) === reason) return;
        refusals.set(host.id, reason);
        note(controller, `The node ${node.name} was not labelled: ${reason}`);
      });
  }
}

const TRIES = 10;
const RETRY_MS = 15_000;
/** The last host can be done just before the cluster is installed. Its reboots are counted for this time at most. */
const COUNT_MS_MAX = 6 * 60_000;

/** Many nodes become ready together. Each `oc` takes about 100 MB of memory on a node of the control plane. */
const COUNTS_AT_ONCE_MAX = 8;

/** Returns `countReboots` with a limit on the number of nodes that are counted at one time. The others wait for their turn. */
export function rebootCounts(
  controller: Controller,
  ended: AbortSignal,
): (host: ServiceHost, node: string) => Promise<void> {
  const queues = new KeyedQueue();
  const waiting = Array.from({ length: COUNTS_AT_ONCE_MAX }, () => 0);
  return async (host, node) => {
    const signal = abortAfter(COUNT_MS_MAX, ended);
    const shortest = waiting.indexOf(Math.min(...waiting));
    const wait = (change: 1 | -1): void => void (waiting[shortest] = (waiting[shortest] ?? 0) + change);
    wait(1);
    await queues.run(String(shortest), () => countReboots(controller, host, node, ended, signal));
    wait(-1);
  };
}

/** Adds an event with the number of reboots of a node during the installation. Gives up after six minutes. */
export async function countReboots(
  controller: Controller,
  host: ServiceHost,
  node: string,
  ended: AbortSignal,
  signal = abortAfter(COUNT_MS_MAX, ended),
): Promise<void> {
  const { api, settings } = controller;
  try {
    const output = await readReboots(controller, node, signal);
    const reboots = output.split('\n').filter((line) => line.startsWith('reboot ')).length;
    await api.createEvent(
      {
        cluster_id: settings.clusterId,
        host_id: host.id,
        infra_env_id: host.infra_env_id,
        name: 'reboots_for_node',
        category: 'user',
        severity: 'info',
        event_time: new Date().toISOString(),
        message: `Node ${node} has been rebooted ${reboots} times before completing installation`,
      },
      signal,
    );
  } catch (error) {
    if (!ended.aborted) note(controller, `The reboots of ${node} were not counted: ${errorMessage(error)}`);
  }
}

/** @throws the error of the last try */
async function readReboots(controller: Controller, node: string, signal: AbortSignal): Promise<string> {
  const oc = await openClient(controller, signal);
  for (let tried = 1; ; tried += 1) {
    try {
      return await oc('debug', `node/${node}`, '--', 'chroot', '/host', 'last', 'reboot');
    } catch (error) {
      if (tried >= TRIES || signal.aborted) throw error;
      await controller.timer.sleep(RETRY_MS, signal);
    }
  }
}

const JOINED_STAGES = ['Joined', 'Done'];
const STAGES_BEFORE_CONFIGURING = ['Rebooting', 'Waiting for ignition'];
const SETTLED = ['installed', 'disabled'];
const MCS_NAMESPACE = 'openshift-machine-config-operator';
const MCS_LOG_SECONDS = 300;
const UNTAINTED_PLATFORMS = ['nutanix', 'vsphere'];

/**
 * Reports which hosts became nodes, until every host is installed. A host in `error` can still join. Nodes lose their
 * taint also while the service is unavailable, because the cluster starts no pods on them before. `onDone` is called
 * for each node whose host is done.
 */
export async function followNodes(
  controller: Controller,
  own: ServiceCluster,
  onDone: (host: ServiceHost, node: string) => void,
  signal: AbortSignal,
): Promise<void> {
  const { api, cluster, settings, timer } = controller;
  while (!signal.aborted) {
    try {
      const nodes = (await cluster.list(KUBE_RESOURCES.nodes, {}, signal)).map(toKubeNode);
      const keepsTaints = hasVsphereAccess(own) && (await isSelfInstalled(cluster, signal));
      if (UNTAINTED_PLATFORMS.includes(own.platform?.type ?? '') && !keepsTaints)
        await removeUninitializedTaints(cluster, nodes, signal).catch((error: unknown) =>
          note(controller, `A taint was not removed: ${errorMessage(error)}`),
        );
      const { hosts = [] } = await api.cluster(settings.clusterId, true, signal);
      const open = hosts.filter(({ status }) => !SETTLED.includes(status));
      if (hosts.length > 0 && open.length === 0) return;
      const clients = ignitionClients(await machineConfigServerLog(controller, signal));
      for (const host of open) {
        const node = nodeOf(host, nodes);
        if ((await reportHost(controller, host, node, clients, signal)) && node) onDone(host, node.name);
      }
    } catch (error) {
      if (signal.aborted) return;
      note(controller, `The nodes were not reported: ${errorMessage(error)}`);
    }
    await timer.sleep(INTERVALS_MS.nodes, signal);
  }
}

/** Returns whether the host is done since this report. */
async function reportHost(
  controller: Controller,
  host: ServiceHost,
  node: ReturnType<typeof nodeOf>,
  clients: ReadonlySet<string>,
  signal: AbortSignal,
): Promise<boolean> {
  const stage = host.progress?.current_stage ?? '';
  const report = (next: string): Promise<boolean> => reportStage(controller, host, next, signal);
  if (!node) {
    if (STAGES_BEFORE_CONFIGURING.includes(stage) && hasFetchedIgnition(host, clients)) await report('Configuring');
    return false;
  }
  // A node has downloaded its Ignition config, even when the log does not contain it any more.
  if (stage === 'Waiting for ignition') await report('Configuring');
  // The service may have lost the reports of all earlier stages, for example after a restored backup.
  if (!JOINED_STAGES.includes(stage)) await report('Joined');
  return node.isReady && stage !== 'Done' && report('Done');
}

/** Returns false when the service refuses the stage. */
async function reportStage(
  controller: Controller,
  host: ServiceHost,
  stage: string,
  signal: AbortSignal,
): Promise<boolean> {
  try {
    const ref = { hostId: host.id, infraEnvId: host.infra_env_id ?? '' };
    await controller.api.reportHostProgress(ref, stage, '', signal);
    controller.observe?.({ type: 'host-stage', hostId: host.id, stage });
    return true;
  } catch (error) {
    // The host is at a later stage, or is not being installed. The next round reads its stage again.
    if (error instanceof HttpRefused) return false;
    throw error;
  }
}

async function machineConfigServerLog({ cluster }: Controller, signal: AbortSignal): Promise<string> {
  const query = { namespace: MCS_NAMESPACE, labelSelector: 'k8s-app=machine-config-server' };
  const pods = await cluster.list(KUBE_RESOURCES.pods, query, signal);
  const logs = await Promise.all(
    pods.map(({ metadata: { name } }) =>
      cluster.podLog({ namespace: MCS_NAMESPACE, name }, { sinceSeconds: MCS_LOG_SECONDS }, signal).catch(() => ''),
    ),
  );
  return logs.join('\n');
}
