import type { HostKey } from '@muster/contracts';
import { type ClusterEntry, type HostEntry, nameOf } from './view-entries';

/** Returns the hosts that shared or now share the name of a changed host. */
export function renamed(
  before: HostEntry,
  after: HostEntry,
  clusters: ReadonlyMap<string, ClusterEntry>,
): readonly HostKey[] {
  const [left, joined] = [before.state.clusterId, after.state.clusterId];
  const [oldName, newName] = [nameOf(before), nameOf(after)];
  if (left === joined && oldName === newName) return [];
  return [...giveUpName(clusters.get(left), oldName, after.key), ...takeName(clusters.get(joined), newName, after.key)];
}

/** Only the last remaining host, or the first existing one, stops or starts to have a unique name. */
function giveUpName(cluster: ClusterEntry | undefined, name: string, key: HostKey): readonly HostKey[] {
  const bearers = cluster?.names.get(name);
  if (!cluster || !bearers?.delete(key)) return [];
  if (bearers.size === 0) cluster.names.delete(name);
  return bearers.size === 1 ? [...bearers] : [];
}

function takeName(cluster: ClusterEntry | undefined, name: string, key: HostKey): readonly HostKey[] {
  if (!cluster || name === '') return [];
  const bearers = cluster.names.get(name) ?? new Set();
  const met = bearers.size === 1 ? [...bearers] : [];
  cluster.names.set(name, bearers.add(key));
  return met;
}
