import {
  type HostEvent,
  type HostKey,
  hostKeyOfStream,
  type InfraEnvEvent,
  isEventOf,
  isHostKey,
  type MusterEvent,
  parseHostKey,
  parseStreamId,
} from '@muster/contracts';
import type { Entries } from '@muster/decision';
import type { HostState } from './host/state';

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

/** The keys of hosts. */
export interface HostKeys extends Iterable<HostKey> {
  readonly size: number;
  has(key: HostKey): boolean;
}

/** Keys in ascending order. A key is added without sorting the others again. */
class SortedKeys implements HostKeys {
  private readonly keys: HostKey[];

  constructor(keys: Iterable<HostKey>) {
    this.keys = [...keys].sort();
  }

  get size(): number {
    return this.keys.length;
  }

  [Symbol.iterator](): Iterator<HostKey> {
    return this.keys[Symbol.iterator]();
  }

  has(key: HostKey): boolean {
    return this.keys[this.indexOf(key)] === key;
  }

  add(key: HostKey): void {
    if (!this.has(key)) this.keys.splice(this.indexOf(key), 0, key);
  }

  delete(key: HostKey): void {
    if (this.has(key)) this.keys.splice(this.indexOf(key), 1);
  }

  /** Returns the index of the first key that is not less than the given one. */
  private indexOf(key: HostKey): number {
    let start = 0;
    for (let end = this.keys.length; start < end;) {
      const middle = (start + end) >> 1;
      if ((this.keys[middle] ?? key) < key) start = middle + 1;
      else end = middle;
    }
    return start;
  }
}

/** Hosts and clusters, of which a request waits for the reactions to a change. */
export interface ConcernedParts {
  readonly hosts: HostKeys;
  readonly clusters: ReadonlySet<string>;
}

interface KnownParts {
  readonly hosts: Pick<Entries<HostKey, { readonly state: HostState }>, 'peek'>;
  readonly clusters: Pick<Entries<string, { readonly hostKeys: HostKeys }>, 'get'>;
  readonly infraEnvs: Pick<Entries<string, object>, 'get'>;
  readonly membership: Membership;
}

/**
 * Returns what a change of a host, a cluster or an infra-env concerns: the host, the cluster with its hosts, or the hosts of the
 * infra-env with the clusters of those in memory.
 */
export function concernedParts(
  subjectId: string,
  { hosts, clusters, infraEnvs, membership }: KnownParts,
): ConcernedParts {
  if (isHostKey(subjectId)) return { hosts: new Set([subjectId]), clusters: new Set() };
  const cluster = clusters.get(subjectId);
  if (cluster || !infraEnvs.get(subjectId))
    return { hosts: cluster?.hostKeys ?? new Set(), clusters: new Set([subjectId]) };
  const hostKeys = membership.hostsOfInfraEnv(subjectId);
  const joined = [...hostKeys].map((key) => hosts.peek(key)?.state.clusterId ?? '');
  return { hosts: hostKeys, clusters: new Set(joined.filter(Boolean)) };
}

const NO_HOSTS: KnownHosts = { clusterOf: () => '', hostsOfCluster: () => [], hostsOfInfraEnv: () => [] };

/**
 * The hosts of each cluster and infra-env. A service keeps one index and passes each event to it once, in the order of
 * the store, before it applies the event to the host. Missing entries are read from the known hosts.
 */
export class Membership {
  private readonly clusterOfHost = new Map<HostKey, string>();
  private readonly hostsByCluster = new Map<string, SortedKeys>();
  private readonly hostsByInfraEnv = new Map<string, Set<HostKey>>();
  /** Kept until the hosts of the cluster change, because every poll needs it. */
  private readonly infraEnvsByCluster = new Map<string, ReadonlySet<string>>();
  /** Deleted clusters that have hosts. */
  private readonly deleted = new Set<string>();
  /** Remove the sets that the last event emptied. The known hosts still contain its host until the host is changed too. */
  private removals: (() => void)[] = [];

  constructor(private readonly known: KnownHosts = NO_HOSTS) {}

  /** The hosts of a cluster in ascending order. Later events change the returned keys. */
  hostsOf(clusterId: string): HostKeys {
    return this.members(clusterId);
  }

  /** The registered hosts of an infra-env. Later events change the returned keys. */
  hostsOfInfraEnv(infraEnvId: string): HostKeys {
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
    for (const remove of this.removals) remove();
    if (this.removals.length > 0) this.removals = [];
    if (isEventOf('host', event)) return this.observeHost(hostKeyOfStream(event.streamId), event);
    const { id } = parseStreamId(event.streamId);
    // Hosts register in an infra-env that exists, and join a cluster that exists. The known hosts need not be searched for a new one.
    if (event.type === 'ClusterRegistered') kept(this.hostsByCluster, id, () => new SortedKeys([]));
    else if (event.type === 'InfraEnvRegistered') kept(this.hostsByInfraEnv, id, () => new Set());
    else if (event.type === 'InfraEnvDeregistered') this.hostsByInfraEnv.delete(id);
    else if (event.type === 'ClusterDeregistered')
      if (this.members(id).size === 0) this.forgetCluster(id);
      else this.deleted.add(id);
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
    else if (event.type === 'HostDeregistered') this.removeHost(key, infraEnvId);
    const left = this.clusterOfHost.get(key) ?? this.known.clusterOf(key);
    const joined = clusterOfHostAfter(left, event);
    if (left === joined) return NO_CHANGE;
    for (const id of [left, joined]) this.infraEnvsByCluster.delete(id);
    if (left) this.members(left).delete(key);
    if (this.deleted.has(left) && this.members(left).size === 0 && this.deleted.delete(left))
      this.removals.push(() => this.forgetCluster(left));
    if (joined) this.members(joined).add(key);
    if (joined) this.clusterOfHost.set(key, joined);
    else this.clusterOfHost.delete(key);
    return { left, joined };
  }

  private removeHost(key: HostKey, infraEnvId: string): void {
    const others = this.registered(infraEnvId);
    others.delete(key);
    // Its infra-env may be deleted.
    if (others.size === 0) this.removals.push(() => this.forgetInfraEnv(infraEnvId));
  }

  private members(clusterId: string): SortedKeys {
    return kept(this.hostsByCluster, clusterId, () => new SortedKeys(this.known.hostsOfCluster(clusterId)));
  }

  private registered(infraEnvId: string): Set<HostKey> {
    return kept(this.hostsByInfraEnv, infraEnvId, () => new Set(this.known.hostsOfInfraEnv(infraEnvId)));
  }
}

/** Returns the value of the key. A missing value is created and kept. */
function kept<Value>(values: Map<string, Value>, key: string, create: () => Value): Value {
  const present = values.get(key);
  if (present !== undefined) return present;
  const created = create();
  values.set(key, created);
  return created;
}
