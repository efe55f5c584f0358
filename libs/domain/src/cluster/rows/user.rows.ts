import { logsReported } from '../effects';
import type { ClusterRow } from '../guards';
import { clusterReason } from '../messages';
import { CLUSTER_STATUSES } from '../status';

/** Cancelling and resetting an installation, and the collection of logs. */
export const USER_ROWS: readonly ClusterRow[] = [
  {
    id: 'cancel-installation',
    from: ['installing', 'installing-pending-user-action', 'error', 'finalizing'],
    on: 'CancelInstallation',
    when: { hostsRefuse: [false] },
    to: 'cancelled',
    status: () => clusterReason('cancelled'),
    emit: () => [{ type: 'InstallationCancelled', data: { reason: 'Installation was cancelled by user' } }],
    why: 'Disks may be written already, so only a reset leads back.',
  },
  {
    id: 'cancel-preparation',
    from: ['preparing-for-installation'],
    on: 'CancelInstallation',
    when: { hostsRefuse: [false] },
    to: 'ready',
    status: () => clusterReason('cancelled'),
    emit: () => [{ type: 'InstallationCancelled', data: { reason: 'Installation was cancelled by user' } }],
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
    status: () => clusterReason('reset'),
    emit: () => [{ type: 'ClusterReset', data: { reason: 'cluster was reset by user' } }],
    why: 'Everything that the attempt made is void; settings stay.',
  },
  {
    id: 'logs-reported',
    from: CLUSTER_STATUSES,
    on: 'RecordLogs',
    when: { logs: ['new'] },
    to: 'stay',
    emit: logsReported,
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
