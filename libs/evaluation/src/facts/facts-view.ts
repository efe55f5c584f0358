import {
  type ClusterEvent,
  type EventData,
  type HostEvent,
  type HostKey,
  hostKeyOfStream,
  type InfraEnvEvent,
  type InventoryEvent,
  isEventOf,
  type ManifestEvent,
  parseStreamId,
} from '@muster/contracts';
import { entriesInMemory, type MakeEntries } from '@muster/decision';
import {
  clusterDecider,
  type ConcernedParts,
  concernedParts,
  hostDecider,
  infraEnvDecider,
  isClosedCluster,
  isClosedHost,
  isRoleConfirmed,
  userManifestsAfter,
} from '@muster/domain';
import { NO_SHAPE } from '@muster/operators';
import { toClusterSettingsFacts } from '@muster/validation-rules';
import isEqual from 'fast-deep-equal';
import { isSameToHosts, renamed, reshaped, shapeOfCluster } from './affected-hosts';
import { evolveReports, NO_REPORTS } from './host-reports';
import { noHosts } from './entry-kinds';
import { KnownEntries } from './known-entries';
import { presentGroupsOf, reconnected, regrouped, reportsSettled } from './reachability';
import {
  changesReports,
  changesVips,
  type ClusterEntry,
  clusterSubject,
  type CombinedHosts,
  hasOtherPlace,
  type HostEntry,
  hostSubject,
  type InfraEnvEntry,
  isDiskRead,
  isRegistered,
  type ObservedEvent,
  type PresentGroups,
  type Subject,
} from './view-entries';

/**
 * The inputs of all rules, folded from the streams in order. For each event it returns the subjects that depend on it.
 */
export class FactsView {
  private readonly entries: KnownEntries;
  readonly concernedParts = (subjectId: string): ConcernedParts => concernedParts(subjectId, this.entries);

  constructor(make: MakeEntries = entriesInMemory) {
    this.entries = new KnownEntries(make);
  }

  /** All hosts to which something may still happen by itself, and some others. */
  openHosts(): Iterable<HostEntry> {
    return this.entries.hosts.inMemory();
  }

  openClusters(): Iterable<ClusterEntry> {
    return this.entries.clusters.inMemory();
  }

  host(key: HostKey): HostEntry | undefined {
    return this.entries.hosts.get(key);
  }

  cluster(id: string): ClusterEntry | undefined {
    return this.entries.clusters.get(id);
  }

  infraEnv(id: string): InfraEnvEntry | undefined {
    return this.entries.infraEnvs.get(id);
  }

  hostsOf(cluster: ClusterEntry): readonly HostEntry[] {
    return this.entries.hostsOf(cluster);
  }

  /** Returns a host of the cluster by its host id, as other hosts report it. */
  hostOfCluster(cluster: ClusterEntry, hostId: string): HostEntry | undefined {
    return this.entries.hostOfCluster(cluster, hostId);
  }

  /** Returns the addresses of the host that another machine also uses, as reported by any host of the cluster. */
  collisionsOf(cluster: ClusterEntry, host: HostEntry): readonly string[] {
    return this.entries.collisionsOf(cluster, host);
  }

  /** Returns the current connectivity groups of a cluster. Undefined before any host has reported its connectivity. */
  groupsOf(cluster: ClusterEntry): PresentGroups['groups'] {
    return this.presentGroups(cluster).groups;
  }

  combinedOf(cluster: ClusterEntry): CombinedHosts {
    return this.entries.combinedOf(cluster);
  }

  presentGroups(cluster: ClusterEntry): PresentGroups {
    return (cluster.presentGroups ??= presentGroupsOf(cluster, this.entries));
  }

  /** Applies the recorded connectivity groups of a cluster. */
  observeGroups(
    clusterId: string,
    groups: EventData<'ClusterOutcomesChanged'>['connectivityGroups'] & object,
  ): readonly Subject[] {
    const cluster = this.cluster(clusterId);
    if (!cluster) return [];
    this.entries.clusters.changed(clusterId);
    return regrouped(cluster, groups, this.entries).map(hostSubject);
  }

  /** Loads what `observe` reads for the event, in steps. */
  prepare(event: ObservedEvent): Iterable<undefined> {
    return this.entries.loadClustersOf(event);
  }

  /** Loads what the evaluation of a host reads of the other hosts of its cluster, in steps. */
  loadHostsOf(clusterId: string): Iterable<undefined> {
    return this.entries.loadHostsOf(clusterId);
  }

  /** Folds the event and returns the subjects that have to be evaluated again, also a deleted cluster: then its outcomes are forgotten. */
  observe(event: ObservedEvent): readonly Subject[] {
    for (const _ of this.prepare(event));
    this.entries.observeMembership(event);
    if (isEventOf('host', event)) return this.observeHost(event);
    if (isEventOf('inventory', event)) return this.observeReport(event);
    if (isEventOf('cluster', event)) return this.observeCluster(event);
    if (isEventOf('infraEnv', event)) return this.observeInfraEnv(event);
    if (isEventOf('manifest', event)) return this.observeManifests(event);
    return [];
  }

  private observeHost(event: ObservedEvent<HostEvent>): readonly Subject[] {
    const key = hostKeyOfStream(event.streamId);
    const entry: HostEntry = this.host(key) ?? {
      key,
      state: hostDecider.initialState(),
      reports: NO_REPORTS,
      lastEventId: event.id,
    };
    // Entries of deregistered hosts are kept, because their generation continues when the host registers again.
    this.entries.hosts.set(key, entry);
    const before = { ...entry };
    entry.state = hostDecider.evolve(before.state, event);
    this.entries.hosts.changed(key);
    if (isClosedHost(entry.state) && !isClosedHost(before.state)) this.entries.reconsider([key]);
    if (entry.state.generation !== before.state.generation || !isRegistered(entry)) entry.reports = NO_REPORTS;
    this.entries.memberChanged(before, entry);
    // The disk that follows from an inventory is stored before that inventory, with which the host is evaluated.
    if (event.type === 'InstallationDiskChosen' && !isDiskRead(entry)) {
      entry.summary = undefined;
      return [];
    }
    const { operators = [] } = this.cluster(entry.state.clusterId)?.facts ?? {};
    if (event.type === 'HostRoleAssigned' && isRoleConfirmed(before.state, entry.state, operators)) {
      entry.summary = undefined;
      return [];
    }
    return entry.state.inputsRevision === before.state.inputsRevision
      ? this.statusChanged(before, entry, event.id)
      : this.hostChanged(before, entry, event.id);
  }

  /** Only rules for clusters read the status of a host. No rule reads the other changes of an event that is no input. */
  private statusChanged(before: HostEntry, after: HostEntry, eventId: string): readonly Subject[] {
    const cluster = this.cluster(after.state.clusterId);
    if (!cluster || before.state.status === after.state.status) return [];
    after.summary = undefined;
    this.entries.clusters.changed(cluster.id);
    cluster.lastEventId = eventId;
    return [clusterSubject(cluster.id)];
  }

  private observeReport(event: ObservedEvent<InventoryEvent>): readonly Subject[] {
    const key = hostKeyOfStream(event.streamId);
    const entry = this.host(key);
    if (!entry || !isRegistered(entry) || event.data.generation !== entry.state.generation) return [];
    const before = { ...entry };
    entry.reports = evolveReports(before.reports, event);
    this.entries.hosts.changed(key);
    this.entries.memberChanged(before, entry);
    return entry.reports === before.reports ? [] : this.hostChanged(before, entry, event.id);
  }

  /** Returns the host, its current and previous cluster, and the hosts whose names are or were equal to its name. */
  private hostChanged(before: HostEntry, after: HostEntry, eventId: string): readonly Subject[] {
    after.summary = undefined;
    after.lastEventId = eventId;
    const affected = new Set<Subject>([hostSubject(after.key)]);
    const [left, joined] = [before.state.clusterId, after.state.clusterId];
    for (const key of reconnected(before, after, this.entries)) affected.add(hostSubject(key));
    for (const id of new Set([left, joined])) {
      const cluster = this.cluster(id);
      if (!cluster) continue;
      affected.add(clusterSubject(id));
      this.entries.clusters.changed(id);
      cluster.lastEventId = eventId;
      cluster.presentGroups = undefined;
      if (changesReports(before, after))
        for (const key of reportsSettled(cluster, this.entries, () => this.presentGroups(cluster).members))
          affected.add(hostSubject(key));
      if (changesVips(before, after)) cluster.vipVerifications = undefined;
      if (hasOtherPlace(before, after))
        for (const key of reshaped(cluster, this.entries)) affected.add(hostSubject(key));
    }
    for (const key of renamed(before, after, this.entries)) affected.add(hostSubject(key));
    return [...affected];
  }

  private observeCluster(event: ObservedEvent<ClusterEvent>): readonly Subject[] {
    const { id } = parseStreamId(event.streamId);
    const known = this.cluster(id);
    // The retention of a deleted cluster ends later, without an entry.
    if (!known && event.type !== 'ClusterRegistered') return [];
    const state = clusterDecider.evolve(known?.state ?? clusterDecider.initialState(), event);
    if (event.type === 'ClusterDeregistered') {
      this.entries.clusters.delete(id);
      this.entries.reconsider(known?.hostKeys ?? []);
      return [clusterSubject(id)];
    }
    if (known) return this.clusterChanged(known, { state }, event.id);
    const facts = toClusterSettingsFacts(state);
    this.entries.clusters.set(id, {
      id,
      state,
      facts,
      userManifests: [],
      shape: NO_SHAPE,
      hostKeys: this.entries.membership.hostsOf(id),
      combined: noHosts(facts),
      groups: new Map(),
      awaitsReports: false,
      lastEventId: event.id,
    });
    return [clusterSubject(id)];
  }

  private observeManifests(event: ObservedEvent<ManifestEvent>): readonly Subject[] {
    const { id } = parseStreamId(event.streamId);
    const known = this.cluster(id);
    if (!known) return [];
    const userManifests = userManifestsAfter(known.userManifests, event);
    return userManifests === known.userManifests ? [] : this.clusterChanged(known, { userManifests }, event.id);
  }

  private clusterChanged(
    known: ClusterEntry,
    changes: Partial<Pick<ClusterEntry, 'state' | 'userManifests'>>,
    eventId: string,
  ): readonly Subject[] {
    const before = { ...known };
    this.entries.clusters.changed(known.id);
    Object.assign(known, changes, { lastEventId: eventId, vipVerifications: undefined });
    known.facts = toClusterSettingsFacts(known.state, { hasCustomManifest: known.userManifests.length > 0 });
    const { id, facts } = known;
    if (isClosedCluster(known.state) && !isClosedCluster(before.state)) this.entries.reconsider(known.hostKeys);
    this.entries.clusterChanged(known);
    known.presentGroups = undefined;
    if (facts.operators.length !== before.facts.operators.length) known.shape = shapeOfCluster(known, this.entries);
    if (known.state.status === before.state.status && isEqual(before.facts, facts)) return [];
    if (isSameToHosts(before.facts, facts)) return [clusterSubject(id)];
    return [clusterSubject(id), ...this.withoutSummaries([...known.hostKeys])];
  }

  private observeInfraEnv(event: ObservedEvent<InfraEnvEvent>): readonly Subject[] {
    const { id } = parseStreamId(event.streamId);
    const known = this.infraEnv(id);
    const before = known?.state ?? infraEnvDecider.initialState();
    const state = infraEnvDecider.evolve(before, event);
    if (event.type === 'InfraEnvDeregistered') {
      this.entries.infraEnvs.delete(id);
      return [];
    }
    if (!known) this.entries.infraEnvs.set(id, { state });
    else {
      known.state = state;
      this.entries.infraEnvs.changed(id);
    }
    const isSame =
      before.settings.openshiftVersion === state.settings.openshiftVersion &&
      before.settings.ntpSources === state.settings.ntpSources &&
      before.settings.additionalNtpSources === state.settings.additionalNtpSources;
    return isSame || !known ? [] : this.withoutSummaries([...this.entries.membership.hostsOfInfraEnv(id)]);
  }

  /** The summary of a host depends on the version of its cluster. */
  private withoutSummaries(keys: readonly HostKey[]): readonly Subject[] {
    this.entries.dropSummaries(keys);
    return keys.map(hostSubject);
  }
}
