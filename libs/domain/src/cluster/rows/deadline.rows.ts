import { inOrder } from '@muster/decision';
import { keysOf } from '@muster/schema';
import type { StatusReason } from '../../status-reason';
import { deadlinePassed, finalizingStageTimedOut, logsTimedOut, minutesOf, overduePreparationFailed } from '../effects';
import { CLUSTER_VARIABLES, type ClusterContext, type ClusterRow } from '../guards';
import { clusterReason, type ClusterReasonCode } from '../messages';
import { CLUSTER_STATUSES, type ClusterDeadlineName, type ClusterPhase, exceptStatuses } from '../state';

/** The deadlines of each status. In other statuses, a timer was set for an earlier state. */
export const DEADLINES_BY_STATUS: { readonly [Phase in ClusterPhase]?: readonly ClusterDeadlineName[] } = {
  'preparing-for-installation': ['preparation'],
  installing: ['installation'],
  'installing-pending-user-action': ['installation'],
  finalizing: ['installation', 'finalizing', 'finalizing-stage'],
  error: ['log-request', 'log-collection'],
  cancelled: ['log-request', 'log-collection'],
  deregistered: ['retention'],
};

const PHASES_WITH_DEADLINES = keysOf(DEADLINES_BY_STATUS);

const timedOut =
  (code: ClusterReasonCode) =>
  (context: ClusterContext<'PassDeadline'>): StatusReason =>
    clusterReason(code, { parameters: { stage: context.state.finalizingStage, minutes: String(minutesOf(context)) } });

const MIB = 1024 ** 2;

function preparationTimedOut({ command: { download } }: ClusterContext<'PassDeadline'>): StatusReason {
  if (!download) return clusterReason('preparation-timed-out');
  const { downloadedBytes, image, totalBytes } = download;
  const inMib = (bytes: number): string => String(Math.floor(bytes / MIB));
  const parameters = { image, done: inMib(downloadedBytes), total: inMib(totalBytes) };
  return clusterReason('download-stopped', { parameters });
}

/**
 * Rows for passed deadlines. Each stores the passed deadline first and then its effects. A late completion remains
 * possible.
 */
export const DEADLINE_ROWS: readonly ClusterRow[] = [
  {
    id: 'preparation-timed-out',
    from: ['preparing-for-installation'],
    on: 'PassDeadline',
    when: { deadline: ['preparation'] },
    to: 'ready',
    status: preparationTimedOut,
    emit: inOrder(deadlinePassed, overduePreparationFailed(preparationTimedOut)),
    why: 'No disk was written. The user can start the installation again.',
  },
  {
    id: 'pending-user-action-timed-out',
    from: ['installing-pending-user-action'],
    on: 'PassDeadline',
    when: { deadline: ['installation'] },
    to: 'error',
    status: () => clusterReason('user-action-timed-out'),
    emit: deadlinePassed,
    why: 'No user acted before the deadline. The cluster reports an error instead of waiting without limit.',
  },
  {
    id: 'installation-timed-out',
    from: ['installing', 'finalizing'],
    on: 'PassDeadline',
    when: { deadline: ['installation'] },
    to: 'error',
    status: timedOut('installation-timed-out'),
    emit: deadlinePassed,
    why: 'With soft timeouts, this is the only limit that fails a cluster. Without soft timeouts, stages and hosts have their own limits.',
  },
  {
    id: 'finalizing-timed-out',
    from: ['finalizing'],
    on: 'PassDeadline',
    when: { deadline: ['finalizing'] },
    to: 'error',
    status: () => clusterReason('finalizing-timed-out'),
    emit: deadlinePassed,
    why: 'The time limit starts at each entry into finalizing, so that the wait for a user action does not count.',
  },
  {
    id: 'finalizing-stage-timed-out',
    from: ['finalizing'],
    on: 'PassDeadline',
    when: { deadline: ['finalizing-stage'], stageTimeout: ['fails'] },
    to: 'error',
    status: timedOut('finalizing-stage-timed-out'),
    emit: inOrder(deadlinePassed, finalizingStageTimedOut),
    why: 'An installed cluster requires this stage.',
  },
  {
    id: 'finalizing-stage-overdue',
    from: ['finalizing'],
    on: 'PassDeadline',
    when: { deadline: ['finalizing-stage'], stageTimeout: ['warns'] },
    to: 'stay',
    status: timedOut('finalizing-stage-overdue'),
    emit: inOrder(deadlinePassed, finalizingStageTimedOut),
    why: 'Optional operators do not fail the cluster, and soft timeouts only warn. One warning is recorded per stage.',
  },
  {
    id: 'logs-timed-out',
    from: ['error', 'cancelled'],
    on: 'PassDeadline',
    when: { deadline: ['log-request', 'log-collection'] },
    to: 'stay',
    emit: inOrder(deadlinePassed, logsTimedOut),
    why: 'Clients that wait for logs see that the collection has ended.',
  },
  {
    id: 'retention-over',
    from: ['deregistered'],
    on: 'PassDeadline',
    when: { deadline: ['retention'] },
    to: 'stay',
    emit: deadlinePassed,
    why: 'The retention period has ended. Only the events of the cluster remain.',
  },
  ...PHASES_WITH_DEADLINES.map((status): ClusterRow => ({
    id: `stale-timer-in-${status}`,
    from: [status],
    on: 'PassDeadline',
    when: {
      deadline: CLUSTER_VARIABLES.deadline.filter(
        (name) => name === 'not-due' || !DEADLINES_BY_STATUS[status]?.includes(name),
      ),
    },
    to: 'stay',
    why: 'The status changed after the timer was set. A deadline takes effect only when it still applies to the current state.',
  })),
  {
    id: 'stale-timer',
    from: exceptStatuses(...CLUSTER_STATUSES.filter((status) => DEADLINES_BY_STATUS[status])),
    on: 'PassDeadline',
    to: 'stay',
    why: 'This status has no deadline.',
  },
];
