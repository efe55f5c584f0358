import {
  CONTROL_PLANE_LABEL,
  HttpRefused,
  isConditionTrue,
  isSelfInstalled,
  KUBE_RESOURCES,
  type ServiceCluster,
  type ServiceHost,
  ServiceUnreachable,
  toKubeNode,
} from '@muster/host-api';
import { errorMessage, listAt, memberAt, objectAt, textAt } from '@muster/schema';
import { parse } from 'yaml';
import { updateBareMetalHosts } from './bare-metal-hosts';
import { type Controller, INTERVALS_MS, note, persist } from './controller';
import { resolveDnsConflict } from './dns-conflict';
import { applyOwnManifests, finalize } from './finalize';
import { sendFinalLogs, sendLogsRepeatedly } from './logs';
import { approveCertificates, followNodes, labelNodes, rebootCounts } from './nodes';

const ENDS = ['installed', 'cancelled', 'adding-hosts'];
/** Statuses of a cluster that can still complete. Other statuses follow a reset. */
const CONTINUES = ['error', 'installing', 'installing-pending-user-action', 'finalizing'];
/** Number of polls after a failure: ten hours. */
const POLLS_AFTER_FAILURE = 600;
/** Number of polls, one per minute, for nodes and operators that are late. Those that failed never complete. */
const POLLS_WHILE_AVAILABLE_MAX = 600;
const NAMESPACE = 'assisted-installer';
const NAME = 'assisted-installer-controller';
const READY_EVENT = 'AssistedControllerIsReady';
/** Status of a cluster that the service does not have. */
const UNKNOWN = 'unknown';
/** Status of a cluster that is installed, and whose service has ended with the reboot of its host. */
const WITHOUT_SERVICE = 'installed-without-service';
/** In place of credentials that the cluster does not store in its config. */
const NOT_STORED = 'not-stored';
const WITHOUT_CLUSTER = 'The service no longer has this cluster.';
const REFUSED = 'The service refused the token of the controller';
const EXPIRED = 'The token is no longer valid, or the cluster was deleted.';
/**
 * The controller ends when it has this number of points from successive answers: one that the cluster is unknown, three
 * that the token is not valid, or those of 70 minutes that the token may not read the cluster.
 */
const UNKNOWN_POINTS_MAX = 210;
const UNKNOWN_POINTS = new Map([
  [404, 210],
  [401, 70],
  [403, 3],
]);
/** The token is not valid, or its user may not read the cluster. */
const TOKEN_REFUSED = [401, 403];
/** Number of polls, one per minute, in which a controller that is not ready may use a token that is refused. */
const REFUSED_POLLS_MAX = 70;

/**
 * Runs the controller of a new cluster until the installation has ended.
 * 1. Report that it runs.
 * 2. Concurrently: follow the nodes, approve certificates, update bare-metal hosts and labels, finalize.
 * 3. Send the logs, with the diagnosis when an operator of OLM failed.
 * A cluster in `error` can still complete, so the work continues for ten hours after the diagnosis is sent.
 * @throws Error when the service refuses the token for 70 minutes before the first step. The Job then starts the
 * controller again, which reads the token again.
 */
export async function runController(controller: Controller, signal: AbortSignal): Promise<void> {
  const ending = new AbortController();
  const working = AbortSignal.any([signal, ending.signal]);
  const failed = new AbortController();
  let labels: Promise<void> | undefined;
  try {
    void resolveDnsConflict(controller, working);
    let found: Awaited<ReturnType<typeof reportReady>> | HttpRefused | undefined;
    let refusedPolls = 0;
    const report = async (): Promise<void> => {
      found = await reportReady(controller, signal).catch(async (error: unknown) => {
        if (isUnanswered(error)) return clusterWithoutService(controller, error, signal);
        if (!(error instanceof HttpRefused && TOKEN_REFUSED.includes(error.status))) throw error;
        refusedPolls += 1;
        await controller.timer.sleep(INTERVALS_MS.clusterStatus, signal);
        if (refusedPolls < REFUSED_POLLS_MAX) throw error;
        return error;
      });
    };
    await persist(controller, 'Reporting ready', INTERVALS_MS.ready, report, signal);
    if (signal.aborted || !found) return;
    if (found instanceof HttpRefused)
      throw new Error(
        `${REFUSED} for ${REFUSED_POLLS_MAX} minutes: ${found.reason} Replace the token in the Secret ${NAME}-secret of the namespace ${NAMESPACE}.`,
      );
    if (typeof found === 'string') {
      if (found === UNKNOWN) note(controller, WITHOUT_CLUSTER);
      controller.observe?.({ type: 'ended', status: found });
      return;
    }
    if (found.status === UNKNOWN) void reportReadyLater(controller, working);
    else controller.observe?.({ type: 'ready' });
    const nodesDone = new AbortController();
    const counts: Promise<void>[] = [];
    const countReboots = rebootCounts(controller, signal);
    const countsReboots = (host: ServiceHost, node: string): void => {
      if (controller.settings.notifiesReboots) counts.push(countReboots(host, node));
    };
    // The logs do not wait until the pool of workers is resumed.
    labels = labelNodes(controller, working);
    const work = Promise.all([
      followNodes(controller, found, countsReboots, working).finally(() => nodesDone.abort()),
      approveCertificates(controller, AbortSignal.any([working, nodesDone.signal])),
      finalize(controller, working),
      found.platform?.type === 'baremetal' ? updateBareMetalHosts(controller, working) : undefined,
      // The log alone would replace the diagnosis.
      sendLogsRepeatedly(controller, AbortSignal.any([working, failed.signal])),
    ]);
    let diagnosis: Promise<void> | undefined;
    const status = await untilEnded(
      controller,
      () => {
        failed.abort();
        diagnosis = sendFinalLogs(controller, true, working).catch((error: unknown) =>
          note(controller, `The diagnosis is not sent: ${errorMessage(error)}`),
        );
      },
      signal,
    );
    ending.abort();
    await Promise.all([work, diagnosis]);
    await Promise.all(counts);
    if (signal.aborted) return;
    // The logs do not belong to a cluster that was reset, and the service refuses those of a cluster that it does not have.
    const takesLogs = ENDS.includes(status);
    const replacesDiagnosis = !failed.signal.aborted || status === 'installed';
    if (takesLogs && replacesDiagnosis)
      await sendFinalLogs(controller, await hasFailedOperator(controller, signal), signal);
    controller.observe?.({ type: 'ended', status });
  } finally {
    ending.abort();
    await labels;
  }
}

/** A proxy may fail in place of a service that has ended. */
const isUnanswered = (error: unknown): boolean =>
  error instanceof ServiceUnreachable || (error instanceof HttpRefused && error.isOfProxy);

/** An operator of OLM can fail in a cluster that is installed. */
async function hasFailedOperator({ api, settings }: Controller, signal: AbortSignal): Promise<boolean> {
  const operators = await api.operators(settings.clusterId, signal).catch(() => []);
  return operators.some(({ operator_type, status }) => operator_type === 'olm' && status === 'failed');
}

/** Returns the cluster, or the status with which to end. */
async function reportReady(
  controller: Controller,
  signal: AbortSignal,
): Promise<ServiceCluster | typeof UNKNOWN | typeof WITHOUT_SERVICE> {
  const { api, settings } = controller;
  const found = await api.cluster(settings.clusterId, false, signal).catch(async (error: unknown) => {
    if (error instanceof HttpRefused && error.status === 404) return UNKNOWN;
    const isAnswer = error instanceof HttpRefused && !error.isOfProxy;
    if (!isAnswer && (await completionWithoutService(controller, signal)) === 'complete') return WITHOUT_SERVICE;
    throw error;
  });
  if (typeof found !== 'string') await createReadyEvent(controller, signal);
  return found;
}

/** The installer on the bootstrap host waits for this event. */
async function createReadyEvent({ cluster }: Controller, signal: AbortSignal): Promise<void> {
  await cluster.list(KUBE_RESOURCES.nodes, {}, signal);
  await cluster.create(
    KUBE_RESOURCES.events,
    {
      apiVersion: 'v1',
      kind: 'Event',
      metadata: { name: READY_EVENT, namespace: NAMESPACE },
      involvedObject: { kind: 'Namespace', name: NAMESPACE, namespace: NAMESPACE },
      reason: READY_EVENT,
      message: 'The assisted controller is ready',
      source: { component: NAME },
      type: 'Normal',
    },
    signal,
  );
}

/**
 * Returns what the cluster itself knows, when its service was on one of its own hosts. This host joins after the service
 * ended, so its certificates and taints must not wait for the service.
 * @throws `error` for any other cluster
 */
async function clusterWithoutService(
  controller: Controller,
  error: unknown,
  signal: AbortSignal,
): Promise<ServiceCluster> {
  if (!(await isSelfInstalled(controller.cluster, signal))) throw error;
  const platform = objectAt(await installConfigOf(controller, signal), 'platform');
  const [type] = Object.keys(platform);
  const [vcenter] = listAt(platform, 'vsphere', 'vcenters');
  // The config in the cluster has no credentials, but it has the name of their server, or its placeholder.
  const access = { server: textAt(vcenter, 'server'), user: NOT_STORED, password: NOT_STORED };
  return {
    status: UNKNOWN,
    platform: { type },
    openshift_version: controller.settings.openshiftVersion,
    install_config_overrides: JSON.stringify({ platform: { vsphere: { vcenters: [access] } } }),
  };
}

/** The service may have been unavailable only for some time. Then the bootstrap host waits for the event. */
async function reportReadyLater(controller: Controller, signal: AbortSignal): Promise<void> {
  const report = async (): Promise<void> => {
    await controller.api.cluster(controller.settings.clusterId, false, signal);
    await createReadyEvent(controller, signal);
    controller.observe?.({ type: 'ready' });
  };
  await persist(controller, 'Reporting ready', INTERVALS_MS.clusterStatus, report, signal);
}

/** Returns the parsed install-config of the cluster. */
async function installConfigOf({ cluster }: Controller, signal: AbortSignal): Promise<unknown> {
  const ref = { resource: KUBE_RESOURCES.configMaps, namespace: 'kube-system', name: 'cluster-config-v1' };
  return parse(textAt(await cluster.get(ref, signal), 'data', 'install-config') ?? '');
}

const countNodes = (installConfig: unknown): number =>
  [objectAt(installConfig, 'controlPlane'), objectAt(installConfig, 'arbiter'), ...listAt(installConfig, 'compute')]
    .map((pool) => Number(memberAt(pool, 'replicas') ?? 0))
    .reduce((sum, replicas) => sum + replicas, 0);

/**
 * Returns whether the cluster is complete and had its service on one of its own hosts. The pods of the controller are
 * privileged and approve certificates, so they must not wait for this service without end. `available`: some nodes have
 * not joined, or some operators are not configured.
 */
async function completionWithoutService(
  controller: Controller,
  signal: AbortSignal,
): Promise<'complete' | 'available' | 'incomplete'> {
  const { cluster, settings } = controller;
  try {
    if (!(await isSelfInstalled(cluster, signal))) return 'incomplete';
    const version = await cluster.get({ resource: KUBE_RESOURCES.clusterVersions, name: 'version' }, signal);
    const nodes = (await cluster.list(KUBE_RESOURCES.nodes, {}, signal)).map(toKubeNode);
    const controlPlane = nodes.filter(({ labels }) => CONTROL_PLANE_LABEL in labels);
    const areReady = nodes.every(({ isReady }) => isReady) && controlPlane.length >= settings.controlPlaneCount;
    if (!areReady || version === undefined || !isConditionTrue(version, 'Available')) return 'incomplete';
    const hasAllNodes = nodes.length >= countNodes(await installConfigOf(controller, signal));
    const areApplied = await applyOwnManifests(controller, signal);
    return hasAllNodes && areApplied ? 'complete' : 'available';
  } catch {
    // The next poll reads the cluster again.
    return 'incomplete';
  }
}

/**
 * Returns the final status of the cluster; UNKNOWN when the service does not have the cluster any more. Calls
 * `onFailure` when the cluster is in `error` for the first time.
 */
async function untilEnded(controller: Controller, onFailure: () => void, signal: AbortSignal): Promise<string> {
  const { api, settings, timer } = controller;
  let points = 0;
  let reason = WITHOUT_CLUSTER;
  let pollsLeft = Infinity;
  let pollsWhileAvailable = 0;
  for (; !signal.aborted && points < UNKNOWN_POINTS_MAX; pollsLeft -= 1) {
    if (pollsLeft <= 0) return 'error';
    try {
      const { status } = await api.cluster(settings.clusterId, false, signal);
      const hasFailed = pollsLeft < Infinity;
      if (!CONTINUES.includes(status)) return status;
      if (status === 'error' && !hasFailed) {
        pollsLeft = POLLS_AFTER_FAILURE;
        onFailure();
      }
      points = 0;
    } catch (error) {
      // The installation continues while the service is unavailable. It ends when the service does not have the cluster
      // any more, or when the cluster no longer needs it.
      if (error instanceof HttpRefused && !error.isOfProxy) {
        points += UNKNOWN_POINTS.get(error.status) ?? 0;
        // The token of a cluster that was deleted is refused too.
        reason = TOKEN_REFUSED.includes(error.status) ? `${REFUSED}: ${error.reason} ${EXPIRED}` : WITHOUT_CLUSTER;
      } else {
        const completion = await completionWithoutService(controller, signal);
        if (completion === 'available') pollsWhileAvailable += 1;
        if (completion === 'complete' || pollsWhileAvailable >= POLLS_WHILE_AVAILABLE_MAX) return WITHOUT_SERVICE;
      }
    }
    await timer.sleep(INTERVALS_MS.clusterStatus, signal);
  }
  if (points >= UNKNOWN_POINTS_MAX) note(controller, reason);
  return UNKNOWN;
}
