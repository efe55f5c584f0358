import { installed } from '../effects';
import type { ClusterRow } from '../guards';
import { clusterReason } from '../messages';
import { exceptStatuses, INSTALLING_STATUSES } from '../state';

/** Rows for clusters whose hosts write disks and reboot. The number of hosts of each role decides. */
export const INSTALLATION_ROWS: readonly ClusterRow[] = [
  {
    id: 'hosts-failed',
    from: ['installing', 'installing-pending-user-action'],
    on: 'Refresh',
    when: { hosts: ['too-few'] },
    to: 'error',
    status: () => clusterReason('hosts-failed'),
    why: 'The hosts that can still complete are too few for a cluster.',
  },
  {
    id: 'host-needs-user-action',
    from: ['installing', 'finalizing'],
    on: 'Refresh',
    when: { hosts: ['enough-on-the-way', 'enough-installed'], userAction: [true] },
    to: 'installing-pending-user-action',
    status: () => clusterReason('wrong-boot-order'),
    why: 'A host booted from the wrong disk. The other hosts continue.',
  },
  {
    id: 'user-action-still-needed',
    from: ['installing-pending-user-action'],
    on: 'Refresh',
    when: { hosts: ['enough-on-the-way', 'enough-installed'], userAction: [true] },
    to: 'stay',
    why: 'The user action is still required.',
  },
  {
    id: 'user-acted-while-installing',
    from: ['installing-pending-user-action'],
    on: 'Refresh',
    when: { hosts: ['enough-on-the-way'], userAction: [false] },
    to: 'installing',
    status: () => clusterReason('installing'),
    why: 'All hosts continue their installation.',
  },
  {
    id: 'user-acted-while-finalizing',
    from: ['installing-pending-user-action'],
    on: 'Refresh',
    when: { hosts: ['enough-installed'], userAction: [false] },
    to: 'finalizing',
    status: () => clusterReason('finalizing'),
    why: 'Enough hosts are installed. The timer of the finalizing stage restarts, so that the wait does not count.',
  },
  {
    id: 'hosts-installed',
    from: ['installing'],
    on: 'Refresh',
    when: { hosts: ['enough-installed'], userAction: [false] },
    to: 'finalizing',
    status: () => clusterReason('finalizing'),
    why: 'The control plane and enough workers run. The cluster waits for its operators.',
  },
  {
    id: 'hosts-installing',
    from: ['installing'],
    on: 'Refresh',
    when: { hosts: ['enough-on-the-way'], userAction: [false] },
    to: 'stay',
    status: () => clusterReason('installing'),
    why: 'Enough hosts are still installing.',
  },
  {
    id: 'hosts-progressed',
    from: INSTALLING_STATUSES,
    on: 'RecordProgress',
    to: 'stay',
    emit: installed,
    why: 'The progress of the cluster follows the completed stages of its hosts.',
  },
  {
    id: 'hosts-progressed-outside-installation',
    from: exceptStatuses(...INSTALLING_STATUSES),
    on: 'RecordProgress',
    to: 'stay',
    why: 'Day-2 hosts have their own progress, and a late report does not change the progress of the cluster.',
  },
  {
    id: 'nothing-to-refresh',
    from: ['installed', 'cancelled', 'adding-hosts', 'unmonitored'],
    on: 'Refresh',
    to: 'stay',
    why: 'Hosts and validations do not change the status of a cluster that is installed, cancelled, or installed elsewhere.',
  },
];
