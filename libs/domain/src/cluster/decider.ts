import type { ClusterEvent } from '@muster/contracts';
import { createTableDecider, type Decider, defineTable, type Transition } from '@muster/decision';
import type { ProblemCode } from '@muster/problems';
import { isOutdated, OUTDATED_OUTCOMES } from '../evaluated-inputs';
import { isSameValue } from '../text-forms';
import { CLUSTER_COMMANDS, type ClusterCommand } from './commands';
import { DEFAULT_CLUSTER_TIMEOUTS, dueClusterDeadline } from './deadlines';
import { evolveCluster } from './evolve';
import { CLUSTER_INPUTS, CLUSTER_VARIABLES, type ClusterDeciderSettings, type ClusterTable } from './guards';
import { clusterInputRefusal } from './input/input';
import { COMPLETION_ROWS } from './rows/completion.rows';
import { DEADLINE_ROWS } from './rows/deadline.rows';
import { INSTALLATION_ROWS } from './rows/installation.rows';
import { PREPARATION_ROWS, READINESS_ROWS } from './rows/preparation.rows';
import { REFUSAL_ROWS } from './rows/refusal.rows';
import { VIP_LEASE_REFUSAL_ROWS, VIP_LEASE_ROWS } from './rows/vip-lease.rows';
import { REGISTRATION_ROWS, USER_ROWS } from './rows/registration.rows';
import { CLUSTER_PHASES, type ClusterState, initialClusterState, INSTALLING_STATUSES, OPEN_STATUSES } from './state';

export type { ClusterDeciderSettings } from './guards';

/** The state machine of a cluster. */
export const CLUSTER_TABLE = defineTable<ClusterTable>({
  statuses: CLUSTER_PHASES,
  commands: CLUSTER_COMMANDS,
  variables: CLUSTER_VARIABLES,
  inputs: CLUSTER_INPUTS,
  statusOf: ({ status }) => status,
  rows: [
    ...REGISTRATION_ROWS,
    ...READINESS_ROWS,
    ...VIP_LEASE_ROWS,
    ...PREPARATION_ROWS,
    ...INSTALLATION_ROWS,
    ...COMPLETION_ROWS,
    ...DEADLINE_ROWS,
    ...USER_ROWS,
    ...REFUSAL_ROWS,
    ...VIP_LEASE_REFUSAL_ROWS,
  ],
});

export const DEFAULT_CLUSTER_DECIDER_SETTINGS: ClusterDeciderSettings = {
  timeouts: DEFAULT_CLUSTER_TIMEOUTS,
  monitorsClusterVersion: false,
};

/** Returns the cluster aggregate with the settings of a deployment. */
export function createClusterDecider(
  settings: ClusterDeciderSettings = DEFAULT_CLUSTER_DECIDER_SETTINGS,
): Decider<ClusterState, ClusterCommand, ClusterEvent, ProblemCode> {
  return createTableDecider<ClusterTable>(
    {
      table: CLUSTER_TABLE,
      initialState: initialClusterState,
      evolve: evolveCluster,
      validate: ({ command, state }) => clusterInputRefusal(command, state) ?? outdatedRefusal(command, state),
      transition: statusEvents,
      next: ({ command, state }, after) =>
        command.type === 'Refresh' && after.status !== state.status && isInstalling(after.status) ? command : undefined,
    },
    settings,
  );
}

/** The cluster aggregate with the default settings. */
export const clusterDecider = createClusterDecider();

/** The rows of these statuses read the conditions. */
const outdatedRefusal = (command: ClusterCommand, state: ClusterState): typeof OUTDATED_OUTCOMES | undefined =>
  command.type === 'Refresh' && OPEN_STATUSES.some((open) => open === state.status) && isOutdated(command, state)
    ? OUTDATED_OUTCOMES
    : undefined;

const isInstalling = (status: string): boolean => INSTALLING_STATUSES.some((known) => known === status);

function statusEvents(transition: Transition<ClusterTable>): readonly ClusterEvent[] {
  const { command, state, row, from, to, settings } = transition;
  // The first and the last event of a stream contain the status.
  if (command.type === 'Register' || command.type === 'Deregister') return [];
  const statusReason = transition.reason ?? state.statusReason;
  if (to === from)
    return isSameValue(statusReason, state.statusReason)
      ? []
      : [{ type: 'ClusterStatusExplained', data: { statusReason } }];
  const due = command.type === 'PassDeadline' ? dueClusterDeadline(state, command, settings.timeouts) : undefined;
  return [
    {
      type: 'ClusterEnteredStatus',
      data: { status: to, from, statusReason, transition: row.id, at: command.at, deadline: due?.name ?? '' },
    },
  ];
}
