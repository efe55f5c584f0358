import type { ClusterState } from '@muster/domain';
import type { Refusal } from '@muster/problems';

const ACCEPTING_STATUSES: readonly string[] = ['insufficient', 'ready', 'pending-for-input', 'adding-hosts'];

/** Why a cluster cannot be given another host now, or undefined. */
export function clusterAdmissionRefusal(cluster: ClusterState, clusterId: string): Refusal | undefined {
  if (cluster.status === 'unregistered' || cluster.status === 'deregistered') {
    return { code: 'not-found', reason: `There is no cluster ${clusterId}.`, subject: 'cluster_id' };
  }
  if (ACCEPTING_STATUSES.includes(cluster.status)) return undefined;
  const hint = cluster.status === 'installed' ? ' Allow it to add hosts first (actions/allow-add-hosts).' : '';
  return {
    code: 'cluster-does-not-accept-hosts',
    reason: `Cluster ${cluster.settings.name ?? clusterId} is ${cluster.status} and takes no hosts.${hint}`,
    subject: 'status',
    allowed: ACCEPTING_STATUSES,
  };
}
