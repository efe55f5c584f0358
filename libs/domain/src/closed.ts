import type { ClusterState } from './cluster/state';
import type { HostState } from './host/state';

const FINISHED_HOSTS: readonly string[] = ['installed', 'added-to-existing-cluster'];

/** Whether nothing happens to the host by itself any more: no deadline, no poll, no reaction. A later command may open it again. */
export const isClosedHost = ({ status, deregisteredAt, passedDeadlines }: HostState): boolean =>
  FINISHED_HOSTS.includes(status) ||
  (status === 'unregistered' && (deregisteredAt === '' || passedDeadlines.includes('retention')));

/** Whether nothing happens to the cluster by itself any more. */
export const isClosedCluster = ({ status, deregisteredAt }: ClusterState): boolean =>
  status === 'installed' || (status === 'deregistered' && deregisteredAt === '');

const FINISHED_CLUSTERS: readonly string[] = ['installed', 'cancelled', 'error'];

/** When the cluster was installed, cancelled, failed or deleted, ISO 8601. Undefined while it is open. */
export function clusterFinishedAt({ status, statusSince, deregisteredAt }: ClusterState): string | undefined {
  if (status === 'deregistered') return deregisteredAt || undefined;
  return FINISHED_CLUSTERS.includes(status) ? statusSince : undefined;
}
