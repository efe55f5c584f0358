import { CLUSTER_VARIABLES, type ClusterTransition } from '../cluster-row';
import { CLUSTER_STATUSES, type ClusterDeadlineName, type ClusterPhase } from '../cluster-status';
import { exceptStatuses } from './phases';

/** Which deadlines run in which status; in the others a timer that fires is of an earlier state. */
export const DEADLINES_BY_STATUS: { readonly [Phase in ClusterPhase]?: readonly ClusterDeadlineName[] } = {
  'preparing-for-installation': ['preparation'],
  installing: ['installation'],
  'installing-pending-user-action': ['installation'],
  finalizing: ['installation', 'finalizing', 'finalizing-stage'],
  error: ['log-request', 'log-collection'],
  cancelled: ['log-request', 'log-collection'],
  deregistered: ['retention'],
};

const PHASES_WITH_DEADLINES = Object.keys(DEADLINES_BY_STATUS) as ClusterPhase[];

/** Time ran out. The fact is stored first, then what follows from it; a late success stays possible. */
export const DEADLINE_ROWS: readonly ClusterTransition[] = [
  {
    id: 'preparation-timed-out',
    from: ['preparing-for-installation'],
    on: 'PassDeadline',
    when: { deadline: ['preparation'] },
    to: 'ready',
    info: 'Preparing the cluster for installation took too long.',
    then: ['deadline-passed', 'fail-overdue-preparation'],
    why: 'Nothing was written to a disk yet, so the person may simply start again.',
  },
  {
    id: 'pending-person-timed-out',
    from: ['installing-pending-user-action'],
    on: 'PassDeadline',
    when: { deadline: ['installation'] },
    to: 'error',
    info: 'The installation did not end within {minutes} minutes, because a host still waits for somebody to act.',
    then: ['deadline-passed'],
    why: 'Nobody came; waiting for ever would hide it.',
  },
  {
    id: 'installation-timed-out',
    from: ['installing', 'finalizing'],
    on: 'PassDeadline',
    when: { deadline: ['installation'] },
    to: 'error',
    info: 'The installation did not end within {minutes} minutes.',
    then: ['deadline-passed'],
    why: 'With soft timeouts this is the one limit that fails a cluster; without them stages and hosts have limits of their own.',
  },
  {
    id: 'finalizing-timed-out',
    from: ['finalizing'],
    on: 'PassDeadline',
    when: { deadline: ['finalizing'] },
    to: 'error',
    info: 'The cluster did not settle within {minutes} minutes after its hosts were installed.',
    then: ['deadline-passed'],
    why: 'Counts from each entry into finalizing, since a host that waited for a person is not the operators’ fault.',
  },
  {
    id: 'finalizing-stage-timed-out',
    from: ['finalizing'],
    on: 'PassDeadline',
    when: { deadline: ['finalizing-stage'], stageTimeout: ['fails'] },
    to: 'error',
    info: 'The finalizing stage "{stage}" did not end within {minutes} minutes.',
    then: ['deadline-passed', 'finalizing-stage-timed-out'],
    why: 'The stage is one that an installed cluster cannot do without.',
  },
  {
    id: 'finalizing-stage-overdue',
    from: ['finalizing'],
    on: 'PassDeadline',
    when: { deadline: ['finalizing-stage'], stageTimeout: ['warns'] },
    to: 'stay',
    info: 'The finalizing stage "{stage}" takes longer than the expected {minutes} minutes.',
    then: ['deadline-passed', 'finalizing-stage-timed-out'],
    why: 'Optional operators may fail without the cluster failing, and soft timeouts only warn; said once per stage.',
  },
  {
    id: 'logs-timed-out',
    from: ['error', 'cancelled'],
    on: 'PassDeadline',
    when: { deadline: ['log-request', 'log-collection'] },
    to: 'stay',
    then: ['deadline-passed', 'logs-timed-out'],
    why: 'Whoever waits for logs should learn that no more will come.',
  },
  {
    id: 'retention-over',
    from: ['deregistered'],
    on: 'PassDeadline',
    when: { deadline: ['retention'] },
    to: 'stay',
    then: ['deadline-passed'],
    why: 'What was deleted is not looked at any more; nothing of it is kept but its history.',
  },
  ...PHASES_WITH_DEADLINES.map((status): ClusterTransition => ({
    id: `stale-timer-in-${status}`,
    from: [status],
    on: 'PassDeadline',
    when: {
      deadline: CLUSTER_VARIABLES.deadline.filter(
        (name) => name === 'not-due' || !DEADLINES_BY_STATUS[status]?.includes(name),
      ),
    },
    to: 'stay',
    why: 'The state moved on after the timer was set; a deadline counts only if the state still has it.',
  })),
  {
    id: 'stale-timer',
    from: exceptStatuses(...CLUSTER_STATUSES.filter((status) => DEADLINES_BY_STATUS[status])),
    on: 'PassDeadline',
    to: 'stay',
    why: 'No deadline runs in this status.',
  },
];
