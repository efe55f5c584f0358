import type { HostKey } from '@muster/contracts';
import { addressesOf } from '@muster/validation-rules';
import type { ClusterEntry, HostEntry, InfraEnvEntry } from './view-entries';

/** Hosts, clusters and infra-envs by their ids, and lookups across them. */
export class KnownEntries {
  readonly hosts = new Map<HostKey, HostEntry>();
  readonly clusters = new Map<string, ClusterEntry>();
  readonly infraEnvs = new Map<string, InfraEnvEntry>();
  private readonly keysOfIds = new Map<string, HostKey>();

  /** Hosts report each other by their host ids. */
  rememberId(hostId: string, key: HostKey): void {
    if (hostId) this.keysOfIds.set(hostId, key);
  }

  /** Sorted by key: rules that take the first host of several find the same one in any order of arrival. */
  join(clusterId: string, key: HostKey): void {
    const hostKeys = this.clusters.get(clusterId)?.hostKeys;
    if (!hostKeys || hostKeys.has(key)) return;
    const sorted = [...hostKeys, key].sort();
    hostKeys.clear();
    for (const one of sorted) hostKeys.add(one);
  }

  hostsOf(cluster: ClusterEntry): readonly HostEntry[] {
    return [...cluster.hostKeys].flatMap((key) => this.hosts.get(key) ?? []);
  }

  hostOfCluster(cluster: ClusterEntry, hostId: string): HostEntry | undefined {
    const key = this.keysOfIds.get(hostId);
    return key && cluster.hostKeys.has(key) ? this.hosts.get(key) : undefined;
  }

  /** Returns the addresses of the host that another machine uses as well, as reported by any host of the cluster. */
  collisionsOf(cluster: ClusterEntry, { reports }: HostEntry): readonly string[] {
    if (cluster.collisionReporters.size === 0 || !reports.hardware) return [];
    const colliding = (cluster.collidingAddresses ??= this.collidingIn(cluster));
    return addressesOf(reports.hardware)
      .map((address) => address.replace(/\/.*/, ''))
      .filter((address) => colliding.has(address));
  }

  private collidingIn({ collisionReporters }: ClusterEntry): ReadonlySet<string> {
    const reporters = [...collisionReporters].flatMap((key) => this.hosts.get(key) ?? []);
    return new Set(reporters.flatMap(({ reports }) => reports.collisions.map(({ address }) => address)));
  }

  /** The summary of a host is computed again on demand. */
  dropSummaries(keys: Iterable<HostKey>): void {
    for (const key of keys) {
      const host = this.hosts.get(key);
      if (host) host.summary = undefined;
    }
  }
}
