import { CLUSTER_STATUSES, type ClusterStatus } from '../cluster-status';

/** Nothing has been started: settings may change. */
export const OPEN_STATUSES = ['pending-for-input', 'insufficient', 'ready'] as const satisfies readonly ClusterStatus[];

/** Settings may change and hosts may join. */
export const UPDATABLE_STATUSES = [...OPEN_STATUSES, 'adding-hosts'] as const satisfies readonly ClusterStatus[];

/** Hosts are being installed, or the new cluster is settling. */
export const INSTALLING_STATUSES = [
  'installing',
  'installing-pending-user-action',
  'finalizing',
] as const satisfies readonly ClusterStatus[];

/** The controller reports its stages; the last one may come after the cluster completed. */
export const STAGE_TAKING_STATUSES = [...INSTALLING_STATUSES, 'installed'] as const satisfies readonly ClusterStatus[];

export const exceptStatuses = (...excluded: readonly ClusterStatus[]): readonly ClusterStatus[] =>
  CLUSTER_STATUSES.filter((status) => !excluded.includes(status));
