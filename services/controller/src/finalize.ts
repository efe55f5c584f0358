import { HttpRefused, type InstallationResult, KUBE_RESOURCES } from '@muster/host-api';
import { createJsonReader, errorMessage, objectAt, textAt } from '@muster/schema';
import { Type } from '@sinclair/typebox';
import { type Controller, INTERVALS_MS, note, openClientOfNode, persist, repeat } from './controller';
import {
  applyOlmManifests,
  csvOf,
  operatorsOf,
  toOperatorStatus,
  waitForClusterOperators,
  waitForCsvs,
  waitForSubscriptions,
} from './operators';

/** In their order. */
const STAGES = [
  'Waiting for cluster operators',
  'Adding router ca',
  'Waiting for olm operators csv initialization',
  'Applying olm manifests',
  'Waiting for olm operators csv',
  'Done',
] as const;
type Stage = (typeof STAGES)[number];
const [FIRST_STAGE] = STAGES;

/**
 * Completes an installation after the control plane is installed: operators, ingress certificate, OLM operators,
 * completion.
 */
export async function finalize(controller: Controller, signal: AbortSignal): Promise<void> {
  const { api, settings } = controller;
  await repeat(
    controller,
    'Reading the cluster',
    INTERVALS_MS.finalizing,
    () => mayFinalize(controller, signal),
    signal,
  );

  await enter(controller, FIRST_STAGE, signal);
  const areAvailable = await waitForClusterOperators(controller, signal);
  if (areAvailable) {
    await enter(controller, 'Adding router ca', signal);
    const send = (): Promise<boolean> => sendIngressCa(controller, signal);
    await repeat(controller, 'Sending the ingress certificate', INTERVALS_MS.routerCa, send, signal);
    await configureOlmOperators(controller, signal);
    await enter(controller, 'Done', signal);
  }
  const result = areAvailable ? { isSuccess: true } : await failure(controller, signal);
  await persist(
    controller,
    'Completing the installation',
    INTERVALS_MS.clusterStatus,
    () => api.completeInstallation(settings.clusterId, result, signal),
    signal,
  );
}

async function configureOlmOperators(controller: Controller, signal: AbortSignal): Promise<void> {
  const olm = await operatorsOf(controller, 'olm', signal);
  if (olm.length === 0) return;
  await enter(controller, 'Waiting for olm operators csv initialization', signal);
  await waitForSubscriptions(controller, olm, signal);
  await enter(controller, 'Applying olm manifests', signal);
  const failures = await applyOlmManifests(controller, olm, signal);
  await enter(controller, 'Waiting for olm operators csv', signal);
  await waitForCsvs(controller, failures, signal);
}

/** The report of the cluster operators has the form and the key of assisted-installer-controller. */
async function failure(controller: Controller, signal: AbortSignal): Promise<InstallationResult> {
  // Without an ingress there is no certificate, and the failure must not wait for it.
  await sendIngressCa(controller, signal).catch((error: unknown) =>
    note(controller, `The ingress certificate was not sent: ${errorMessage(error)}`),
  );
  const result = { isSuccess: false, errorInfo: 'Timeout while waiting for cluster operators to be available' };
  try {
    const operators = await controller.cluster.list(KUBE_RESOURCES.clusterOperators, {}, signal);
    const report = operators.map((object) => ({ name: object.metadata.name, ...toOperatorStatus(object) }));
    return { ...result, data: { CLUSTER_OPERATORS_REPORT: report } };
  } catch (error) {
    note(controller, `The cluster operators were not listed: ${errorMessage(error)}`);
    return result;
  }
}

/** After a passed deadline, the service accepts a stage in `error`. After another failure it refuses it. */
async function mayFinalize({ api, settings }: Controller, signal: AbortSignal): Promise<boolean> {
  const { progress, status } = await api.cluster(settings.clusterId, false, signal);
  if (status !== 'error') return status === 'finalizing';
  try {
    await api.reportFinalizingStage(settings.clusterId, progress?.finalizing_stage || FIRST_STAGE, signal);
    return true;
  } catch (error) {
    if (error instanceof HttpRefused) return false;
    throw error;
  }
}

/**
 * Reports the stage. A controller that was restarted repeats the work of earlier stages, which are not reported again:
 * the progress of the cluster would go back, and the timer of its stage would start again.
 */
async function enter(controller: Controller, stage: Stage, signal: AbortSignal): Promise<void> {
  const { api, settings } = controller;
  const report = async (): Promise<void> => {
    const { progress } = await api.cluster(settings.clusterId, false, signal);
    const known = STAGES.findIndex((name) => name === progress?.finalizing_stage);
    if (known < STAGES.indexOf(stage)) await api.reportFinalizingStage(settings.clusterId, stage, signal);
  };
  await persist(controller, `Reporting the stage "${stage}"`, INTERVALS_MS.finalizing, report, signal);
  if (!signal.aborted) controller.observe?.({ type: 'finalizing', stage });
}

/** Returns false while the cluster has no ingress certificate. */
async function sendIngressCa({ api, cluster, settings }: Controller, signal: AbortSignal): Promise<boolean> {
  const ref = {
    resource: KUBE_RESOURCES.configMaps,
    namespace: 'openshift-config-managed',
    name: 'default-ingress-cert',
  };
  const map = await cluster.get(ref, signal);
  const pem = textAt(map, 'data', 'ca-bundle.crt');
  if (!pem) return false;
  await api.uploadIngressCa(settings.clusterId, pem, signal);
  return true;
}

const METADATA = '.metadata.yaml';
const OWN_MANIFESTS = Type.Object({
  namespace: Type.String(),
  subscriptionName: Type.String(),
  manifests: Type.Array(Type.String()),
});
const readOwnManifests = createJsonReader(OWN_MANIFESTS, { name: 'olm-operator-manifests' });

/**
 * Applies the manifests of operators that the cluster itself has, because its service has ended. Those of an operator
 * wait for its ClusterServiceVersion. Returns whether all are applied.
 */
export async function applyOwnManifests(controller: Controller, signal: AbortSignal): Promise<boolean> {
  const { cluster, host } = controller;
  const ref = {
    resource: KUBE_RESOURCES.configMaps,
    namespace: 'assisted-installer',
    name: 'olm-operator-manifests',
  };
  const data = objectAt(await cluster.get(ref, signal), 'data');
  let areApplied = true;
  for (const file of Object.keys(data).filter((name) => name.endsWith(METADATA))) {
    try {
      const { manifests, namespace, subscriptionName } = readOwnManifests(textAt(data, file) ?? '');
      const operator = { name: file.slice(0, -METADATA.length), namespace, subscription_name: subscriptionName };
      if (!(await csvOf(controller, operator, signal))) throw new Error('The operator is not installed yet.');
      const oc = await openClientOfNode(controller, signal);
      for (const manifest of manifests) {
        const content = Buffer.from(textAt(data, manifest) ?? '', 'base64');
        await oc('apply', '-f', await host.writeTemporary(manifest, content));
      }
    } catch (error) {
      signal.throwIfAborted();
      areApplied = false;
      note(controller, `The manifests of ${file} were not applied: ${errorMessage(error)}`);
    }
  }
  return areApplied;
}
