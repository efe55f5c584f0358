import type { ClusterDocument } from '@muster/assisted-api';

export interface IgnoredOfCluster {
  readonly clusterIds: readonly string[];
  readonly hostIds: readonly string[];
}

type Lists = Pick<ClusterDocument, 'ignored_cluster_validations' | 'ignored_host_validations'>;

/** The rules that a user chose to ignore; none for unbound hosts. */
export function ignoredRules(cluster: Lists | undefined): IgnoredOfCluster {
  return {
    clusterIds: idsIn(cluster?.ignored_cluster_validations),
    hostIds: idsIn(cluster?.ignored_host_validations),
  };
}

/** A cluster with any override is not supported: what the rules guard against may happen to it. */
export function isOverridden(cluster: Lists | undefined): boolean {
  const { clusterIds, hostIds } = ignoredRules(cluster);
  return clusterIds.length + hostIds.length > 0;
}

/** The document holds the lists as the contract shows them: text of a JSON array. */
function idsIn(list: string | undefined): readonly string[] {
  const ids: unknown = JSON.parse(list || '[]');
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}
