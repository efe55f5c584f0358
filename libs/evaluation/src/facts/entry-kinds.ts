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
import { cannotCheck, compactedReports, reportsFromSaved, type SavedReports } from './host-reports';
import {
  type ClusterEntry,
  type CombinedHosts,
  currentCollisions,
  type HostEntry,
  type InfraEnvEntry,
  isAbsent,
  isReportExpected,
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
  weakReporters: new Set(),
  collisions: new Map(),
});

/** Returns what follows from the hosts, after two steps for each host. */
export function* combine(
  facts: ClusterSettingsFacts,
  hosts: readonly HostEntry[],
): Generator<undefined, CombinedHosts> {
  const combined = noHosts(facts);
  const { members, names, connectivity, weakReporters, collisions } = combined;
  const ordered = connectedLast(hosts);
  // A host that is added after the connections of others have been set searches all of them.
  for (const host of ordered) {
    const { state, reports } = host;
    connectivity.setHost(state.hostId, comparedAddressesOf(reports));
    if (reports.hardware && !isReportExpected(host)) connectivity.setOutdated(state.hostId, true);
    yield;
  }
  for (const host of ordered) {
    const { key, state, reports } = host;
    members.set(key, memberFactsOf(host));
    const name = nameOf(host);
    if (name) names.set(name, (names.get(name) ?? new Set()).add(key));
    connectHost(connectivity, state.hostId, reports);
    if (isReportExpected(host)) connectivity.setOutdated(state.hostId, false);
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

/** Of several hosts of one machine, the last one determines its connectivity. */
export const connectedLast = (hosts: readonly HostEntry[]): readonly HostEntry[] =>
  hosts.toSorted((one, other) => Number(isAbsent(other)) - Number(isAbsent(one)));

/** Sets the connectivity of a host from its reports. */
export const connectHost = (connectivity: ClusterConnectivity, hostId: string, reports: HostEntry['reports']): void =>
  connectivity.setHost(hostId, comparedAddressesOf(reports), reports.reaches);

/** Only hosts with addresses are compared. */
const comparedAddressesOf = (reports: HostEntry['reports']): readonly string[] =>
  reports.hardware && !cannotCheck(reports) ? addressesOf(reports.hardware) : [];

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
