import { type ServiceOperator } from '@muster/host-api';
import { DURATIONS_MS, INTERVALS_MS } from '../durations';
import { createIngressCa } from './ingress-ca';
import { persist, type Controller } from './persist';

/** From "all control plane hosts are done" to the end: operators, ingress certificate, add-ons, completion. */
export async function finalize(controller: Controller, signal: AbortSignal): Promise<void> {
  const { api, config, timer } = controller;
  await untilFinalizing(controller, signal);

  await enter(controller, 'Waiting for cluster operators', signal);
  await rollOut(controller, 'builtin', DURATIONS_MS.operatorRollout, signal);

  await enter(controller, 'Adding router ca', signal);
  const ca = await createIngressCa(Date.now());
  await persist(controller, 'give the ingress certificate', INTERVALS_MS.finalizing, signal, () =>
    api.uploadIngressCa(config.clusterId, ca, signal),
  );

  if ((await listOperators(controller, 'olm', signal)).length > 0) {
    await enter(controller, 'Waiting for olm operators csv initialization', signal);
    await timer.work(DURATIONS_MS.olmRollout / 2, signal);
    await enter(controller, 'Applying olm manifests', signal);
    await fetchManifests(controller, signal);
    await enter(controller, 'Waiting for olm operators csv', signal);
    await rollOut(controller, 'olm', DURATIONS_MS.olmRollout / 2, signal);
  }

  await enter(controller, 'Done', signal);
  await persist(controller, 'complete the installation', INTERVALS_MS.clusterStatus, signal, () =>
    api.completeInstallation(config.clusterId, { isSuccess: true }, signal),
  );
}

async function untilFinalizing(controller: Controller, signal: AbortSignal): Promise<void> {
  const { api, config, timer } = controller;
  while (!signal.aborted) {
    const cluster = await api.cluster(config.clusterId, false, signal).catch(() => undefined);
    if (cluster?.status === 'finalizing') return;
    await timer.polls.sleep(INTERVALS_MS.finalizing, signal);
  }
}

async function enter(controller: Controller, stage: string, signal: AbortSignal): Promise<void> {
  const { api, config, observer } = controller;
  await persist(controller, `report "${stage}"`, INTERVALS_MS.finalizing, signal, () =>
    api.reportFinalizingStage(config.clusterId, stage, signal),
  );
  if (!signal.aborted) observer.onController?.(config.clusterId, stage);
}

async function listOperators(
  controller: Controller,
  type: 'builtin' | 'olm',
  signal: AbortSignal,
): Promise<readonly ServiceOperator[]> {
  let operators: readonly ServiceOperator[] = [];
  await persist(controller, 'list the operators', INTERVALS_MS.operators, signal, async () => {
    const all = await controller.api.operators(controller.config.clusterId, signal);
    operators = all.filter(({ operator_type }) => operator_type === type);
  });
  return operators;
}

/** Each operator works for a while, then is available; done when the service has it so. */
async function rollOut(
  controller: Controller,
  type: 'builtin' | 'olm',
  durationMs: number,
  signal: AbortSignal,
): Promise<void> {
  const { api, config, timer } = controller;
  const report = (operator: ServiceOperator, status: string, status_info: string): Promise<void> =>
    persist(controller, `report ${operator.name}`, INTERVALS_MS.operators, signal, () =>
      api.reportOperator(
        config.clusterId,
        { name: operator.name, version: operator.version, status, status_info },
        signal,
      ),
    );
  const waiting = (await listOperators(controller, type, signal)).filter(({ status }) => status !== 'available');
  for (const operator of waiting) await report(operator, 'progressing', 'pods are being rolled out');
  await timer.work(durationMs, signal);
  for (const operator of waiting) await report(operator, 'available', 'all replicas are up');
}

/** What is applied comes from the service; a service that has none is no reason to fail. */
async function fetchManifests({ api, config }: Controller, signal: AbortSignal): Promise<void> {
  await api.credentials(config.clusterId, 'kubeconfig-noingress', signal).catch(() => undefined);
  await api.clusterFile(config.clusterId, 'custom_manifests.json', signal).catch(() => undefined);
}
