import type { HostKey } from '@muster/contracts';
import { type ClusterShape, NO_SHAPE, shapeOf } from '@muster/operators';
import type { ClusterSettingsFacts } from '@muster/validation-rules';
import isEqual from 'fast-deep-equal';
import type { KnownEntries } from './known-entries';
import { type ClusterEntry, type CombinedHosts, type HostEntry, nameOf } from './view-entries';

/** Settings that only cluster rules read: a change of them changes no outcome of a host. */
const READ_BY_CLUSTERS_ONLY: ReadonlySet<string> = new Set<keyof ClusterSettingsFacts>([
  'apiVips',
  'ingressVips',
  'vipDhcpAllocation',
  'networkType',
  'effectiveNetworkType',
  'pullSecretSet',
  'hasCustomManifest',
  'ignoredClusterRules',
]);

export function isSameToHosts(before: ClusterSettingsFacts, after: ClusterSettingsFacts): boolean {
  const read = (facts: ClusterSettingsFacts): readonly unknown[] =>
    Object.entries(facts).filter(([name]) => !READ_BY_CLUSTERS_ONLY.has(name));
  return isEqual(read(before), read(after));
}

/** Returns the hosts whose names were or became equal to the name of a changed host. */
export function renamed(
  before: HostEntry,
  after: HostEntry,
  entries: Pick<KnownEntries, 'clusters' | 'combinedOf'>,
): readonly HostKey[] {
  const [left, joined] = [before.state.clusterId, after.state.clusterId];
  const [oldName, newName] = [nameOf(before), nameOf(after)];
  if (left === joined && oldName === newName) return [];
  const namesOf = (id: string): Names | undefined => {
    const cluster = entries.clusters.get(id);
    return cluster && entries.combinedOf(cluster).names;
  };
  return [...removeName(namesOf(left), oldName, after.key), ...addName(namesOf(joined), newName, after.key)];
}

type Names = CombinedHosts['names'];

/** Only the last remaining host with a name, or the first existing one, changes whether its name is unique. */
function removeName(names: Names | undefined, name: string, key: HostKey): readonly HostKey[] {
  const bearers = names?.get(name);
  if (!names || !bearers?.delete(key)) return [];
  if (bearers.size === 0) names.delete(name);
  return bearers.size === 1 ? [...bearers] : [];
}

function addName(names: Names | undefined, name: string, key: HostKey): readonly HostKey[] {
  if (!names || name === '') return [];
  const bearers = names.get(name) ?? new Set();
  const affectedHosts = bearers.size === 1 ? [...bearers] : [];
  names.set(name, bearers.add(key));
  return affectedHosts;
}

/** Returns the numbers of hosts by role, which only operators read. */
export function shapeOfCluster(cluster: ClusterEntry, entries: KnownEntries): ClusterShape {
  if (cluster.facts.operators.length === 0) return NO_SHAPE;
  return shapeOf([...entries.combinedOf(cluster).members.values()].filter(({ isDay2 }) => !isDay2));
}

/** Returns the hosts whose operators have to be evaluated again because the numbers of hosts by role have changed. */
export function reshaped(cluster: ClusterEntry, entries: KnownEntries): readonly HostKey[] {
  const shape = shapeOfCluster(cluster, entries);
  if (isEqual(shape, cluster.shape)) return [];
  cluster.shape = shape;
  return [...cluster.hostKeys];
}

/** With fewer hosts, a disconnected host cannot be determined. */
const HOSTS_MIN = 3;
/** Two control plane hosts with fencing form a complete cluster. */
const FENCED_HOSTS_MIN = 2;

/** Returns the number of hosts from which the connectivity groups of a cluster count. */
export function majorityHostsMinOf(cluster: ClusterEntry, view: Pick<KnownEntries, 'combinedOf'>): number {
  if (cluster.facts.controlPlaneCount !== 2) return HOSTS_MIN;
  const isFenced = [...view.combinedOf(cluster).members.values()].some((member) => member.hasFencingCredentials);
  return isFenced ? FENCED_HOSTS_MIN : HOSTS_MIN;
}
