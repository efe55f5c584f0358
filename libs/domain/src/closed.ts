import type { HostKey } from '@muster/contracts';
import type { ClusterState } from './cluster/state';
import type { HostState } from './host/state';

/** Statuses in which nothing happens to a host by itself any more. */
export const FINISHED_HOSTS: readonly string[] = ['installed', 'added-to-existing-cluster'];

/** Whether nothing happens to the host by itself any more: no deadline, no poll, no reaction. A later command may open it again. */
export const isClosedHost = ({ status, deregisteredAt, passedDeadlines }: HostState): boolean =>
  FINISHED_HOSTS.includes(status) ||
  (status === 'unregistered' && (deregisteredAt === '' || passedDeadlines.includes('retention')));

/** Whether nothing happens to the cluster by itself any more. */
export const isClosedCluster = ({ status, deregisteredAt }: ClusterState): boolean =>
  status === 'installed' || (status === 'deregistered' && deregisteredAt === '');

/**
 * Whether the host stays in memory: something may happen to it or to its cluster, whose reactions read all hosts. `clusterOf`: returns
 * a cluster that is in memory.
 */
export function isHostNeeded(host: HostState, clusterOf: (id: string) => ClusterState | undefined): boolean {
  if (!isClosedHost(host)) return true;
  const cluster = host.status === 'unregistered' ? undefined : clusterOf(host.clusterId);
  return cluster !== undefined && !isClosedCluster(cluster);
}

/**
 * Whether the infra-env stays in memory: polls and evaluations of its hosts read it. `hostOf` and `clusterOf`: return entries that are
 * in memory.
 */
export function isInfraEnvNeeded(
  hostKeys: Iterable<HostKey>,
  hostOf: (key: HostKey) => HostState | undefined,
  clusterOf: (id: string) => ClusterState | undefined,
): boolean {
  for (const key of hostKeys) {
    const host = hostOf(key);
    if (host && isHostNeeded(host, clusterOf)) return true;
  }
  return false;
}

const FINISHED_CLUSTERS: readonly string[] = ['installed', 'cancelled', 'error'];

/** When the cluster was installed, cancelled, failed or deleted, ISO 8601. Undefined while it is open. */
export function clusterFinishedAt({ status, statusSince, deregisteredAt }: ClusterState): string | undefined {
  if (status === 'deregistered') return deregisteredAt || undefined;
  return FINISHED_CLUSTERS.includes(status) ? statusSince : undefined;
}
