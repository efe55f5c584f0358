import type { ClusterDocument, HostDocument, IpCollisions } from '@muster/assisted-api';
import type { EventData } from '@muster/contracts';

/** What a host saw; undefined when every address has one machine. */
export function toIpCollisions(collisions: EventData<'ConnectivityReported'>['collisions']): IpCollisions | undefined {
  if (collisions.length === 0) return undefined;
  return Object.fromEntries(collisions.map(({ address, macAddresses }) => [address, macAddresses]));
}

/** What a host's cluster is to show of what the host sees. */
export interface CollisionsChange {
  readonly clusterId: string;
  readonly hostKey: string;
  /** Undefined: nothing any more. */
  readonly seen: IpCollisions | undefined;
}

/** What a host's change means for the cluster it is in, leaves or joins; mostly nothing. */
export function collisionsChanges(
  before: HostDocument | undefined,
  after: HostDocument | undefined,
): readonly CollisionsChange[] {
  const isSame = before?.cluster_id === after?.cluster_id && before?._ip_collisions === after?._ip_collisions;
  const host = after ?? before;
  if (isSame || !host) return [];
  const changeOf = (document: HostDocument | undefined, seen: IpCollisions | undefined): readonly CollisionsChange[] =>
    document?.cluster_id && document._ip_collisions
      ? [{ clusterId: document.cluster_id, hostKey: host._host_key, seen }]
      : [];
  // What it saw is taken back where it was shown, then what it sees is shown where it is.
  return [...changeOf(before, undefined), ...changeOf(after, after?._ip_collisions)];
}

export function withCollisions(cluster: ClusterDocument, { hostKey, seen }: CollisionsChange): ClusterDocument {
  const { [hostKey]: _, ...others } = cluster._ip_collisions ?? {};
  return { ...cluster, _ip_collisions: seen ? { ...others, [hostKey]: seen } : others };
}
