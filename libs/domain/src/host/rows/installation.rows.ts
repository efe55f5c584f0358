import type { HostEvent } from '@muster/contracts';
import type { Guard } from '@muster/decision';
import { resumeClock } from '../effects';
import type { ContextOf, HostGuardValues, HostVariables, RowOn } from '../guards';
import { hostReason } from '../messages';
import { DISABLED, type HostStatus } from '../state';

type RefreshRow = RowOn<'Refresh'>;

/** The cluster has not failed. Day-2 hosts do not depend on it. */
export const CLUSTER_NOT_FAILED: readonly HostGuardValues['cluster'][] = [
  'preparing',
  'installing',
  'finalizing',
  'waiting',
  'done',
  'other',
];

function clusterFailed(prefix: string, from: HostStatus): RefreshRow {
  return {
    id: `${prefix}-cluster-failed`,
    from: [from],
    on: 'Refresh',
    when: { cluster: ['failed'] },
    to: 'error',
    cause: 'cluster',
    why: 'The installation of the cluster failed, so its hosts failed too.',
    status: () => hostReason('cluster-failed'),
  };
}

/** Rows for an installer that stopped reporting: an error with hard timeouts, one warning with soft timeouts. */
export function presenceRows(prefix: string, from: HostStatus, when: Guard<HostVariables>): readonly RefreshRow[] {
  const row = (id: string, guard: Guard<HostVariables>) =>
    ({
      id: `${prefix}-${id}`,
      from: [from],
      on: 'Refresh',
      when: { cluster: CLUSTER_NOT_FAILED, ...when, ...guard },
    }) as const;
  return [
    {
      ...row('silent', { presence: ['lost'], timeouts: ['hard'] }),
      to: 'error',
      cause: 'silence',
      why: 'The installer stopped reporting, so its progress is unknown.',
      status: () => hostReason('silent-while-installing'),
    },
    {
      ...row('silent-warned', { presence: ['lost'], timeouts: ['soft'] }),
      to: 'stay',
      why: 'With soft timeouts, the host gets one warning and continues.',
      status: () => hostReason('silence-warned'),
      emit: () => [{ type: 'HostConnectionTimedOut', data: {} }],
    },
    {
      ...row('returned', { presence: ['regained'] }),
      to: 'stay',
      why: 'The host reports again, so the warning is removed.',
      status: () => hostReason('silence-ended'),
      emit: () => [{ type: 'HostConnectionRecovered', data: {} }],
    },
  ];
}

/** Rows for hosts after the install step was sent. progress.rows.ts has the rows for stages. */
export const INSTALLATION_ROWS: readonly RefreshRow[] = [
  clusterFailed('installing', 'installing'),
  {
    id: 'installing-timed-out',
    from: ['installing'],
    on: 'Refresh',
    when: { cluster: CLUSTER_NOT_FAILED, statusDeadline: ['passed'] },
    to: 'error',
    cause: 'deadline',
    why: 'The agent received its install step and did not report a stage.',
    status: () => hostReason('installing-timed-out'),
  },
  ...presenceRows('installing', 'installing', { statusDeadline: ['pending'] }),
  {
    id: 'installing-goes-on',
    from: ['installing'],
    on: 'Refresh',
    when: { cluster: CLUSTER_NOT_FAILED, statusDeadline: ['pending'], presence: ['kept', 'recorded'] },
    to: 'stay',
    why: 'The host has not reported its first stage yet.',
  },

  clusterFailed('in-progress', 'installing-in-progress'),
  ...presenceRows('in-progress', 'installing-in-progress', {}),

  clusterFailed('user-action', 'installing-pending-user-action'),
  {
    id: 'user-action-awaited',
    from: ['installing-pending-user-action'],
    on: 'Refresh',
    when: { cluster: CLUSTER_NOT_FAILED, statusDeadline: ['pending'] },
    to: 'stay',
    why: 'A user must make the machine boot from its disk.',
  },
  {
    id: 'user-action-needed',
    from: ['installing-pending-user-action'],
    on: 'Refresh',
    when: { cluster: CLUSTER_NOT_FAILED, statusDeadline: ['passed'], quorum: [false] },
    to: 'stay',
    why: 'The cluster requires this host, so the host continues to wait.',
  },
  {
    id: 'user-action-timed-out',
    from: ['installing-pending-user-action'],
    on: 'Refresh',
    when: {
      cluster: ['preparing', 'installing', 'finalizing', 'waiting', 'other'],
      statusDeadline: ['passed'],
      quorum: [true],
    },
    to: 'error',
    cause: 'deadline',
    why: 'The other hosts are enough. The cluster continues without this host.',
    status: () => hostReason('boot-timed-out'),
  },
  {
    id: 'user-action-not-needed',
    from: ['installing-pending-user-action'],
    on: 'Refresh',
    when: { cluster: ['done'], statusDeadline: ['passed'], quorum: [true] },
    to: 'stay',
    why: 'The cluster is already installed. The host can join when it boots.',
  },

  clusterFailed('installed', 'installed'),
  {
    id: 'installed-stays',
    from: ['installed'],
    on: 'Refresh',
    when: { cluster: CLUSTER_NOT_FAILED },
    to: 'stay',
    why: 'The installation of the host is complete.',
  },
];

const endLogCollection = ({ command }: ContextOf<'Refresh'>): readonly HostEvent[] => [
  { type: 'HostLogsReported', data: { logsState: 'timeout', at: command.at } },
];

/** Rows for hosts whose installation has ended, and for statuses that wait. */
export const ENDED_ROWS: readonly RowOn<'Refresh'>[] = [
  {
    id: 'failure-logs-timed-out',
    from: ['error'],
    on: 'Refresh',
    when: { statusDeadline: ['passed'] },
    to: 'stay',
    why: 'The time for the log collection has passed.',
    emit: endLogCollection,
  },
  {
    id: 'failure-stays',
    from: ['error'],
    on: 'Refresh',
    when: { statusDeadline: ['pending'], failure: ['late', 'final'] },
    to: 'stay',
    why: 'The host leaves this status when the machine registers again or the host is reset.',
  },
  {
    id: 'failure-shared-with-cluster',
    from: ['error'],
    on: 'Refresh',
    when: { statusDeadline: ['pending'], failure: ['cluster'], cluster: ['preparing', 'failed', 'other'] },
    to: 'stay',
    why: 'The host failed together with its cluster, and the cluster has not recovered.',
  },
  {
    id: 'recovered-with-cluster',
    from: ['error'],
    on: 'Refresh',
    when: {
      statusDeadline: ['pending'],
      failure: ['cluster'],
      cluster: ['installing', 'finalizing', 'waiting', 'done'],
      lastStageDone: [false],
    },
    to: 'installing-in-progress',
    why: 'The host failed only because of its cluster, and the cluster continues after its deadline.',
    status: () => hostReason('cluster-recovered'),
    emit: resumeClock,
  },
  {
    id: 'recovered-with-cluster-installed',
    from: ['error'],
    on: 'Refresh',
    when: {
      statusDeadline: ['pending'],
      failure: ['cluster'],
      cluster: ['installing', 'finalizing', 'waiting', 'done'],
      lastStageDone: [true],
    },
    to: 'installed',
    why: 'The host was installed when its cluster failed, and the cluster continues after its deadline.',
    status: () => hostReason('installed'),
  },
  {
    id: 'cancelled-logs-timed-out',
    from: ['cancelled'],
    on: 'Refresh',
    when: { statusDeadline: ['passed'] },
    to: 'stay',
    why: 'The time for the log collection has passed.',
    emit: endLogCollection,
  },
  {
    id: 'cancelled-stays',
    from: ['cancelled'],
    on: 'Refresh',
    when: { statusDeadline: ['pending'] },
    to: 'stay',
    why: 'The host leaves this status only after a reset.',
  },
  {
    id: 'resetting-timed-out',
    from: ['resetting'],
    on: 'Refresh',
    when: { statusDeadline: ['passed'] },
    to: 'resetting-pending-user-action',
    why: 'The host did not boot the discovery image in time. A user must boot it.',
    status: () => hostReason('resetting'),
  },
  {
    id: 'resetting-awaits-boot',
    from: ['resetting'],
    on: 'Refresh',
    when: { statusDeadline: ['pending'] },
    to: 'stay',
    why: 'The machine is booting the discovery image again.',
  },
  {
    id: 'waits-to-register',
    from: ['resetting-pending-user-action', 'binding', 'unbinding-pending-user-action', 'added-to-existing-cluster'],
    on: 'Refresh',
    to: 'stay',
    why: 'The host leaves this status when the machine registers again, regardless of its cluster.',
  },
  {
    id: 'disabled-stays',
    from: DISABLED,
    on: 'Refresh',
    to: 'stay',
    why: 'A disabled host is not evaluated.',
  },
];
