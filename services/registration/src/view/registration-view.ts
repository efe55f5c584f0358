import {
  type ClusterEvent,
  type HostEvent,
  type HostKey,
  type InfraEnvEvent,
  parseHostKey,
  parseStreamId,
  type RecordedMusterEvent,
  type InventoryEvent,
  type ValidationEvent,
  type ArtifactEvent,
  hostKeyOfStream,
  isEventOf,
} from '@muster/contracts';
import {
  clusterDecider,
  type ClusterState,
  type ConcernedParts,
  concernedParts,
  hostDecider,
  infraEnvDecider,
  type InfraEnvState,
  isAbsentHost,
  isClosedCluster,
  isClosedHost,
  Membership,
} from '@muster/domain';
import { START_OF_STORE, type RecordedEvent } from '@muster/ports';
import { type Entries, entriesInMemory, type MakeEntries } from '@muster/decision';
import {
  applyArtifactEvent,
  applyClusterEvent,
  applyHostOutcomes,
  applyReport,
  causeOf,
  type ClusterEntry,
  clusterKind,
  type HostEntry,
  hostKind,
  type InfraEnvEntry,
  infraEnvKind,
  type MemberEntry,
  membersOf,
  newCluster,
  newHost,
  NOTHING_REPORTED,
  placeOf,
  registrationOf,
  withChanges,
} from './view-entries';

/**
 * The state for reactions, folded from all streams in order. It is some milliseconds behind the aggregates, so
 * decisions use the aggregates.
 */
export class RegistrationView {
  private readonly hosts: Entries<HostKey, HostEntry>;
  private readonly clusters: Entries<string, ClusterEntry>;
  private readonly infraEnvs: Entries<string, InfraEnvEntry>;
  private readonly membership: Membership = new Membership({
    clusterOf: (key) => this.hosts.get(key)?.state.clusterId ?? '',
    hostsOfCluster: (id) => this.hosts.keysWhere('cluster_id', id),
    hostsOfInfraEnv: (id) => this.hosts.keysWhere('infra_env_id', id),
  });
  private lastPosition: number;
  /** Membership change of the last event. */
  private lastChange = { left: '', joined: '' };

  /** True when all events from before the start were applied. */
  isLive = false;

  /** `position`: the last event that the entries of `make` contain. */
  constructor(make: MakeEntries = entriesInMemory, position = START_OF_STORE) {
    this.lastPosition = position;
    const clusterOf = (id: string): ClusterState | undefined => this.clusters.peek(id)?.state;
    this.hosts = make(hostKind(this.membership, clusterOf));
    this.clusters = make(clusterKind(this.membership));
    this.infraEnvs = make(infraEnvKind(this.membership, (key) => this.hosts.peek(key)?.state, clusterOf));
  }

  /** Position of the last applied event. */
  position(): number {
    return this.lastPosition;
  }

  host(key: HostKey): HostEntry | undefined {
    return this.hosts.get(key);
  }

  cluster(id: string): ClusterEntry | undefined {
    return this.clusters.get(id);
  }

  /** Position of the last event that the outcomes of the host or cluster depend on, according to its own streams. */
  inputsPositionOf(entry: HostEntry | ClusterEntry): number {
    if ('hostKeys' in entry) return entry.inputsPosition;
    const cluster = this.clusters.get(entry.state.clusterId);
    // A host that is not absent belongs to a group of hosts that are not absent.
    const presence = isAbsentHost(entry.state) ? undefined : cluster?.presencePosition;
    const others = [cluster?.settingsPosition, presence, this.infraEnvs.get(entry.state.infraEnvId)?.position];
    return Math.max(entry.inputsPosition, ...others.map((position) => position ?? START_OF_STORE));
  }

  infraEnv(id: string): InfraEnvEntry | undefined {
    return this.infraEnvs.get(id);
  }

  hostCountOfInfraEnv(id: string): number {
    return this.infraEnvs.get(id) ? this.membership.hostsOfInfraEnv(id).size : 0;
  }

  hostsOfInfraEnv(id: string): Iterable<HostKey> {
    // The membership never removes the hosts of an infra-env that was deleted before.
    return this.infraEnvs.get(id) ? this.membership.hostsOfInfraEnv(id) : this.hosts.keysWhere('infra_env_id', id);
  }

  concernedParts(subjectId: string): ConcernedParts {
    const { hosts, clusters, infraEnvs, membership } = this;
    return concernedParts(subjectId, { hosts, clusters, infraEnvs, membership });
  }

  /** All hosts to which something may still happen by itself, and some others. */
  openHosts(): Iterable<HostEntry> {
    return this.hosts.inMemory();
  }

  openClusters(): Iterable<ClusterEntry> {
    return this.clusters.inMemory();
  }

  /** Yields the infra-envs of the hosts of the cluster. */
  *infraEnvsOf(clusterId: string): Iterable<InfraEnvState> {
    for (const id of this.membership.infraEnvsOf(clusterId)) {
      const infraEnv = this.infraEnvs.get(id);
      if (infraEnv) yield infraEnv.state;
    }
  }

  /** Returns the CPU architectures of the infra-envs that are bound to the cluster, without duplicates. */
  imageArchitecturesOf(clusterId: string): string[] {
    const bound = [...this.infraEnvs.keysWhere('cluster_id', clusterId)];
    return [...new Set(bound.map((id) => this.infraEnv(id)?.state.settings.cpuArchitecture ?? ''))].filter(Boolean);
  }

  hostCountOf(clusterId: string): number {
    return this.clusters.get(clusterId)?.hostKeys.size ?? 0;
  }

  /** Returns the same array until the state or the hardware of one of the hosts changes, or the cluster. */
  hostsOf(clusterId: string): readonly MemberEntry[] {
    const cluster = this.clusters.get(clusterId);
    if (!cluster || cluster.members) return cluster?.members ?? [];
    const members = membersOf(cluster.hostKeys, this.hosts);
    // The hosts of a closed cluster may leave memory.
    if (!isClosedCluster(cluster.state)) cluster.members = members;
    return members;
  }

  /** Returns the hosts of a cluster as decisions about it count them: none of a closed cluster, whose hosts may have left memory. */
  countedHostsOf(id: string): readonly MemberEntry[] {
    return isClosedCluster(this.clusters.get(id)?.state ?? clusterDecider.initialState()) ? [] : this.hostsOf(id);
  }

  /** Returns the hosts of a cluster to which something may still happen by itself, and some others. */
  openHostsOf(clusterId: string): readonly MemberEntry[] {
    return membersOf(this.clusters.get(clusterId)?.hostKeys ?? [], { get: (key) => this.hosts.peek(key) });
  }

  private membersChanged(clusterId: string): void {
    Object.assign(this.clusters.get(clusterId) ?? {}, { members: undefined });
  }

  /** Returns the cluster of the host of the event, and the cluster that the host left with the event. */
  clustersTouchedBy({ streamId }: RecordedMusterEvent): string[] {
    const current = this.hosts.get(hostKeyOfStream(streamId))?.state.clusterId;
    return [current, this.lastChange.left].filter((id): id is string => Boolean(id));
  }

  /** Loads the hosts of a closed cluster that the event opens, in steps. They then stay in memory. */
  *prepare(event: RecordedMusterEvent): Generator<undefined, void> {
    if (!isEventOf('cluster', event)) return;
    const cluster = this.clusters.get(parseStreamId(event.streamId).id);
    if (!cluster || !isClosedCluster(cluster.state)) return;
    if (isClosedCluster(clusterDecider.evolve(cluster.state, event))) return;
    for (const key of [...cluster.hostKeys]) {
      if (this.hosts.get(key)) this.hosts.changed(key);
      yield;
    }
  }

  /** Applies an event. A repeated event is ignored. */
  observe(event: RecordedMusterEvent): void {
    this.lastChange = { left: '', joined: '' };
    if (event.position <= this.lastPosition) return;
    this.lastPosition = event.position;
    this.lastChange = this.membership.observe(event);
    if (isEventOf('host', event)) this.observeHost(event);
    else if (isEventOf('cluster', event)) this.observeCluster(event);
    else if (isEventOf('infraEnv', event)) this.observeInfraEnv(event);
    else if (isEventOf('inventory', event)) this.observeInventory(event);
    else if (isEventOf('validation', event)) this.observeOutcomes(event);
    else if (isEventOf('artifact', event)) this.observeArtifacts(event);
    else if (isEventOf('manifest', event)) this.noteInput(parseStreamId(event.streamId).id, event);
  }

  /** The outcomes of the cluster depend on the event. */
  private noteInput(clusterId: string, { position }: { readonly position: number }, also: object = {}): void {
    const cluster = this.clusters.get(clusterId);
    if (!cluster) return;
    Object.assign(cluster, { inputsPosition: position, ...also });
    this.clusters.changed(clusterId);
  }

  private observeHost(event: RecordedEvent<HostEvent>): void {
    const key = hostKeyOfStream(event.streamId);
    const known = this.hosts.get(key);
    const before = known?.state ?? hostDecider.initialState();
    const state = hostDecider.evolve(before, event);
    if (known) {
      Object.assign(known, { state, ...placeOf(event), ...registrationOf(event), cause: causeOf(event) });
      this.hosts.changed(key);
    } else this.hosts.set(key, newHost(key, state, event));
    const isInput = state.inputsRevision !== before.inputsRevision;
    if (isInput && known) known.inputsPosition = event.position;
    const presence = isAbsentHost(state) === isAbsentHost(before) ? {} : { presencePosition: event.position };
    for (const id of new Set([before.clusterId, state.clusterId])) {
      this.membersChanged(id);
      if (isInput || event.type === 'HostEnteredStatus') this.noteInput(id, event, presence);
    }
    if (known && state.generation !== before.generation) Object.assign(known, NOTHING_REPORTED);
    if (isClosedHost(state) && !isClosedHost(before)) this.reconsider(key);
  }

  /** The host may leave memory, and its infra-env with it. */
  private reconsider(key: HostKey): void {
    this.hosts.changed(key);
    this.infraEnvs.changed(parseHostKey(key).infraEnvId);
  }

  private observeCluster(event: RecordedEvent<ClusterEvent>): void {
    const { id } = parseStreamId(event.streamId);
    const [known, hostKeys] = [this.clusters.get(id), this.membership.hostsOf(id)];
    const before = known?.state ?? clusterDecider.initialState();
    const entry = known ?? newCluster(id, hostKeys, before, event);
    if (!known) this.clusters.set(id, entry);
    else this.clusters.changed(id);
    const state = clusterDecider.evolve(before, event);
    Object.assign(entry, { hostKeys, state, ...placeOf(event), members: undefined, cause: causeOf(event) });
    if (entry.state.inputsRevision !== before.inputsRevision)
      Object.assign(entry, { inputsPosition: event.position, settingsPosition: event.position });
    // Its hosts may leave memory with it.
    if (isClosedCluster(entry.state) && !isClosedCluster(before))
      for (const key of entry.hostKeys) this.reconsider(key);
    applyClusterEvent(entry, event);
  }

  private observeInfraEnv(event: RecordedEvent<InfraEnvEvent>): void {
    const { id } = parseStreamId(event.streamId);
    const known = this.infraEnvs.get(id);
    const state = infraEnvDecider.evolve(known?.state ?? infraEnvDecider.initialState(), event);
    if (event.type === 'InfraEnvDeregistered') this.infraEnvs.delete(id);
    else this.infraEnvs.set(id, { state, ...placeOf(event) });
  }

  private observeInventory(event: RecordedEvent<InventoryEvent>): void {
    const host = this.hosts.get(hostKeyOfStream(event.streamId));
    if (!host || event.data.generation !== host.state.generation) return;
    host.cause = causeOf(event);
    this.hosts.changed(host.key);
    host.inputsPosition = event.position;
    this.noteInput(host.state.clusterId, event);
    applyReport(host, event);
    if (event.type === 'InventoryReported') this.membersChanged(host.state.clusterId);
  }

  private observeOutcomes(event: RecordedEvent<ValidationEvent>): void {
    if (event.type === 'HostOutcomesChanged') {
      const host = this.hosts.get(hostKeyOfStream(event.streamId));
      if (!host || event.data.generation !== host.state.generation) return;
      applyHostOutcomes(host, event.data);
      host.cause = causeOf(event);
      this.hosts.changed(host.key);
    } else if (event.type === 'ClusterOutcomesChanged') {
      const cluster = this.clusters.get(parseStreamId(event.streamId).id);
      if (!cluster) return;
      const outcomes = withChanges(cluster.outcomes, event.data.changed);
      const conditions = event.data.conditions ?? cluster.conditions;
      Object.assign(cluster, { outcomes, conditions, inputsPosition: event.position, cause: causeOf(event) });
      this.clusters.changed(cluster.id);
    }
  }

  private observeArtifacts(event: RecordedEvent<ArtifactEvent>): void {
    const cluster = this.clusters.get(parseStreamId(event.streamId).id);
    if (!cluster) return;
    cluster.cause = causeOf(event);
    this.clusters.changed(cluster.id);
    applyArtifactEvent(cluster, event);
  }
}
