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
