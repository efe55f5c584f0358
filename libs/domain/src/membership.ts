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

/** What an event changed: the cluster that a host left and the cluster that it joined. Empty: none. */
export interface MembershipChange {
  readonly left: string;
  readonly joined: string;
}

const NO_CHANGE: MembershipChange = { left: '', joined: '' };

/**
 * The hosts of each cluster and infra-env, and the infra-envs that are bound to each cluster. A service keeps one index
 * and applies each event to it once, in the order of the store.
 */
export class Membership {
  private readonly clusterOfHost = new Map<HostKey, string>();
  private readonly clusterOfInfraEnv = new Map<string, string>();
  private readonly hostsOfCluster = new Map<string, Set<HostKey>>();
  private readonly hostsByInfraEnv = new Map<string, Set<HostKey>>();

  /** The hosts of a cluster in ascending order. Later events change the returned set. */
  hostsOf(clusterId: string): ReadonlySet<HostKey> {
    return setOf(this.hostsOfCluster, clusterId);
  }

  /** The registered hosts of an infra-env. Later events change the returned set. */
  hostsOfInfraEnv(infraEnvId: string): ReadonlySet<HostKey> {
    return setOf(this.hostsByInfraEnv, infraEnvId);
  }

  /** The infra-envs of the hosts of a cluster, without duplicates. */
  infraEnvsOf(clusterId: string): ReadonlySet<string> {
    const keys = this.hostsOfCluster.get(clusterId) ?? [];
    return new Set([...keys].map((key) => parseHostKey(key).infraEnvId));
  }

  /** The infra-envs that are bound to a cluster, with or without hosts. */
  infraEnvsBoundTo(clusterId: string): readonly string[] {
    return [...this.clusterOfInfraEnv].flatMap(([id, bound]) => (bound === clusterId ? [id] : []));
  }

  /** Applies an event. Events that do not affect membership change nothing. */
  observe(event: MusterEvent & { readonly streamId: string }): MembershipChange {
    if (isEventOf('host', event)) return this.observeHost(hostKeyOfStream(event.streamId), event);
    const { id } = parseStreamId(event.streamId);
    if (isEventOf('infraEnv', event)) this.observeInfraEnv(id, event);
    else if (event.type === 'ClusterDeregistered' && this.hostsOfCluster.get(id)?.size === 0)
      this.hostsOfCluster.delete(id);
    return NO_CHANGE;
  }

  private observeHost(key: HostKey, event: HostEvent): MembershipChange {
    const { infraEnvId } = parseHostKey(key);
    if (event.type === 'HostRegistered') setOf(this.hostsByInfraEnv, infraEnvId).add(key);
    else if (event.type === 'HostDeregistered') this.hostsByInfraEnv.get(infraEnvId)?.delete(key);
    const left = this.clusterOfHost.get(key) ?? '';
    const joined = clusterOfHostAfter(left, event);
    if (left === joined) return NO_CHANGE;
    this.hostsOfCluster.get(left)?.delete(key);
    if (joined) this.join(joined, key);
    else this.clusterOfHost.delete(key);
    return { left, joined };
  }

  private join(clusterId: string, key: HostKey): void {
    this.clusterOfHost.set(key, clusterId);
    const members = setOf(this.hostsOfCluster, clusterId);
    const sorted = [...members, key].sort();
    members.clear();
    for (const one of sorted) members.add(one);
  }

  private observeInfraEnv(id: string, event: InfraEnvEvent): void {
    const clusterId = clusterOfInfraEnvAfter(this.clusterOfInfraEnv.get(id) ?? '', event);
    if (clusterId) this.clusterOfInfraEnv.set(id, clusterId);
    else this.clusterOfInfraEnv.delete(id);
    if (event.type === 'InfraEnvDeregistered') this.hostsByInfraEnv.delete(id);
  }
}

function setOf<Key, Value>(sets: Map<Key, Set<Value>>, key: Key): Set<Value> {
  const known = sets.get(key);
  if (known) return known;
  const created = new Set<Value>();
  sets.set(key, created);
  return created;
}
