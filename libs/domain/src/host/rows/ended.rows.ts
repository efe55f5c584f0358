import { hostReason } from '../messages';
import type { HostEvent } from '@muster/contracts';
import type { ContextOf, RowOn } from '../guards';
import { DISABLED } from '../status';
import { resumeClock } from '../effects';

const giveUpLogs = ({ command }: ContextOf<'Refresh'>): readonly HostEvent[] => [
  { type: 'HostLogsReported', data: { logsState: 'timeout', at: command.at } },
];

/** Hosts whose installation ended one way or another, and statuses that only wait. */
export const ENDED_ROWS: readonly RowOn<'Refresh'>[] = [
  {
    id: 'failure-logs-timed-out',
    from: ['error'],
    on: 'Refresh',
    when: { statusDeadline: ['passed'] },
    to: 'stay',
    why: 'Logs that have not come by now will not come.',
    emit: giveUpLogs,
  },
  {
    id: 'failure-stays',
    from: ['error'],
    on: 'Refresh',
    when: { statusDeadline: ['pending'], failure: ['late', 'final'] },
    to: 'stay',
    why: 'Only the machine itself, or a reset, brings the host back.',
  },
  {
    id: 'failure-shared-with-cluster',
    from: ['error'],
    on: 'Refresh',
    when: { statusDeadline: ['pending'], failure: ['cluster'], cluster: ['preparing', 'failed', 'other'] },
    to: 'stay',
    why: 'The host fell with its cluster, which has not recovered.',
  },
  {
    id: 'recovered-with-cluster',
    from: ['error'],
    on: 'Refresh',
    when: {
      statusDeadline: ['pending'],
      failure: ['cluster'],
      cluster: ['installing', 'finalizing', 'waiting', 'done'],
      arrived: [false],
    },
    to: 'installing-in-progress',
    why: 'The host only fell with its cluster; the cluster succeeded late after all.',
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
      arrived: [true],
    },
    to: 'installed',
    why: 'The host was done when its cluster failed; the cluster succeeded late after all.',
    status: () => hostReason('installed'),
  },
  {
    id: 'cancelled-logs-timed-out',
    from: ['cancelled'],
    on: 'Refresh',
    when: { statusDeadline: ['passed'] },
    to: 'stay',
    why: 'Logs that have not come by now will not come.',
    emit: giveUpLogs,
  },
  {
    id: 'cancelled-stays',
    from: ['cancelled'],
    on: 'Refresh',
    when: { statusDeadline: ['pending'] },
    to: 'stay',
    why: 'Only a reset brings the host back.',
  },
  {
    id: 'resetting-timed-out',
    from: ['resetting'],
    on: 'Refresh',
    when: { statusDeadline: ['passed'] },
    to: 'resetting-pending-user-action',
    why: 'The machine did not come back by itself: a user has to boot it.',
    status: () => hostReason('resetting'),
  },
  {
    id: 'resetting-awaits-boot',
    from: ['resetting'],
    on: 'Refresh',
    when: { statusDeadline: ['pending'] },
    to: 'stay',
    why: 'The machine is on its way back to the discovery image.',
  },
  {
    id: 'waits-to-register',
    from: ['resetting-pending-user-action', 'binding', 'unbinding-pending-user-action', 'added-to-existing-cluster'],
    on: 'Refresh',
    to: 'stay',
    why: 'Whatever happens to its cluster, only the machine can act: it registers again.',
  },
  {
    id: 'disabled-stays',
    from: DISABLED,
    on: 'Refresh',
    to: 'stay',
    why: 'Disabled hosts are left alone.',
  },
];
