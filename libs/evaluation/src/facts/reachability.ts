import { type EventData, type HostKey, parseHostKey } from '@muster/contracts';
import { isRouted } from '@muster/validation-rules';
import { majorityHostsMinOf } from './affected-hosts';
import { connectedLast, connectHost, countCollisions, leftOutOf } from './entry-kinds';
import { canBeChecked, failsToCheck, NO_REPORTS } from './host-reports';
import type { KnownEntries } from './known-entries';
import {
  type ClusterEntry,
  currentCollisions,
  hasOtherPlace,
  type HostEntry,
  isAbsent,
  type MemberFacts,
  nameOf,
  type PresentGroups,
} from './view-entries';

/** With fewer hosts, each new host changes whether the hosts can be compared. */
const FEW_HOSTS = 3;

/** Applies the connectivity reports of the host. Returns the hosts whose outcomes depend on the change. */
export function reconnected(before: HostEntry, after: HostEntry, entries: KnownEntries): readonly HostKey[] {
  const keys: HostKey[] = [];
  const isNew = before.state.clusterId !== after.state.clusterId;
  const old = entries.clusters.get(before.state.clusterId);
  if (old && isNew)
    keys.push(...departed(before, after, old, entries), ...weaklyReaching(before.state.hostId, old, entries));
  const cluster = entries.clusters.get(after.state.clusterId);
  if (!cluster) return keys;
  const combined = entries.combinedOf(cluster);
  const { connectivity } = combined;
  const { hasReports: hadReports } = connectivity;
  const hostId = after.state.hostId || before.state.hostId;
  const comparedOtherwise = isNew || changesChecks(before, after) ? leaveOut(cluster, entries) : [];
  const isCheckedOtherwise =
    isNew || before.reports.hardware !== after.reports.hardware || comparedOtherwise.includes(after.key);
  const isPresentOtherwise = isAbsent(before) !== isAbsent(after);
  if (isCheckedOtherwise || isPresentOtherwise) connectivity.setOutdated(hostId, entries.isOutdated(cluster, hostId));
  const reachesOtherwise = isCheckedOtherwise || before.reports.reaches !== after.reports.reaches;
  if (reachesOtherwise || isPresentOtherwise) {
    // Another host of the same machine may determine its connectivity.
    const sameMachine = connectedLast(entries.hostsWithId(cluster, hostId));
    if (reachesOtherwise || sameMachine.length > 1) connectHost(combined, sameMachine.at(-1) ?? after, hostId);
  }
  keys.push(...reconnectOthers(comparedOtherwise, after.key, cluster, entries));
  if (hadReports !== connectivity.hasReports) keys.push(...cluster.hostKeys);
  keys.push(...withOtherFamilies(cluster, entries));
  if (after.reports.weakReaches.length > 0) combined.weakReporters.add(after.key);
  else combined.weakReporters.delete(after.key);
  const collisionsBefore = isNew ? NO_REPORTS.collisions : currentCollisions(before);
  if (countCollisions(combined.collisions, collisionsBefore, currentCollisions(after))) keys.push(...cluster.hostKeys);
  if (hasOtherPlace(before, after) || nameOf(before) !== nameOf(after))
    keys.push(...weaklyReaching(hostId, cluster, entries));
  const areFew = isNew && cluster.hostKeys.size <= FEW_HOSTS;
  if (areFew || isFenced(before, cluster) !== isFenced(after, cluster)) keys.push(...cluster.hostKeys);
  return keys;
}

/** Returns true for a host of the cluster with fencing credentials. These change the number of hosts that are compared. */
const isFenced = ({ state }: HostEntry, { id, facts }: ClusterEntry): boolean =>
  facts.controlPlaneCount === 2 && state.clusterId === id && state.settings.fencingCredentialsSet === true;

export function presentGroupsOf(cluster: ClusterEntry, entries: KnownEntries): PresentGroups {
  const groups = entries.combinedOf(cluster).connectivity.groups(majorityHostsMinOf(cluster, entries));
  const members = new Map([...(groups ?? [])].map(([network, hosts]) => [network, new Set(hosts)]));
  return { groups, members, checkedHosts: checkedHostsOf(cluster, entries).length };
}

/** Returns true when other hosts may have to be left out. The usual report, of a host that can run its check, leaves none out. */
const changesChecks = (before: HostEntry, after: HostEntry): boolean =>
  failsToCheck(before.reports) ||
  failsToCheck(after.reports) ||
  canBeChecked(before.reports) !== canBeChecked(after.reports) ||
  isAbsent(before) !== isAbsent(after);

/** Determines again which hosts are not compared. Returns those for which this has changed. */
function leaveOut(cluster: ClusterEntry, entries: KnownEntries): readonly HostKey[] {
  const { members, leftOut } = entries.combinedOf(cluster);
  const present = new Set(leftOutOf(members, (key) => entries.hosts.get(key)));
  const changed = [...leftOut].filter((key) => !present.has(key));
  for (const key of changed) leftOut.delete(key);
  for (const key of present)
    if (!leftOut.has(key)) {
      leftOut.add(key);
      changed.push(key);
    }
  return changed;
}

/** Applies the connectivity of hosts other than the changed one. Returns them. */
function reconnectOthers(
  keys: readonly HostKey[],
  changed: HostKey,
  cluster: ClusterEntry,
  entries: KnownEntries,
): readonly HostKey[] {
  const combined = entries.combinedOf(cluster);
  return keys.filter((key) => {
    const host = key === changed || !combined.members.has(key) ? undefined : entries.hosts.get(key);
    if (!host) return false;
    const { hostId } = host.state;
    combined.connectivity.setOutdated(hostId, entries.isOutdated(cluster, hostId));
    connectHost(combined, entries.hostOfCluster(cluster, hostId) ?? host);
    return true;
  });
}

/** Returns the connected hosts that are compared. */
function checkedHostsOf(cluster: ClusterEntry, entries: KnownEntries): readonly MemberFacts[] {
  const { members, leftOut } = entries.combinedOf(cluster);
  const checked: MemberFacts[] = [];
  for (const [key, member] of members)
    if (member.reachedCount !== undefined && !member.isAbsent && !leftOut.has(key)) checked.push(member);
  return checked;
}

/** Applies recorded connectivity groups. Returns the hosts that joined or left. */
export function regrouped(
  cluster: ClusterEntry,
  { groups }: EventData<'ClusterOutcomesChanged'>['connectivityGroups'] & object,
  entries: KnownEntries,
): readonly HostKey[] {
  const isFirst = cluster.groups.size === 0;
  const affected = new Set<string>();
  for (const { network, joinedHostIds, leftHostIds } of groups) {
    const members: Set<string> = cluster.groups.get(network) ?? new Set<string>();
    cluster.groups.set(network, members);
    for (const id of joinedHostIds) members.add(id);
    for (const id of leftHostIds) members.delete(id);
    for (const id of [...joinedHostIds, ...leftHostIds]) affected.add(id);
  }
  if (isFirst) return [...cluster.hostKeys];
  return keysOf([...affected], cluster, entries);
}

const keysOf = (hostIds: readonly string[], cluster: ClusterEntry, entries: KnownEntries): readonly HostKey[] =>
  hostIds.flatMap((id) => entries.hostsWithId(cluster, id)).map(({ key }) => key);

/**
 * Determines whether a connected host still has to report its connectivity to other connected hosts of the cluster. When that has
 * changed, or the hosts are so few that they may not be comparable, returns the hosts whose outcomes depend on it: those that are not
 * in every group.
 */
export function reportsSettled(
  cluster: ClusterEntry,
  entries: KnownEntries,
  members: () => ReadonlyMap<string, ReadonlySet<string>>,
): readonly HostKey[] {
  const { connectivity } = entries.combinedOf(cluster);
  const checked = checkedHostsOf(cluster, entries);
  const others = checked.length - 1;
  // Reports name a host that fell silent or left until they are renewed.
  const awaitsReports = checked.some(
    ({ hostId, failsToCheck, reachedCount = 0 }) =>
      !failsToCheck && reachedCount - connectivity.outdatedReportsBy(hostId) < others,
  );
  const areFew = checked.length <= FEW_HOSTS && connectivity.hasReports;
  const isSame = awaitsReports === cluster.awaitsReports && !areFew;
  cluster.awaitsReports = awaitsReports;
  if (isSame || isRouted(cluster.facts)) return [];
  const present = members();
  const groups = cluster.facts.machineNetworks.map((network) => present.get(network));
  return [...cluster.hostKeys].filter((key) => !groups.every((group) => group?.has(parseHostKey(key).hostId)));
}

function departed(before: HostEntry, after: HostEntry, old: ClusterEntry, entries: KnownEntries): readonly HostKey[] {
  const { hostId } = before.state;
  const combined = entries.combinedOf(old);
  const { connectivity, weakReporters, collisions } = combined;
  const { hasReports: hadReports } = connectivity;
  const comparedOtherwise = leaveOut(old, entries);
  connectivity.setOutdated(hostId, entries.isOutdated(old, hostId));
  // The machine may be in the cluster through another infra-env too.
  const remaining = entries.hostOfCluster(old, hostId);
  if (remaining) connectHost(combined, remaining);
  else connectivity.removeHost(hostId);
  weakReporters.delete(after.key);
  const others = [...reconnectOthers(comparedOtherwise, after.key, old, entries), ...withOtherFamilies(old, entries)];
  const isRelevant =
    countCollisions(collisions, currentCollisions(before), NO_REPORTS.collisions) ||
    hadReports !== connectivity.hasReports ||
    isFenced(before, old) ||
    old.hostKeys.size < FEW_HOSTS;
  return isRelevant ? [...old.hostKeys] : others;
}

/** With layer 3 connectivity, the outcome of a host depends on the reports of all other hosts. */
const withOtherFamilies = (cluster: ClusterEntry, entries: KnownEntries): readonly HostKey[] =>
  isRouted(cluster.facts) ? keysOf(entries.combinedOf(cluster).connectivity.changedFamilies(), cluster, entries) : [];

/** Returns the hosts with a weak connection to this one: only their outcomes depend on its role and name. */
function weaklyReaching(hostId: string, cluster: ClusterEntry, entries: KnownEntries): readonly HostKey[] {
  const { members, weakReporters } = entries.combinedOf(cluster);
  return [...weakReporters].filter((key) => members.get(key)?.weaklyReached.includes(hostId));
}
