import { renderClusterStatus } from '@muster/domain';
import { bundleNamed } from '@muster/operators';
import type { ClusterDocument, HostDocument } from './documents';
import { presentFeatureUsage } from './feature-usage';
import { presentClusterOutcomes } from './present-outcomes';
import { stripInternals } from './strip-internals';
import type { V2Cluster } from './v2-cluster';
import type { V2ChosenBundle, V2HostNetwork } from './v2-cluster-parts';
import type { V2Host } from './v2-host';

/** With fewer workers than this the control plane has to run the workloads. */
const MIN_WORKERS_OF_THEIR_OWN = 2;

/**
 * `cluster` of the contract. `hosts` are the already presented hosts (`[]` to leave them out), `hostDocuments` what
 * `host_networks` is made of.
 */
export function presentCluster(
  document: ClusterDocument,
  hosts: readonly V2Host[] = [],
  hostDocuments: readonly HostDocument[] = [],
): V2Cluster {
  const cluster = stripInternals(document);
  cluster.status_info = renderClusterStatus(document._status_reason);
  cluster.validations_info = presentClusterOutcomes(document._outcomes);
  cluster.schedulable_masters_forced_true = document._worker_count < MIN_WORKERS_OF_THEIR_OWN;
  cluster.feature_usage = presentFeatureUsage(document);
  cluster.host_networks = presentHostNetworks(hostDocuments);
  cluster.hosts = hosts;
  // A gate of organisations that nothing closes here; whether timeouts are soft is for the process to say.
  if (!document.imported) cluster.org_soft_timeouts_enabled = true;
  const collisions = presentIpCollisions(document);
  if (collisions) cluster.ip_collisions = collisions;
  const bundles = presentBundles(document);
  if (bundles.length > 0) cluster.operator_bundles = bundles;
  return cluster as V2Cluster;
}

/** What any of its hosts saw; undefined when none saw any. */
function presentIpCollisions({ _ip_collisions: seenBy = {} }: ClusterDocument): string | undefined {
  const machines = new Map<string, Set<string>>();
  for (const seen of Object.values(seenBy))
    for (const [address, macs] of Object.entries(seen))
      machines.set(address, new Set([...(machines.get(address) ?? []), ...macs]));
  if (machines.size === 0) return undefined;
  const sorted = [...machines].sort(([one], [other]) => (one < other ? -1 : 1));
  return JSON.stringify(Object.fromEntries(sorted.map(([address, macs]) => [address, [...macs].sort()])));
}

/** The bundles that operators were chosen through, with those of their optional ones that were wanted. */
function presentBundles(document: ClusterDocument): readonly V2ChosenBundle[] {
  const isSingleNode = document.control_plane_count === 1;
  const ids = new Set(document.monitored_operators.flatMap(({ source_bundles: sources = [] }) => sources));
  return [...ids].map((id) => {
    const optional: readonly string[] = bundleNamed(id, { isSingleNode })?.optionalOperators ?? [];
    return {
      id,
      optional_operators: document.monitored_operators
        .filter(({ name, source_bundles: sources = [] }) => sources.includes(id) && optional.includes(name))
        .map(({ name }) => name),
    };
  });
}

/** Networks in the order in which hosts bring them up, each with the ids of its hosts. */
export function presentHostNetworks(hosts: readonly HostDocument[]): readonly V2HostNetwork[] {
  const members = new Map<string, string[]>();
  for (const host of hosts) {
    for (const cidr of host._networks) {
      const ids = members.get(cidr);
      if (ids) ids.push(host.id);
      else members.set(cidr, [host.id]);
    }
  }
  return [...members].map(([cidr, host_ids]) => ({ cidr, host_ids }));
}
