import isEqual from 'fast-deep-equal';
import type { HostKey } from '@muster/contracts';
import { type ClusterShape, NO_SHAPE, shapeOf } from '@muster/operators';
import { type ClusterSettingsFacts, effectiveRole } from '@muster/validation-rules';
import type { KnownEntries } from './known-entries';
import type { ClusterEntry, HostEntry } from './view-entries';

/** Returns the numbers of hosts by role. Only operators read them. */
export function shapeOfCluster(cluster: ClusterEntry, entries: KnownEntries): ClusterShape {
  if (cluster.facts.operators.length === 0) return NO_SHAPE;
  const hosts = entries.hostsOf(cluster).filter(({ state }) => state.kind !== 'AddToExistingClusterHost');
  return shapeOf(
    hosts.map(({ state: { role, suggestedRole } }) => ({ role, effectiveRole: effectiveRole(role, suggestedRole) })),
  );
}

/** Returns the hosts whose operators have to be evaluated again because the numbers of hosts by role have changed. */
export function reshaped(cluster: ClusterEntry, entries: KnownEntries): readonly HostKey[] {
  const shape = shapeOfCluster(cluster, entries);
  if (isEqual(shape, cluster.shape)) return [];
  cluster.shape = shape;
  return [...cluster.hostKeys];
}

/** With fewer hosts it cannot be decided which of them is cut off. */
const HOSTS_MIN = 3;
/** Two control plane hosts with fencing form a complete cluster. */
const FENCED_HOSTS_MIN = 2;

function majorityHostsMin({ controlPlaneCount }: ClusterSettingsFacts, hosts: readonly HostEntry[]): number {
  const isFenced = controlPlaneCount === 2 && hosts.some(({ state }) => state.settings.fencingCredentialsSet);
  return isFenced ? FENCED_HOSTS_MIN : HOSTS_MIN;
}

interface HostsByCluster {
  hostsOf(cluster: ClusterEntry): readonly HostEntry[];
}

/** Returns how many hosts a cluster needs before its connectivity groups count. Reads the hosts only where they matter. */
export const majorityHostsMinOf = (cluster: ClusterEntry, view: HostsByCluster): number =>
  majorityHostsMin(cluster.facts, cluster.facts.controlPlaneCount === 2 ? view.hostsOf(cluster) : []);
