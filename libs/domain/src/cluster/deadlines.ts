import { recordOf } from '@muster/schema';
import type { PassDeadline } from './commands';
import { type ClusterDeadlineName, type ClusterState, FINALIZING_STAGES, type FinalizingStage } from './state';

const MINUTE_MS = 60_000;

/**
 * The time limits of a cluster, in milliseconds. Documentation and settings are created from `CLUSTER_TIMEOUT_TABLE`.
 */
export interface ClusterTimeouts {
  readonly preparationMs: number;
  readonly installationMs: number;
  readonly finalizingMs: number;
  readonly logRequestMs: number;
  readonly logCollectionMs: number;
  readonly retentionMs: number;
  readonly finalizingStageMs: Readonly<Record<FinalizingStage, FinalizingStageTimeout>>;
}

export interface FinalizingStageTimeout {
  /** The limit without soft timeouts. */
  readonly hardMs: number;
  /** The limit with soft timeouts, which only warn. */
  readonly softMs: number;
}

type SettingName = keyof Omit<ClusterTimeouts, 'finalizingStageMs'>;

/** One timeout: the setting that changes it, and its default. A changed value replaces both limits. */
export interface ClusterTimeoutRow {
  readonly name: SettingName | FinalizingStage;
  readonly env: string;
  readonly hardMs: number;
  readonly softMs: number;
  readonly why: string;
}

const setting = (name: SettingName, env: string, minutes: number, why: string): ClusterTimeoutRow => ({
  name,
  env,
  hardMs: minutes * MINUTE_MS,
  softMs: minutes * MINUTE_MS,
  why,
});

const stage = (name: FinalizingStage, hardMinutes: number, softMinutes: number, why: string): ClusterTimeoutRow => ({
  name,
  env: `FINALIZING_STAGE_${name.toUpperCase().replaceAll(' ', '_')}_TIMEOUT`,
  hardMs: hardMinutes * MINUTE_MS,
  softMs: softMinutes * MINUTE_MS,
  why,
});

export const CLUSTER_TIMEOUT_TABLE: readonly ClusterTimeoutRow[] = [
  setting(
    'preparationMs',
    'PREPARE_FOR_INSTALLATION_TIMEOUT',
    10,
    'Hosts and artifacts are prepared within this time.',
  ),
  setting(
    'installationMs',
    'INSTALLATION_TIMEOUT',
    24 * 60,
    'The longest wait for a host that requires a user action.',
  ),
  setting(
    'finalizingMs',
    'FINALIZING_TIMEOUT',
    5 * 60,
    'The operators of a healthy cluster are available within this time.',
  ),
  setting('logRequestMs', 'LOG_PENDING_TIMEOUT', 10, 'After a failure, the log collection starts within this time.'),
  setting('logCollectionMs', 'LOG_COLLECTION_TIMEOUT', 60, 'Requested logs arrive within this time.'),
  setting(
    'retentionMs',
    'DELETED_UNREGISTERED_AFTER',
    72 * 60,
    'Administrators can read deleted resources until this time has passed.',
  ),
  stage('Waiting for cluster operators', 10 * 60, 70, 'All built-in operators have to roll out.'),
  stage('Adding router ca', 70, 70, 'The ingress certificate appears when its operator is up.'),
  stage('Applying olm manifests', 10, 10, 'A few objects are created.'),
  stage('Waiting for olm operators csv initialization', 70, 70, 'Catalogs are pulled and subscriptions resolve.'),
  stage('Waiting for olm operators csv', 70, 70, 'Optional operators install.'),
  stage('Waiting for OLM operator setup jobs', 10, 10, 'Jobs that come with optional operators end.'),
  stage('Done', 70, 70, 'The last reports arrive.'),
];

/** Finalizing stages whose failure leaves a working cluster, so that their timeout only warns. */
export const NON_FAILING_STAGES: ReadonlySet<string> = new Set<FinalizingStage>([
  'Applying olm manifests',
  'Waiting for olm operators csv initialization',
  'Waiting for olm operators csv',
]);

/**
 * Finalizing stages that wait for optional operators. Their limit is at least the longest timeout of these operators.
 */
export const STAGES_OF_OLM_OPERATORS: ReadonlySet<string> = new Set<FinalizingStage>([
  'Waiting for olm operators csv initialization',
  'Waiting for olm operators csv',
  'Waiting for OLM operator setup jobs',
]);

/**
 * Returns every timeout with the given overrides (milliseconds by environment name). Names that are not in the table
 * are ignored.
 */
export function clusterTimeouts(overridesMs: Readonly<Record<string, number | undefined>> = {}): ClusterTimeouts {
  const byName = new Map(
    CLUSTER_TIMEOUT_TABLE.map(({ name, env, hardMs, softMs }): [string, FinalizingStageTimeout] => {
      const override = overridesMs[env];
      return [name, { hardMs: override ?? hardMs, softMs: override ?? softMs }];
    }),
  );
  const of = (name: SettingName | FinalizingStage): FinalizingStageTimeout =>
    byName.get(name) ?? { hardMs: 0, softMs: 0 };
  return {
    preparationMs: of('preparationMs').hardMs,
    installationMs: of('installationMs').hardMs,
    finalizingMs: of('finalizingMs').hardMs,
    logRequestMs: of('logRequestMs').hardMs,
    logCollectionMs: of('logCollectionMs').hardMs,
    retentionMs: of('retentionMs').hardMs,
    finalizingStageMs: recordOf(FINALIZING_STAGES, of),
  };
}

export const DEFAULT_CLUSTER_TIMEOUTS = clusterTimeouts();

export interface DeadlineSettings {
  readonly timeouts: ClusterTimeouts;
  /**
   * Timeouts warn instead of failing the cluster. True when this is enabled for the process and for the owner's
   * organisation.
   */
  readonly softTimeouts: boolean;
}

export interface DueClusterDeadline {
  readonly name: ClusterDeadlineName;
  /** Milliseconds since the epoch. */
  readonly atMs: number;
  /** The length of the deadline, in milliseconds. */
  readonly limitMs: number;
}

const NONE: readonly DueClusterDeadline[] = [];
const MS_PER_SECOND = 1_000;

/** Returns the deadlines of a cluster, computed from its state alone, so that the timers can be recreated at start. */
export function clusterDeadlines(state: ClusterState, settings: DeadlineSettings): readonly DueClusterDeadline[] {
  const { timeouts, softTimeouts } = settings;
  switch (state.status) {
    case 'preparing-for-installation':
      return due('preparation', state.statusSince, timeouts.preparationMs);
    case 'installing':
      return softTimeouts ? installation(state, timeouts) : NONE;
    case 'installing-pending-user-action':
      return installation(state, timeouts);
    case 'finalizing':
      return [
        ...(softTimeouts ? installation(state, timeouts) : due('finalizing', state.statusSince, timeouts.finalizingMs)),
        ...finalizingStage(state, settings),
      ];
    case 'error':
    case 'cancelled':
      return logs(state, timeouts);
    case 'deregistered':
      return due('retention', state.deregisteredAt, timeouts.retentionMs);
    default:
      return NONE;
  }
}

/**
 * Returns the deadline of the command. Returns undefined when the state has no such deadline or when its time has not
 * come.
 */
export function dueClusterDeadline(
  state: ClusterState,
  { deadline, softTimeouts, at }: PassDeadline,
  timeouts: ClusterTimeouts,
): DueClusterDeadline | undefined {
  return clusterDeadlines(state, { timeouts, softTimeouts }).find(
    ({ name, atMs }) => name === deadline && atMs <= Date.parse(at),
  );
}

/** Returns whether the timeout of the current finalizing stage only warns. */
export const warnsOnly = (stage: string, softTimeouts: boolean): boolean =>
  softTimeouts || NON_FAILING_STAGES.has(stage);

function due(name: ClusterDeadlineName, since: string, limitMs: number): readonly DueClusterDeadline[] {
  return since === '' ? NONE : [{ name, atMs: Date.parse(since) + limitMs, limitMs }];
}

function installation(state: ClusterState, timeouts: ClusterTimeouts): readonly DueClusterDeadline[] {
  return due('installation', state.resumedAt || state.installStartedAt, timeouts.installationMs);
}

function finalizingStage(state: ClusterState, settings: DeadlineSettings): readonly DueClusterDeadline[] {
  const stage = FINALIZING_STAGES.find((name) => name === state.finalizingStage);
  if (!stage || state.isFinalizingStageTimedOut) return NONE;
  const { hardMs, softMs } = settings.timeouts.finalizingStageMs[stage];
  const ownMs = settings.softTimeouts ? softMs : hardMs;
  const operatorsMs = STAGES_OF_OLM_OPERATORS.has(stage)
    ? state.operators
        .filter(({ operatorType }) => operatorType === 'olm')
        .map((one) => one.timeoutSeconds * MS_PER_SECOND)
    : [];
  return due('finalizing-stage', state.finalizingStageStartedAt, Math.max(ownMs, ...operatorsMs));
}

function logs(state: ClusterState, timeouts: ClusterTimeouts): readonly DueClusterDeadline[] {
  const { logsState, statusSince, controllerLogsStartedAt: startedAt, controllerLogsCollectedAt: collectedAt } = state;
  switch (logsState) {
    case '':
      return startedAt === '' ? due('log-request', statusSince, timeouts.logRequestMs) : NONE;
    case 'requested':
    case 'collecting':
      return due('log-collection', collectedAt || startedAt, timeouts.logCollectionMs);
    default:
      return NONE;
  }
}
