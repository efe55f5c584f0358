import type { ClusterTransition } from '../cluster-row';
import { exceptStatuses, INSTALLING_STATUSES } from './phases';

const HOSTS_FAILED = 'Too few hosts are left to install the cluster: at least one of them failed.';
const WAITS_FOR_PERSON = 'A host waits for somebody to act.';
const IN_PROGRESS = 'The installation is in progress.';
const FINALIZING = 'The hosts are installed; the cluster is being finalized.';

/** While hosts write disks and reboot. Enough hosts of every role decide, not each single one. */
export const INSTALLATION_ROWS: readonly ClusterTransition[] = [
  {
    id: 'hosts-failed',
    from: ['installing', 'installing-pending-user-action'],
    on: 'Refresh',
    when: { hosts: ['too-few'] },
    to: 'error',
    info: HOSTS_FAILED,
    why: 'The hosts that can still finish do not make a cluster.',
  },
  {
    id: 'host-needs-person',
    from: ['installing', 'finalizing'],
    on: 'Refresh',
    when: { hosts: ['enough-on-the-way', 'enough-installed'], userAction: [true] },
    to: 'installing-pending-user-action',
    info: WAITS_FOR_PERSON,
    why: 'A host booted from the wrong disk; the others can go on meanwhile.',
  },
  {
    id: 'person-still-needed',
    from: ['installing-pending-user-action'],
    on: 'Refresh',
    when: { hosts: ['enough-on-the-way', 'enough-installed'], userAction: [true] },
    to: 'stay',
    why: 'Nobody has acted yet.',
  },
  {
    id: 'person-acted-while-installing',
    from: ['installing-pending-user-action'],
    on: 'Refresh',
    when: { hosts: ['enough-on-the-way'], userAction: [false] },
    to: 'installing',
    info: IN_PROGRESS,
    why: 'Every host is on its way again.',
  },
  {
    id: 'person-acted-while-finalizing',
    from: ['installing-pending-user-action'],
    on: 'Refresh',
    when: { hosts: ['enough-installed'], userAction: [false] },
    to: 'finalizing',
    info: FINALIZING,
    why: 'Enough hosts are installed; the clock of the finalizing stage starts over, because the wait was not its fault.',
  },
  {
    id: 'hosts-installed',
    from: ['installing'],
    on: 'Refresh',
    when: { hosts: ['enough-installed'], userAction: [false] },
    to: 'finalizing',
    info: FINALIZING,
    why: 'Control plane and enough workers are up: operators settle now.',
  },
  {
    id: 'hosts-installing',
    from: ['installing'],
    on: 'Refresh',
    when: { hosts: ['enough-on-the-way'], userAction: [false] },
    to: 'stay',
    info: IN_PROGRESS,
    why: 'Enough hosts are on their way.',
  },
  {
    id: 'hosts-progressed',
    from: INSTALLING_STATUSES,
    on: 'RecordProgress',
    to: 'stay',
    then: ['progress-installing'],
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
