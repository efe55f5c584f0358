import {
  hasFetchedIgnition,
  HttpRefused,
  KUBE_RESOURCES,
  nodeOf,
  type ServiceHost,
  toKubeNode,
} from '@muster/host-api';
import { type Controller, INTERVALS_MS, note } from './controller';
import { countReboots } from './reboots';

const STAGES_BEFORE_JOINING = ['Rebooting', 'Configuring'];
const STAGES_BEFORE_CONFIGURING = ['Rebooting', 'Waiting for ignition'];
const SETTLED = ['installed', 'disabled'];
const MCS_NAMESPACE = 'openshift-machine-config-operator';
const MCS_LOG_SECONDS = 300;
const UNINITIALIZED_TAINT = 'node.cloudprovider.kubernetes.io/uninitialized';
const UNTAINTED_PLATFORMS = ['nutanix', 'vsphere'];

/** Reports which hosts became nodes, until every host is installed or in error. */
export async function followNodes(controller: Controller, signal: AbortSignal): Promise<void> {
  const { api, cluster, settings, timer } = controller;
  while (!signal.aborted) {
    try {
      const { hosts = [], platform } = await api.cluster(settings.clusterId, true, signal);
      const open = hosts.filter(({ status }) => !SETTLED.includes(status));
      if (hosts.length > 0 && open.every(({ status }) => status === 'error')) return;
      const nodes = (await cluster.list(KUBE_RESOURCES.nodes, {}, signal)).map(toKubeNode);
      if (UNTAINTED_PLATFORMS.includes(platform?.type ?? '')) await removeTaints(controller, nodes, signal);
      const log = await machineConfigServerLog(controller, signal);
      for (const host of open) await reportHost(controller, host, nodeOf(host, nodes), log, signal);
    } catch (error) {
      if (signal.aborted) return;
      note(controller, `The nodes were not reported: ${(error as Error).message}`);
    }
    await timer.sleep(INTERVALS_MS.nodes, signal);
  }
}

async function reportHost(
  controller: Controller,
  host: ServiceHost,
  node: ReturnType<typeof nodeOf>,
  log: string,
  signal: AbortSignal,
): Promise<void> {
  const stage = host.progress?.current_stage ?? '';
  const report = (next: string): Promise<void> => reportStage(controller, host, next, signal);
  if (node && STAGES_BEFORE_JOINING.includes(stage)) await report('Joined');
  if (node?.isReady && (stage === 'Joined' || STAGES_BEFORE_JOINING.includes(stage))) {
    await report('Done');
    if (controller.settings.notifiesReboots) void countReboots(controller, host, node.name, signal);
    return;
  }
  // A node that exists has fetched its ignition, whether or not the log still shows it.
  if (stage === 'Waiting for ignition' && node) return report('Configuring');
  if (STAGES_BEFORE_CONFIGURING.includes(stage) && !node && hasFetchedIgnition(host, log)) await report('Configuring');
}

async function reportStage(
  controller: Controller,
  host: ServiceHost,
  stage: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    const ref = { hostId: host.id, infraEnvId: host.infra_env_id ?? '' };
    await controller.api.reportHostProgress(ref, stage, '', signal);
    controller.observe?.({ type: 'host-stage', hostId: host.id, stage });
  } catch (error) {
    // The host has moved on; the next round reads its stage again.
    if (!(error instanceof HttpRefused)) throw error;
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

async function removeTaints(
  { cluster }: Controller,
  nodes: readonly ReturnType<typeof toKubeNode>[],
  signal: AbortSignal,
): Promise<void> {
  for (const { name, taints } of nodes) {
    const index = taints.findIndex(({ key }) => key === UNINITIALIZED_TAINT);
    if (index < 0) continue;
    await cluster.patch(
      { resource: KUBE_RESOURCES.nodes, name },
      [{ op: 'remove', path: `/spec/taints/${index}` }],
      signal,
    );
  }
}
