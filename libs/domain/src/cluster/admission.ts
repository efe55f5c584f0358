import type { Refusal } from '@muster/problems';
import type { HostState } from '../host/state';
import { clusterActionRefusal } from '../permissions';
import type { ClusterState } from './state';

/** The reason why the cluster accepts no further host in its present status, or undefined when it accepts hosts. */
export function clusterAdmissionRefusal(cluster: ClusterState, clusterId: string): Refusal | undefined {
  if (cluster.status === 'unregistered' || cluster.status === 'deregistered')
    return { code: 'not-found', reason: `Cluster ${clusterId} does not exist.`, subject: 'cluster_id' };
  const refusal = clusterActionRefusal('admit-hosts', cluster.status, cluster.settings.name ?? clusterId);
  if (!refusal || cluster.status !== 'installed') return refusal;
  return { ...refusal, reason: `${refusal.reason} Allow it to add hosts first (actions/allow-add-hosts).` };
}

/** The reason why a host of this CPU architecture cannot join the cluster, or undefined. An empty architecture fits all. */
export function architectureRefusal(ofHost: string, ofCluster: string): Refusal | undefined {
  if (!ofHost || !ofCluster || ofCluster === 'multi' || sameName(ofHost) === sameName(ofCluster)) return undefined;
  return {
    code: 'invalid-input',
    reason: `The CPU architecture of the host is ${ofHost}. The cluster accepts ${ofCluster} only.`,
    subject: 'cluster_id',
    allowed: [ofCluster],
  };
}

/** aarch64 and arm64 name one architecture. */
const sameName = (architecture: string): string => (architecture === 'aarch64' ? 'arm64' : architecture);

export type HostPlacement = Pick<HostState, 'kind' | 'role' | 'machineConfigPoolName'> & {
  readonly bootstrap: boolean;
};

/** Kind, role and pool of a new host: worker of an existing cluster, the single node, or not decided yet. */
export function placementIn(cluster: Pick<ClusterState, 'kind' | 'settings'> | undefined): HostPlacement {
  if (cluster?.kind === 'AddHostsCluster')
    return { kind: 'AddToExistingClusterHost', role: 'worker', bootstrap: false, machineConfigPoolName: 'worker' };
  const isSingleNode = cluster?.settings.controlPlaneCount === 1;
  return {
    kind: 'Host',
    role: isSingleNode ? 'master' : 'auto-assign',
    bootstrap: isSingleNode,
    machineConfigPoolName: '',
  };
}
