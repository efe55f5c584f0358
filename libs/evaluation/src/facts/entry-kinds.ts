import { type HostKey, parseHostKey } from '@muster/contracts';
import type { EntryKind, EntryShape } from '@muster/decision';
import { type HostKeys, isClosedCluster, isHostNeeded } from '@muster/domain';
import {
  addressesOf,
  ClusterConnectivity,
  type ClusterSettingsFacts,
  isRouted,
  toClusterSettingsFacts,
} from '@muster/validation-rules';
import { compactedReports, reportsFromSaved, type SavedReports } from './host-reports';
import {
  type ClusterEntry,
  type CombinedHosts,
  currentCollisions,
  type HostEntry,
  type InfraEnvEntry,
  isAbsent,
  isCompared,
  memberFactsOf,
  nameOf,
} from './view-entries';

const HOSTS: EntryShape = { name: 'hosts', fields: ['cluster_id', 'infra_env_id'] };
const CLUSTERS: EntryShape = { name: 'clusters', fields: [] };
const INFRA_ENVS: EntryShape = { name: 'infra_envs', fields: [] };

/** The entry kinds that are saved. */
export const FACTS_SHAPES: readonly EntryShape[] = [HOSTS, CLUSTERS, INFRA_ENVS];

type SavedHost = Pick<HostEntry, 'state' | 'lastEventId'> & { readonly reports: SavedReports };

export const hostKind = ({
  clusterOf,
  forgotten,
}: {
  /** Returns a cluster that is in memory. */
  readonly clusterOf: (id: string) => ClusterEntry | undefined;
  readonly forgotten: (key: HostKey) => void;
}): EntryKind<HostKey, HostEntry, SavedHost> => ({
  shape: HOSTS,
  fieldsOf: ({ key, state }) => [state.clusterId, state.hostId === '' ? '' : parseHostKey(key).infraEnvId],
  toSaved: ({ state, reports, lastEventId }) => ({ state, reports, lastEventId }),
  compacted: ({ reports, ...saved }) => ({ ...saved, reports: compactedReports(reports) }),
  fromSaved: ({ reports, ...saved }, key) => ({ key, ...saved, reports: reportsFromSaved(reports) }),
  isOpen: ({ state }) => isHostNeeded(state, (id) => clusterOf(id)?.state),
  forgotten,
});

/** The members of a cluster entry that are not computed from its hosts. */
type SavedCluster = Pick<
  ClusterEntry,
  'state' | 'userManifests' | 'shape' | 'groups' | 'awaitsReports' | 'lastEventId'
>;

export const clusterKind = ({
  hostKeysOf,
  prepare,
  forgotten,
}: {
  readonly hostKeysOf: (id: string) => HostKeys;
  readonly prepare: (cluster: ClusterEntry) => Iterable<undefined>;
  readonly forgotten: (id: string) => void;
}): EntryKind<string, ClusterEntry, SavedCluster> => ({
  shape: CLUSTERS,
  fieldsOf: () => [],
  toSaved: ({ state, userManifests, shape, groups, awaitsReports, lastEventId }) => ({
    state,
    userManifests,
    shape,
    groups: new Map([...groups].map(([network, members]) => [network, new Set(members)])),
    awaitsReports,
    lastEventId,
  }),
  fromSaved: (saved, id) => {
    const facts = toClusterSettingsFacts(saved.state, { hasCustomManifest: saved.userManifests.length > 0 });
    return { id, ...saved, facts, hostKeys: hostKeysOf(id), combined: undefined };
  },
  isOpen: ({ state }) => !isClosedCluster(state),
  prepare,
  forgotten,
});

export const noHosts = (facts: ClusterSettingsFacts): CombinedHosts => ({
  members: new Map(),
  names: new Map(),
  connectivity: connectivityOf(facts),
  leftOut: new Set(),
  weakReporters: new Set(),
  collisions: new Map(),
});

/** Returns what follows from the hosts, after two steps for each host. */
export function* combine(
  facts: ClusterSettingsFacts,
  hosts: readonly HostEntry[],
): Generator<undefined, CombinedHosts> {
  const combined = noHosts(facts);
  const { members, names, connectivity, leftOut, weakReporters, collisions } = combined;
  for (const host of hosts) members.set(host.key, memberFactsOf(host));
  const byKey = new Map(hosts.map((host) => [host.key, host]));
  for (const key of leftOutOf(members, (one) => byKey.get(one))) leftOut.add(key);
  const ordered = connectedLast(hosts);
  // A host that is added after the connections of others have been set searches all of them.
  for (const host of ordered) {
    const { key, state } = host;
    connectivity.setHost(state.hostId, leftOut.has(key) ? [] : comparedAddressesOf(host));
    if (!isCompared(host, leftOut)) connectivity.setOutdated(state.hostId, true);
    yield;
  }
  for (const host of ordered) {
    const { key, state, reports } = host;
    const name = nameOf(host);
    if (name) names.set(name, (names.get(name) ?? new Set()).add(key));
    connectHost(combined, host);
    if (isCompared(host, leftOut)) connectivity.setOutdated(state.hostId, false);
    if (reports.weakReaches.length > 0) weakReporters.add(key);
    countCollisions(collisions, [], currentCollisions(host));
    yield;
  }
  // Later calls return what changes from here on.
  if (isRouted(facts)) connectivity.changedFamilies();
  return combined;
}

/** Replaces the collisions that a host has reported. Returns true when other addresses collide than before. */
export function countCollisions(
  counts: CombinedHosts['collisions'],
  before: HostEntry['reports']['collisions'],
  after: HostEntry['reports']['collisions'],
): boolean {
  if (before === after) return false;
  const [old, now] = [addressesIn(before), addressesIn(after)];
  let isChanged = false;
  for (const address of old)
    if (!now.has(address)) {
      const left = (counts.get(address) ?? 0) - 1;
      if (left > 0) counts.set(address, left);
      else isChanged = counts.delete(address) || isChanged;
    }
  for (const address of now)
    if (!old.has(address)) {
      isChanged ||= !counts.has(address);
      counts.set(address, (counts.get(address) ?? 0) + 1);
    }
  return isChanged;
}

const addressesIn = (collisions: HostEntry['reports']['collisions']): ReadonlySet<string> =>
  new Set(collisions.map(({ address }) => address));

/** Of several hosts of one machine, the last one determines its connectivity: a connected one, with an inventory if there is one. */
export const connectedLast = (hosts: readonly HostEntry[]): readonly HostEntry[] =>
  hosts.toSorted((one, other) => rankOf(one) - rankOf(other));

const rankOf = (host: HostEntry): number => Number(!isAbsent(host)) * 2 + Number(host.reports.hardware !== undefined);

/** Sets the connectivity of a host from its reports. `hostId` is the one of a deregistered host too. */
export function connectHost(
  { connectivity, leftOut }: CombinedHosts,
  host: HostEntry,
  hostId = host.state.hostId,
): void {
  if (leftOut.has(host.key)) connectivity.setHost(hostId, []);
  else connectivity.setHost(hostId, comparedAddressesOf(host), host.reports.reaches);
}

/** Only hosts with addresses are compared. */
const comparedAddressesOf = ({ reports }: HostEntry): readonly string[] =>
  reports.hardware ? addressesOf(reports.hardware) : [];

/** Returns the hosts that are not compared with the others of their cluster (`CombinedHosts.leftOut`). */
export function leftOutOf(
  members: CombinedHosts['members'],
  hostOf: (key: HostKey) => HostEntry | undefined,
): readonly HostKey[] {
  const all = [...members];
  const failing = all.filter(([, member]) => member.failsToCheck && member.reachedCount !== undefined);
  if (failing.length === 0) return [];
  const checked = all.filter(([, one]) => one.reachedCount !== undefined && !one.isAbsent && !one.failsToCheck);
  return failing
    .filter(([key, { hostId }]) => {
      const reaches = hostOf(key)?.reports.reaches;
      return !reaches || checked.some(([, other]) => other.hostId !== hostId && !reaches.has(other.hostId));
    })
    .map(([key]) => key);
}

function connectivityOf(facts: ClusterSettingsFacts): ClusterConnectivity {
  const connectivity = new ClusterConnectivity();
  connectivity.setNetworks(facts.machineNetworks);
  return connectivity;
}

export const infraEnvKind = ({
  isNeeded,
  forgotten,
}: {
  readonly isNeeded: (id: string) => boolean;
  readonly forgotten: (id: string) => void;
}): EntryKind<string, InfraEnvEntry, InfraEnvEntry> => ({
  shape: INFRA_ENVS,
  fieldsOf: () => [],
  toSaved: ({ state }) => ({ state }),
  fromSaved: ({ state }) => ({ state }),
  isOpen: (_infraEnv, id) => isNeeded(id),
  forgotten,
});
