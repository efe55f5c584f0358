import {
  type HostEvent,
  type HostKey,
  hostKeyOf,
  hostKeyOfStream,
  type InventoryEvent,
  isEventOf,
  parseHostKey,
} from '@muster/contracts';
import type { Entries, MakeEntries } from '@muster/decision';
import { clusterOfHostAfter, type ClusterState, hostDecider, isInfraEnvNeeded, Membership } from '@muster/domain';
import { addressesOf, isRouted } from '@muster/validation-rules';
import { clusterKind, combine, connectedLast, hostKind, infraEnvKind } from './entry-kinds';
import {
  type ClusterEntry,
  type CombinedHosts,
  type HostEntry,
  type InfraEnvEntry,
  isCompared,
  isRegistered,
  memberFactsOf,
  type ObservedEvent,
} from './view-entries';

/** Hosts, clusters and infra-envs by their ids, and lookups across them. */
export class KnownEntries {
  readonly hosts: Entries<HostKey, HostEntry>;
  readonly clusters: Entries<string, ClusterEntry>;
  readonly infraEnvs: Entries<string, InfraEnvEntry>;
  readonly membership: Membership = new Membership({
    clusterOf: (key) => this.hosts.get(key)?.state.clusterId ?? '',
    hostsOfCluster: (id) => this.hosts.keysWhere('cluster_id', id),
    hostsOfInfraEnv: (id) => this.hosts.keysWhere('infra_env_id', id),
  });

  constructor(make: MakeEntries) {
    this.hosts = make(
      hostKind({
        clusterOf: (id) => this.clusters.peek(id),
        forgotten: (key) => this.membership.forgetHost(key),
      }),
    );
    this.clusters = make(
      clusterKind({
        hostKeysOf: (id) => this.membership.hostsOf(id),
        prepare: (cluster) => (cluster.combined ? [] : this.combineHosts(cluster)),
        forgotten: (id) => this.membership.forgetCluster(id),
      }),
    );
    this.infraEnvs = make(
      infraEnvKind({
        isNeeded: (id) => {
          const hostKeys = this.membership.hostsOfInfraEnv(id);
          const clusterOf = (clusterId: string): ClusterState | undefined => this.clusters.peek(clusterId)?.state;
          return isInfraEnvNeeded(hostKeys, (key) => this.hosts.peek(key)?.state, clusterOf);
        },
        forgotten: (id) => this.membership.forgetInfraEnv(id),
      }),
    );
  }

  /**
   * Loads the clusters whose entries an event of a host changes. Called before anything else: what is computed later from the hosts of a
   * cluster would contain the change already, and thus name no other host that depends on it.
   */
  *loadClustersOf(event: ObservedEvent): Generator<undefined, void> {
    const isOfHost = isEventOf('host', event);
    if (!isOfHost && !isEventOf('inventory', event)) return;
    const host = this.hosts.get(hostKeyOfStream(event.streamId));
    const left = host?.state.clusterId ?? '';
    const joined = isOfHost ? clusterOfHostAfter(left, event) : left;
    if (left) yield* this.loadCluster(left, host, event);
    if (joined && joined !== left) yield* this.loadCluster(joined, host, event);
  }

  private *loadCluster(
    id: string,
    host: HostEntry | undefined,
    event: ObservedEvent<HostEvent | InventoryEvent>,
  ): Generator<undefined, void> {
    const cluster = this.clusters.get(id);
    // The hosts of an installed cluster are not in memory, and most of its last events change nothing that is combined.
    if (cluster && !cluster.combined && changesFacts(host, event)) yield* this.combineHosts(cluster);
  }

  /** Reads the hosts of the cluster in steps, unless what follows from them together is in memory. */
  *loadHostsOf(clusterId: string): Generator<undefined, void> {
    const cluster = this.clusters.get(clusterId);
    if (cluster && !cluster.combined) yield* this.combineHosts(cluster);
  }

  /** Returns what follows from all hosts of the cluster together. Reads all of them when the entry was loaded from the saved state. */
  combinedOf(cluster: ClusterEntry): CombinedHosts {
    if (cluster.combined) return cluster.combined;
    const steps = this.combineHosts(cluster);
    for (let step = steps.next(); ; step = steps.next()) if (step.done) return step.value;
  }

  private *combineHosts(cluster: ClusterEntry): Generator<undefined, CombinedHosts> {
    const combining = (cluster.combining ??= {});
    const hosts: HostEntry[] = [];
    for (const key of [...cluster.hostKeys]) {
      const host = this.hosts.get(key);
      if (host) hosts.push(host);
      yield;
    }
    const combined = yield* combine(cluster.facts, hosts);
    // Something may have needed it between two steps, or changed what it was computed from.
    if (!cluster.combined && cluster.combining !== combining) return yield* this.combineHosts(cluster);
    cluster.combining = undefined;
    return (cluster.combined ??= combined);
  }

  /** Called after each change of the cluster, before anything is computed from its hosts. */
  clusterChanged(cluster: ClusterEntry): void {
    cluster.combining = undefined;
    cluster.combined?.connectivity.setNetworks(cluster.facts.machineNetworks);
    // All hosts are evaluated again when the cluster became routed.
    if (isRouted(cluster.facts)) cluster.combined?.connectivity.changedFamilies();
  }

  /** Called for each event before it is applied to its entry. */
  observeMembership(event: ObservedEvent): void {
    this.membership.observe(event);
  }

  /** Called after each change of a host, before anything is computed from the hosts of its cluster. */
  memberChanged(before: HostEntry, after: HostEntry): void {
    const [left, joined] = [before.state.clusterId, after.state.clusterId];
    const [old, present] = [this.clusters.peek(left), this.clusters.peek(joined)];
    for (const cluster of [old, present]) if (cluster) cluster.combining = undefined;
    if (left !== joined) old?.combined?.members.delete(after.key);
    present?.combined?.members.set(after.key, memberFactsOf(after));
  }

  /** The hosts may leave memory, and their infra-envs with them. */
  reconsider(keys: Iterable<HostKey>): void {
    for (const key of keys) {
      this.hosts.changed(key);
      this.infraEnvs.changed(parseHostKey(key).infraEnvId);
    }
  }

  hostsOf(cluster: ClusterEntry): readonly HostEntry[] {
    const hosts: HostEntry[] = [];
    for (const key of cluster.hostKeys) {
      const host = this.hosts.get(key);
      if (host) hosts.push(host);
    }
    return hosts;
  }

  /** Hosts report each other by their host ids. A machine that registered through two infra-envs is two hosts with one id. */
  hostsWithId(cluster: ClusterEntry, hostId: string): readonly HostEntry[] {
    return [...this.membership.infraEnvsOf(cluster.id)].flatMap((infraEnvId) => {
      const key = hostKeyOf(infraEnvId, hostId);
      return (cluster.hostKeys.has(key) && this.hosts.get(key)) || [];
    });
  }

  /** Returns the host with the id whose reports are current: the connected one of several. */
  hostOfCluster(cluster: ClusterEntry, hostId: string): HostEntry | undefined {
    return connectedLast(this.hostsWithId(cluster, hostId)).at(-1);
  }

  /** Returns true for a host of the cluster that is not compared with others, also through other infra-envs. */
  isOutdated(cluster: ClusterEntry, hostId: string): boolean {
    const hosts = this.hostsWithId(cluster, hostId);
    const { leftOut } = this.combinedOf(cluster);
    return hosts.length > 0 && !hosts.some((host) => isCompared(host, leftOut));
  }

  /** Returns the addresses of the host that another machine also uses, as reported by any host of the cluster. */
  collisionsOf(cluster: ClusterEntry, { reports }: HostEntry): readonly string[] {
    const { collisions } = this.combinedOf(cluster);
    if (collisions.size === 0 || !reports.hardware) return [];
    return addressesOf(reports.hardware)
      .map((address) => address.replace(/\/.*/, ''))
      .filter((address) => collisions.has(address));
  }

  /** Removes the summaries of hosts, which are computed again on demand. A saved host has none. */
  dropSummaries(keys: Iterable<HostKey>): void {
    for (const key of keys) {
      const host = this.hosts.peek(key);
      if (host) host.summary = undefined;
    }
  }
}

/** Returns true when rules read something that the event changes of the host. */
function changesFacts(host: HostEntry | undefined, event: ObservedEvent<HostEvent | InventoryEvent>): boolean {
  if (isEventOf('inventory', event))
    return host !== undefined && isRegistered(host) && event.data.generation === host.state.generation;
  const before = host?.state ?? hostDecider.initialState();
  return isEventOf('host', event) && hostDecider.evolve(before, event).inputsRevision !== before.inputsRevision;
}
