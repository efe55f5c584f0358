import type { PassDeadline } from './commands';
import type { ClusterState } from './state';
import { type ClusterDeadlineName, FINALIZING_STAGES } from './status';
import { type ClusterTimeouts, NON_FAILING_STAGES, STAGES_OF_OLM_OPERATORS } from './timeouts';

export interface DeadlineSettings {
  readonly timeouts: ClusterTimeouts;
  /** Warn instead of failing: switched on for the process and for the owner's organisation. */
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

/** What is due for this cluster and when, from its state alone: a timer heap is rebuilt from it at start. */
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

/** Returns the deadline of the command; undefined when the state no longer has it, or when its time has not come. */
export function dueClusterDeadline(
  state: ClusterState,
  { deadline, softTimeouts, at }: PassDeadline,
  timeouts: ClusterTimeouts,
): DueClusterDeadline | undefined {
  return clusterDeadlines(state, { timeouts, softTimeouts }).find(
    ({ name, atMs }) => name === deadline && atMs <= Date.parse(at),
  );
}

/** Does the running finalizing stage only warn when its time is up? */
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
