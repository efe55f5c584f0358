import { isDeepStrictEqual } from 'node:util';
import type { HostKey } from '@muster/contracts';
import { type ClusterShape, NO_SHAPE, shapeOf } from '@muster/operators';
import { effectiveRole } from '@muster/validation-rules';
import type { KnownEntries } from './known-entries';
import type { ClusterEntry } from './view-entries';

/** How the cluster is made up, as far as its operators ask; nobody else does. */
export function shapeOfCluster(cluster: ClusterEntry, entries: KnownEntries): ClusterShape {
  if (cluster.facts.operators.length === 0) return NO_SHAPE;
  const hosts = entries.hostsOf(cluster).filter(({ state }) => state.kind !== 'AddToExistingClusterHost');
  return shapeOf(
    hosts.map(({ state: { role, suggestedRole } }) => ({ role, effectiveRole: effectiveRole(role, suggestedRole) })),
  );
}

/** Hosts whose operators have to be looked at again because the cluster is made up differently now. */
export function reshaped(cluster: ClusterEntry, entries: KnownEntries): readonly HostKey[] {
  const shape = shapeOfCluster(cluster, entries);
  if (isDeepStrictEqual(shape, cluster.shape)) return [];
  cluster.shape = shape;
  return [...cluster.hostKeys];
}
