import { conditionsOf, HttpRefused, KUBE_RESOURCES, type ServiceOperator } from '@muster/host-api';
import { abortAfter, type KubeObject } from '@muster/ports';
import { createJsonReader, errorMessage, listAt, memberAt, textAt } from '@muster/schema';
import { Type } from '@sinclair/typebox';
import { type Controller, INTERVALS_MS, note, openClient, persist, repeat } from './controller';

/** Name of the ClusterVersion among the monitored operators. */
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
 * Reports the monitored operators of the cluster until the service has all of them as available. The ClusterVersion is
 * included only when the settings require it. Returns false after ten hours.
 */
export async function waitForClusterOperators(controller: Controller, signal: AbortSignal): Promise<boolean> {
  const { settings } = controller;
  const deadline = abortAfter(WAIT_MS_MAX, signal);
  let isDone = false;
  const round = async (): Promise<boolean> => {
    const operators = await operatorsOf(controller, 'builtin', deadline);
    // After the deadline, an empty list does not mean that all are available.
    if (deadline.aborted) return false;
    const open = operators.filter(({ status }) => status !== 'available');
    for (const operator of open) await reportClusterOperator(controller, operator, deadline);
    isDone = open.every(({ name }) => name === CLUSTER_VERSION && !settings.checksClusterVersion);
    return isDone;
  };
  await repeat(controller, 'Waiting for the cluster operators', INTERVALS_MS.operators, round, deadline);
  return isDone || signal.aborted;
}

async function reportClusterOperator(
  controller: Controller,
  operator: ServiceOperator,
  signal: AbortSignal,
): Promise<void> {
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

/** The first condition with a message determines the status, in the order of the cluster's list. */
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
  const desired = textAt(object, 'status', 'desired', 'version');
  const operator = listAt(object, 'status', 'versions').find((entry) => textAt(entry, 'name') === 'operator');
  return desired ?? textAt(operator, 'version');
}

const MARKETPLACE = 'openshift-marketplace';
/** A failed ClusterServiceVersion often recovers. It counts as failed after this number of rounds (5 minutes). */
const FAILED_ROUNDS_MAX = 10;
const TIMED_OUT = 'Waiting for operator timed out';

/** Waits until each operator has an installed ClusterServiceVersion, or until the stage times out in the service. */
export async function waitForSubscriptions(
  controller: Controller,
  operators: readonly ServiceOperator[],
  signal: AbortSignal,
): Promise<void> {
  const open = new Set(operators);
  const round = async (): Promise<boolean> => {
    if (await hasTimedOut(controller, signal)) return true;
    for (const operator of open) if (await csvOf(controller, operator, signal)) open.delete(operator);
    return open.size === 0;
  };
  await repeat(controller, 'Waiting for subscriptions', INTERVALS_MS.finalizing, round, signal);
}

/** Names and base64 contents. A service without manifests sends null. */
const MANIFESTS = Type.Union([
  Type.Null(),
  Type.Array(Type.Object({ Name: Type.Optional(Type.String()), Content: Type.Optional(Type.String()) })),
]);
const NOT_FOUND = 404;
const readManifests = createJsonReader(MANIFESTS, { name: 'custom_manifests.json' });

interface OlmManifest {
  readonly operator: ServiceOperator;
  readonly content: Buffer;
}

/** Name of each operator that is not configured → the reason. */
export type OlmFailures = ReadonlyMap<string, string>;

const failuresOf = (operators: readonly ServiceOperator[], reason: string): OlmFailures =>
  new Map(operators.map(({ name }) => [name, reason]));
const notApplied = (error: unknown): string => `The manifests of the operator were not applied: ${errorMessage(error)}`;

/**
 * Applies the manifests that the service has for the operators. Each is tried until it is applied or the stage times out
 * in the service, independently of the others. Returns the operators with a manifest that is not applied.
 */
export async function applyOlmManifests(
  controller: Controller,
  operators: readonly ServiceOperator[],
  signal: AbortSignal,
): Promise<OlmFailures> {
  let open: readonly OlmManifest[] | undefined;
  let failures = failuresOf(operators, TIMED_OUT);
  const round = async (): Promise<boolean> => {
    if (await hasTimedOut(controller, signal)) return true;
    try {
      open ??= await manifestsOf(controller, operators, signal);
      const reasons = await applyEach(controller, open, signal);
      open = [...reasons.keys()];
      failures = new Map([...reasons].map(([{ operator }, reason]) => [operator.name, reason]));
      return open.length === 0;
    } catch (error) {
      failures = failuresOf(open?.map(({ operator }) => operator) ?? operators, notApplied(error));
      throw error;
    }
  };
  await repeat(controller, 'Applying the manifests of the operators', INTERVALS_MS.finalizing, round, signal);
  return failures;
}

/** Downloads the manifests of the operators. Having none is not an error. */
async function manifestsOf(
  { api, settings }: Controller,
  operators: readonly ServiceOperator[],
  signal: AbortSignal,
): Promise<readonly OlmManifest[]> {
  const text = await api.clusterFile(settings.clusterId, 'custom_manifests.json', signal).catch((error: unknown) => {
    if (error instanceof HttpRefused && error.status === NOT_FOUND) return undefined;
    throw error;
  });
  const manifests = (text && readManifests(text.toString('utf8'))) ?? [];
  return manifests.flatMap(({ Name, Content = '' }): readonly OlmManifest[] => {
    const operator = operators.find(({ name }) => name === Name);
    return operator ? [{ operator, content: Buffer.from(Content, 'base64') }] : [];
  });
}

/** Applies each manifest once. Returns those that are not applied, with the reason. */
async function applyEach(
  controller: Controller,
  manifests: readonly OlmManifest[],
  signal: AbortSignal,
): Promise<ReadonlyMap<OlmManifest, string>> {
  const reasons = new Map<OlmManifest, string>();
  if (manifests.length === 0) return reasons;
  const oc = await openClient(controller, signal);
  for (const manifest of manifests) {
    const { content, operator } = manifest;
    try {
      if (await csvOf(controller, operator, signal))
        await oc('apply', '-f', await controller.host.writeTemporary(`${operator.name}.yaml`, content));
      else reasons.set(manifest, TIMED_OUT);
    } catch (error) {
      signal.throwIfAborted();
      note(controller, `A manifest of ${operator.name} was not applied: ${errorMessage(error)}`);
      reasons.set(manifest, notApplied(error));
    }
  }
  return reasons;
}

/**
 * Reports each operator by the phase of its ClusterServiceVersion, until all have ended or the stage timed out. Operators
 * that are not configured are reported as failed.
 */
export async function waitForCsvs(controller: Controller, failures: OlmFailures, signal: AbortSignal): Promise<void> {
  const failedRounds = new Map<string, number>();
  const round = async (): Promise<boolean> => {
    const operators = await operatorsOf(controller, 'olm', signal);
    const open = operators.filter(({ status }) => status !== 'available' && status !== 'failed');
    if (open.length === 0) return true;
    const isTimedOut = await hasTimedOut(controller, signal);
    for (const operator of open) {
      const reason = failures.get(operator.name) ?? (isTimedOut ? TIMED_OUT : undefined);
      if (reason === undefined) await reportCsv(controller, operator, failedRounds, signal);
      else await reportOlmOperator(controller, operator, 'failed', reason, signal);
    }
    return isTimedOut || open.every(({ name }) => failures.has(name));
  };
  await repeat(controller, 'Waiting for the operators', INTERVALS_MS.finalizing, round, signal);
}

async function reportCsv(
  controller: Controller,
  operator: ServiceOperator,
  failures: Map<string, number>,
  signal: AbortSignal,
): Promise<void> {
  const csv = await csvOf(controller, operator, signal);
  const [phase = '', message = ''] = [textAt(csv, 'status', 'phase'), textAt(csv, 'status', 'message')];
  if (phase === 'Succeeded') return reportOlmOperator(controller, operator, 'available', message, signal);
  const failed = phase === 'Failed' ? (failures.get(operator.name) ?? 0) + 1 : 0;
  failures.set(operator.name, failed);
  const status = failed >= FAILED_ROUNDS_MAX ? 'failed' : 'progressing';
  await reportOlmOperator(controller, operator, status, message, signal);
}

async function reportOlmOperator(
  controller: Controller,
  { name, status: known, status_info: knownInfo, version }: ServiceOperator,
  status: string,
  status_info: string,
  signal: AbortSignal,
): Promise<void> {
  if (status === known && status_info === (knownInfo ?? '')) return;
  await persist(
    controller,
    `Reporting ${name}`,
    INTERVALS_MS.operators,
    () => controller.api.reportOperator(controller.settings.clusterId, { name, version, status, status_info }, signal),
    signal,
  );
}

/**
 * Returns the ClusterServiceVersion that the subscription of the operator installed. Failed install plans are removed
 * first.
 */
export async function csvOf(
  controller: Controller,
  operator: ServiceOperator,
  signal: AbortSignal,
): Promise<KubeObject | undefined> {
  const { cluster } = controller;
  const { namespace = '', subscription_name: name = '' } = operator;
  const subscription = await cluster.get({ resource: KUBE_RESOURCES.subscriptions, namespace, name }, signal);
  if (!subscription) return undefined;
  await removeFailures(controller, namespace, subscription, signal).catch((error: Error) =>
    note(controller, `Failed install plans were not removed: ${error.message}`),
  );
  const installedCsv = textAt(subscription, 'status', 'installedCSV');
  if (!installedCsv) return undefined;
  return cluster.get({ resource: KUBE_RESOURCES.clusterServiceVersions, namespace, name: installedCsv }, signal);
}

async function removeFailures(
  { cluster }: Controller,
  namespace: string,
  subscription: KubeObject,
  signal: AbortSignal,
): Promise<void> {
  for (const job of await cluster.list(KUBE_RESOURCES.jobs, { namespace: MARKETPLACE }, signal)) {
    const { name } = job.metadata;
    if (Number(memberAt(job, 'status', 'failed') ?? 0) > 0)
      await cluster.delete({ resource: KUBE_RESOURCES.jobs, namespace: MARKETPLACE, name }, signal);
  }
  const name = textAt(subscription, 'status', 'installPlanRef', 'name');
  if (!name) return;
  const ref = { resource: KUBE_RESOURCES.installPlans, namespace, name };
  const plan = await cluster.get(ref, signal);
  if (textAt(plan, 'status', 'phase') === 'Failed') await cluster.delete(ref, signal);
}

async function hasTimedOut({ api, settings }: Controller, signal: AbortSignal): Promise<boolean> {
  const { progress } = await api.cluster(settings.clusterId, false, signal);
  return progress?.finalizing_stage_timed_out === true;
}
