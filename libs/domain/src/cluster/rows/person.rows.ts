import type { ClusterTransition } from '../cluster-row';
import { CLUSTER_STATUSES } from '../cluster-status';

/** What a person does with a running or failed installation, and the logs that tell about it. */
export const PERSON_ROWS: readonly ClusterTransition[] = [
  {
    id: 'cancel-installation',
    from: ['installing', 'installing-pending-user-action', 'error', 'finalizing'],
    on: 'CancelInstallation',
    when: { hostsRefuse: [false] },
    to: 'cancelled',
    info: 'The installation was cancelled.',
    then: ['cancel'],
    why: 'Disks may be written already, so only a reset leads back.',
  },
  {
    id: 'cancel-preparation',
    from: ['preparing-for-installation'],
    on: 'CancelInstallation',
    when: { hostsRefuse: [false] },
    to: 'ready',
    info: 'The installation was cancelled before it started.',
    then: ['cancel'],
    why: 'No disk was touched: the cluster is as ready as before.',
  },
  {
    id: 'reset',
    from: [
      'preparing-for-installation',
      'installing',
      'installing-pending-user-action',
      'error',
      'cancelled',
      'finalizing',
    ],
    on: 'Reset',
    when: { hostsRefuse: [false] },
    to: 'insufficient',
    info: 'The cluster was reset; its hosts have to boot the discovery image again.',
    then: ['reset'],
    why: 'Everything that the attempt made is void; settings stay.',
  },
  {
    id: 'logs-reported',
    from: CLUSTER_STATUSES,
    on: 'RecordLogs',
    when: { logs: ['new'] },
    to: 'stay',
    then: ['logs'],
    why: 'Logs are wanted most when something went wrong, so no status forbids them.',
  },
  {
    id: 'logs-repeated',
    from: CLUSTER_STATUSES,
    on: 'RecordLogs',
    when: { logs: ['same'] },
    to: 'stay',
    why: 'The state is known.',
  },
];
