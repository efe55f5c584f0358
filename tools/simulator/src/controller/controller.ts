import { CONTROLLER_RETRIES, createTarGz, createServiceApi } from '@muster/host-api';
import { DURATIONS_MS, INTERVALS_MS } from '../durations';
import { finalize } from './finalizing';
import { followNodes } from './node-status';
import { persist, type Controller } from './persist';

const ENDS = ['installed', 'cancelled', 'error', 'adding-hosts'];

/**
 * What the controller does on one of the nodes until the installation has ended:
 * 1. say that it is there; 2. at the same time, report nodes and finalize; 3. send the logs.
 */
export async function runController(options: Omit<Controller, 'api'>, signal: AbortSignal): Promise<void> {
  const { cluster, config, observer, timer, world } = options;
  const api = createServiceApi(config, CONTROLLER_RETRIES, timer.polls);
  const controller: Controller = { ...options, api };
  const ending = new AbortController();
  const working = AbortSignal.any([signal, ending.signal]);
  try {
    await timer.work(DURATIONS_MS.controllerStart, signal);
    await persist(controller, 'reach the service', INTERVALS_MS.otherHosts, signal, async () => {
      await api.cluster(config.clusterId, false, signal);
    });
    if (signal.aborted) return;
    cluster.isControllerReady = true;
    world.changed();
    observer.onController?.(config.clusterId, 'controller ready');
    const work = Promise.all([
      followNodes(controller, working),
      finalize(controller, working),
      sendLogs(controller, working),
    ]);
    const status = await untilEnded(controller, signal);
    ending.abort();
    await work;
    if (signal.aborted) return;
    await reportLogs(controller, signal);
    cluster.isFinished = true;
    world.changed();
    observer.onController?.(config.clusterId, `cluster is ${status}`);
  } finally {
    ending.abort();
    api.close();
  }
}

async function untilEnded({ api, config, timer }: Controller, signal: AbortSignal): Promise<string> {
  while (!signal.aborted) {
    // A service that is away does not end an installation.
    const status = await api.cluster(config.clusterId, false, signal).then(
      (cluster) => cluster.status,
      () => 'unknown',
    );
    if (ENDS.includes(status)) return status;
    await timer.polls.sleep(INTERVALS_MS.clusterStatus, signal);
  }
  return 'unknown';
}

/** Every few minutes while the installation goes on, so that there is something to read when it fails. */
async function sendLogs(controller: Controller, signal: AbortSignal): Promise<void> {
  await controller.timer.polls.sleep(INTERVALS_MS.controllerLogs, signal);
  while (!signal.aborted) {
    await uploadLogs(controller, signal).catch(() => undefined);
    await controller.timer.polls.sleep(INTERVALS_MS.controllerLogs, signal);
  }
}

async function reportLogs(controller: Controller, signal: AbortSignal): Promise<void> {
  const { api, config } = controller;
  await persist(controller, 'send the last logs', INTERVALS_MS.finalizing, signal, async () => {
    await api.reportClusterLogs(config.clusterId, 'requested', signal);
    await uploadLogs(controller, signal);
    await api.reportClusterLogs(config.clusterId, 'completed', signal);
  });
}

const uploadLogs = ({ api, cluster, config }: Controller, signal: AbortSignal): Promise<void> => {
  const nodes = [...cluster.nodes].map(([id, node]) => `${id} ready=${node.isReady}\n`).join('');
  return api.uploadControllerLogs(
    config.clusterId,
    createTarGz({ 'assisted-installer-controller.logs': nodes }),
    signal,
  );
};
