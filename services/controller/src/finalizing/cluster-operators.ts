import { conditionsOf, KUBE_RESOURCES, type ServiceOperator } from '@muster/host-api';
import type { KubeObject } from '@muster/ports';
import { type Controller, INTERVALS_MS, persist, repeat } from '../controller';

/** The service's name of the ClusterVersion among the operators. */
const CLUSTER_VERSION = 'cvo';
const WAIT_MS_MAX = 10 * 60 * 60_000;

export interface OperatorStatus {
  readonly status: 'available' | 'progressing' | 'failed';
  readonly status_info: string;
}

/** Returns the operators of a type that the service monitors. */
export async function operatorsOf(
  controller: Controller,
  type: 'builtin' | 'olm',
  signal: AbortSignal,
): Promise<readonly ServiceOperator[]> {
  let operators: readonly ServiceOperator[] = [];
  await persist(
    controller,
    'Listing the operators',
    INTERVALS_MS.olmList,
    async () => {
      const all = await controller.api.operators(controller.settings.clusterId, signal);
      operators = all.filter(({ operator_type }) => operator_type === type);
    },
    signal,
  );
  return operators;
}

/**
 * Reports the operators of the cluster that the service monitors, until the service has all of them as available. The
 * ClusterVersion is waited for only where the settings say so. Returns false after ten hours.
 */
export async function waitForClusterOperators(controller: Controller, signal: AbortSignal): Promise<boolean> {
  const { settings } = controller;
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(WAIT_MS_MAX)]);
  let isDone = false;
  const round = async (): Promise<boolean> => {
    const operators = await operatorsOf(controller, 'builtin', deadline);
    const open = operators.filter(({ status }) => status !== 'available');
    for (const operator of open) await report(controller, operator, deadline);
    isDone = open.every(({ name }) => name === CLUSTER_VERSION && !settings.checksClusterVersion);
    return isDone;
  };
  await repeat(controller, 'Waiting for the cluster operators', INTERVALS_MS.operators, round, deadline);
  return isDone || signal.aborted;
}

async function report(controller: Controller, operator: ServiceOperator, signal: AbortSignal): Promise<void> {
  const { api, cluster, settings } = controller;
  const ref =
    operator.name === CLUSTER_VERSION
      ? { resource: KUBE_RESOURCES.clusterVersions, name: 'version' }
      : { resource: KUBE_RESOURCES.clusterOperators, name: operator.name };
  const object = await cluster.get(ref, signal);
  if (!object) return;
  const found = toOperatorStatus(object);
  if (found.status === operator.status && found.status_info === operator.status_info) return;
  await api.reportOperator(
    settings.clusterId,
    { name: operator.name, version: versionOf(object) ?? operator.version, ...found },
    signal,
  );
}

/** The first condition that says something decides, in the order of the cluster's own list. */
export function toOperatorStatus(object: KubeObject): OperatorStatus {
  for (const { type, status, message = '' } of conditionsOf(object)) {
    if (type === 'Available' && status === 'True') return { status: 'available', status_info: message };
    if (type === 'Progressing' && status === 'True') return { status: 'progressing', status_info: message };
    if ((type === 'Degraded' && status === 'True') || (type === 'Available' && status === 'False'))
      return { status: 'failed', status_info: message };
  }
  return { status: 'progressing', status_info: '' };
}

function versionOf(object: KubeObject): string | undefined {
  const { versions, desired } = (object['status'] ?? {}) as {
    readonly versions?: readonly { readonly name?: string; readonly version?: string }[];
    readonly desired?: { readonly version?: string };
  };
  return desired?.version ?? versions?.find(({ name }) => name === 'operator')?.version;
}
