import type { ClusterDocument, HostDocument } from '@muster/assisted-api';

type Counts = Pick<ClusterDocument, 'total_host_count' | 'enabled_host_count' | 'ready_host_count' | '_worker_count'>;

/** Numbers of a cluster that one host adds to; each 0 or 1. */
function countsOf(host: HostDocument): Counts {
  const role = host.role === 'auto-assign' ? host.suggested_role : host.role;
  return {
    total_host_count: 1,
    enabled_host_count: host.status === 'disabled' ? 0 : 1,
    ready_host_count: host.status === 'known' ? 1 : 0,
    _worker_count: role === 'worker' ? 1 : 0,
  };
}

const isSameToItsCluster = (before: HostDocument, after: HostDocument): boolean =>
  before.cluster_id === after.cluster_id &&
  before.status === after.status &&
  before.role === after.role &&
  before.suggested_role === after.suggested_role;

/** What a host's change means for the counts of the cluster it leaves or joins: cluster id and +1 or -1 for `host`. */
export function countedHosts(
  before: HostDocument | undefined,
  after: HostDocument | undefined,
): readonly { readonly clusterId: string; readonly host: HostDocument; readonly sign: 1 | -1 }[] {
  if (before && after && isSameToItsCluster(before, after)) return [];
  return [
    ...(before?.cluster_id ? [{ clusterId: before.cluster_id, host: before, sign: -1 as const }] : []),
    ...(after?.cluster_id ? [{ clusterId: after.cluster_id, host: after, sign: 1 as const }] : []),
  ];
}

export function addToCounts(cluster: ClusterDocument, host: HostDocument, sign: 1 | -1): ClusterDocument {
  const counts = countsOf(host);
  return {
    ...cluster,
    total_host_count: cluster.total_host_count + sign * counts.total_host_count,
    enabled_host_count: cluster.enabled_host_count + sign * counts.enabled_host_count,
    ready_host_count: cluster.ready_host_count + sign * counts.ready_host_count,
    _worker_count: cluster._worker_count + sign * counts._worker_count,
  };
}
