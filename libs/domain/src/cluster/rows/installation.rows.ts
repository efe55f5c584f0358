import { installed } from '../effects';
import type { ClusterRow } from '../guards';
import { clusterReason } from '../messages';
import { exceptStatuses, INSTALLING_STATUSES } from '../state';

/** While hosts write disks and reboot. Enough hosts of every role decide, not each single one. */
export const INSTALLATION_ROWS: readonly ClusterRow[] = [
  {
    id: 'hosts-failed',
    from: ['installing', 'installing-pending-user-action'],
    on: 'Refresh',
    when: { hosts: ['too-few'] },
    to: 'error',
    status: () => clusterReason('hosts-failed'),
    why: 'The hosts that can still finish do not make a cluster.',
  },
  {
    id: 'host-needs-person',
    from: ['installing', 'finalizing'],
    on: 'Refresh',
    when: { hosts: ['enough-on-the-way', 'enough-installed'], userAction: [true] },
    to: 'installing-pending-user-action',
    status: () => clusterReason('wrong-boot-order'),
    why: 'A host booted from the wrong disk; the others continue meanwhile.',
  },
  {
    id: 'person-still-needed',
    from: ['installing-pending-user-action'],
    on: 'Refresh',
    when: { hosts: ['enough-on-the-way', 'enough-installed'], userAction: [true] },
    to: 'stay',
    why: 'The user has not acted yet.',
  },
  {
    id: 'person-acted-while-installing',
    from: ['installing-pending-user-action'],
    on: 'Refresh',
    when: { hosts: ['enough-on-the-way'], userAction: [false] },
    to: 'installing',
    status: () => clusterReason('installing'),
    why: 'Every host is on its way again.',
  },
  {
    id: 'person-acted-while-finalizing',
    from: ['installing-pending-user-action'],
    on: 'Refresh',
    when: { hosts: ['enough-installed'], userAction: [false] },
    to: 'finalizing',
    status: () => clusterReason('finalizing'),
    why: 'Enough hosts are installed; the clock of the finalizing stage starts over, because the wait was not its fault.',
  },
  {
    id: 'hosts-installed',
    from: ['installing'],
    on: 'Refresh',
    when: { hosts: ['enough-installed'], userAction: [false] },
    to: 'finalizing',
    status: () => clusterReason('finalizing'),
    why: 'Control plane and enough workers are up: operators settle now.',
  },
  {
    id: 'hosts-installing',
    from: ['installing'],
    on: 'Refresh',
    when: { hosts: ['enough-on-the-way'], userAction: [false] },
    to: 'stay',
    status: () => clusterReason('installing'),
    why: 'Enough hosts are on their way.',
  },
  {
    id: 'hosts-progressed',
    from: INSTALLING_STATUSES,
    on: 'RecordProgress',
    to: 'stay',
    emit: installed,
    why: 'The share of stages that all hosts have behind them is the longest part of the bar.',
  },
  {
    id: 'hosts-progressed-outside-installation',
    from: exceptStatuses(...INSTALLING_STATUSES),
    on: 'RecordProgress',
    to: 'stay',
    why: 'Day-2 hosts have bars of their own, and a report that comes late moves nothing.',
  },
  {
    id: 'nothing-to-refresh',
    from: ['installed', 'cancelled', 'adding-hosts', 'unmonitored'],
    on: 'Refresh',
    to: 'stay',
    why: 'No host or outcome moves a cluster that is done, given up, or not installed from here.',
  },
];
