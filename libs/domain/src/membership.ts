import {
  type HostEvent,
  type HostKey,
  hostKeyOfStream,
  type InfraEnvEvent,
  isEventOf,
  type MusterEvent,
  parseHostKey,
  parseStreamId,
} from '@muster/contracts';

/** Returns the cluster of a host after the event; empty: none. All folds of host events use this function. */
export function clusterOfHostAfter(clusterId: string, event: HostEvent): string {
  switch (event.type) {
    case 'HostRegistered':
    case 'HostReregistered':
    case 'HostBound':
      return event.data.clusterId;
    case 'HostUnbound':
    case 'HostDeregistered':
      return '';
    default:
      return clusterId;
  }
}

/** Returns the cluster that an infra-env is bound to after the event; empty: none. */
export function clusterOfInfraEnvAfter(clusterId: string, event: InfraEnvEvent): string {
  switch (event.type) {
    case 'InfraEnvRegistered':
      return event.data.settings?.clusterId ?? '';
    case 'InfraEnvSettingsRevised':
      return event.data.changes?.clusterId ?? clusterId;
    case 'InfraEnvDeregistered':
      return '';
    default:
      return clusterId;
  }
}

/** The change that an event caused: the cluster that a host left and the cluster that it joined. Empty: none. */
export interface MembershipChange {
  readonly left: string;
  readonly joined: string;
}

const NO_CHANGE: MembershipChange = { left: '', joined: '' };

/** The state of the hosts of a view before the observed event. */
export interface KnownHosts {
  /** Returns the cluster of a host. Empty: none, or the host is unknown. */
  clusterOf(key: HostKey): string;
  hostsOfCluster(clusterId: string): Iterable<HostKey>;
  /** Returns the registered hosts of an infra-env. */
  hostsOfInfraEnv(infraEnvId: string): Iterable<HostKey>;
}

const NO_HOSTS: KnownHosts = { clusterOf: () => '', hostsOfCluster: () => [], hostsOfInfraEnv: () => [] };

/**
 * The hosts of each cluster and infra-env. A service keeps one index and passes each event to it once, in the order of
 * the store, before it applies the event to the host. Missing entries are read from the known hosts.
 */
export class Membership {
  private readonly clusterOfHost = new Map<HostKey, string>();
  private readonly hostsByCluster = new Map<string, Set<HostKey>>();
  private readonly hostsByInfraEnv = new Map<string, Set<HostKey>>();
  /** Kept until the hosts of the cluster change, because every poll needs it. */
  private readonly infraEnvsByCluster = new Map<string, ReadonlySet<string>>();

  constructor(private readonly known: KnownHosts = NO_HOSTS) {}

  /** The hosts of a cluster in ascending order. Later events change the returned set. */
  hostsOf(clusterId: string): ReadonlySet<HostKey> {
    return this.members(clusterId);
  }

  /** The registered hosts of an infra-env. Later events change the returned set. */
  hostsOfInfraEnv(infraEnvId: string): ReadonlySet<HostKey> {
    return this.registered(infraEnvId);
  }

  /** The infra-envs of the hosts of a cluster, without duplicates. */
  infraEnvsOf(clusterId: string): ReadonlySet<string> {
    const known = this.infraEnvsByCluster.get(clusterId);
    if (known) return known;
    const infraEnvs = new Set([...this.members(clusterId)].map((key) => parseHostKey(key).infraEnvId));
    this.infraEnvsByCluster.set(clusterId, infraEnvs);
    return infraEnvs;
  }

  /** Applies an event. Events that do not affect membership change nothing. */
  observe(event: MusterEvent & { readonly streamId: string }): MembershipChange {
    if (isEventOf('host', event)) return this.observeHost(hostKeyOfStream(event.streamId), event);
    const { id } = parseStreamId(event.streamId);
    // Hosts register in an infra-env that exists, and join a cluster that exists. The known hosts need not be searched for a new one.
    if (event.type === 'ClusterRegistered') setOf(this.hostsByCluster, id, () => []);
    else if (event.type === 'InfraEnvRegistered') setOf(this.hostsByInfraEnv, id, () => []);
    else if (event.type === 'InfraEnvDeregistered') this.hostsByInfraEnv.delete(id);
    else if (event.type === 'ClusterDeregistered' && this.members(id).size === 0) this.forgetCluster(id);
    return NO_CHANGE;
  }

  /**
   * Removes the entries of a cluster that was removed from memory. Sets that were returned earlier no longer change.
   */
  forgetCluster(clusterId: string): void {
    this.hostsByCluster.delete(clusterId);
    this.infraEnvsByCluster.delete(clusterId);
  }

  forgetInfraEnv(infraEnvId: string): void {
    this.hostsByInfraEnv.delete(infraEnvId);
  }

  forgetHost(key: HostKey): void {
    this.clusterOfHost.delete(key);
  }

  private observeHost(key: HostKey, event: HostEvent): MembershipChange {
    const { infraEnvId } = parseHostKey(key);
    if (event.type === 'HostRegistered') this.registered(infraEnvId).add(key);
    else if (event.type === 'HostDeregistered') this.registered(infraEnvId).delete(key);
    const left = this.clusterOfHost.get(key) ?? this.known.clusterOf(key);
    const joined = clusterOfHostAfter(left, event);
    if (left === joined) return NO_CHANGE;
    for (const id of [left, joined]) this.infraEnvsByCluster.delete(id);
    if (left) this.members(left).delete(key);
    if (joined) this.join(joined, key);
    this.clusterOfHost.set(key, joined);
    return { left, joined };
  }

  private join(clusterId: string, key: HostKey): void {
    const members = this.members(clusterId);
    const sorted = [...members, key].sort();
    members.clear();
    for (const one of sorted) members.add(one);
  }

  private members(clusterId: string): Set<HostKey> {
    return setOf(this.hostsByCluster, clusterId, () => [...this.known.hostsOfCluster(clusterId)].sort());
  }

  private registered(infraEnvId: string): Set<HostKey> {
    return setOf(this.hostsByInfraEnv, infraEnvId, () => this.known.hostsOfInfraEnv(infraEnvId));
  }
}

function setOf<Key, Value>(sets: Map<Key, Set<Value>>, key: Key, known: () => Iterable<Value>): Set<Value> {
  const present = sets.get(key);
  if (present) return present;
  const created = new Set<Value>(known());
  sets.set(key, created);
  return created;
}
