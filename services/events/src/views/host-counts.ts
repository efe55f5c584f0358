import type { ClusterDocument, HostDocument } from '@muster/assisted-api';

type Counts = Pick<ClusterDocument, 'total_host_count' | 'enabled_host_count' | 'ready_host_count' | '_worker_count'>;

const NONE: Counts = { total_host_count: 0, enabled_host_count: 0, ready_host_count: 0, _worker_count: 0 };

/** The contribution of one host to the counts of its cluster. Each value is 0 or 1. */
function countsOf(host: HostDocument | undefined): Counts {
  if (!host) return NONE;
  const role = host.role === 'auto-assign' ? host.suggested_role : host.role;
  return {
    total_host_count: 1,
    enabled_host_count: host.status === 'disabled' ? 0 : 1,
    ready_host_count: host.status === 'known' ? 1 : 0,
    _worker_count: role === 'worker' ? 1 : 0,
  };
}

function difference(before: Counts, after: Counts): Counts {
  return {
    total_host_count: after.total_host_count - before.total_host_count,
    enabled_host_count: after.enabled_host_count - before.enabled_host_count,
    ready_host_count: after.ready_host_count - before.ready_host_count,
    _worker_count: after._worker_count - before._worker_count,
  };
}

const isNothing = (counts: Counts): boolean =>
  counts.total_host_count === 0 &&
  counts.enabled_host_count === 0 &&
  counts.ready_host_count === 0 &&
  counts._worker_count === 0;

export interface CountsChange {
  readonly clusterId: string;
  readonly by: Counts;
}

const NO_CHANGES: readonly CountsChange[] = [];

/** Returns the changes of the counts of the clusters that a host is in, leaves or joins. Usually empty. */
export function countsChanges(
  before: HostDocument | undefined,
  after: HostDocument | undefined,
): readonly CountsChange[] {
  const isSameToItsCluster =
    before?.cluster_id === after?.cluster_id &&
    before?.status === after?.status &&
    before?.role === after?.role &&
    before?.suggested_role === after?.suggested_role;
  if (isSameToItsCluster) return NO_CHANGES;
  const changes: CountsChange[] = [];
  if (before?.cluster_id === after?.cluster_id) {
    if (after?.cluster_id)
      changes.push({ clusterId: after.cluster_id, by: difference(countsOf(before), countsOf(after)) });
  } else {
    if (before?.cluster_id) changes.push({ clusterId: before.cluster_id, by: difference(countsOf(before), NONE) });
    if (after?.cluster_id) changes.push({ clusterId: after.cluster_id, by: countsOf(after) });
  }
  return changes.filter(({ by }) => !isNothing(by));
}

export function addCounts(cluster: ClusterDocument, by: Counts): ClusterDocument {
  return {
    ...cluster,
    total_host_count: cluster.total_host_count + by.total_host_count,
    enabled_host_count: cluster.enabled_host_count + by.enabled_host_count,
    ready_host_count: cluster.ready_host_count + by.ready_host_count,
    _worker_count: cluster._worker_count + by._worker_count,
  };
}
