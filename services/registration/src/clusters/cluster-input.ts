import { CLUSTER_KINDS, type ClusterKind } from '@muster/domain';
import { RefusalError } from '@muster/problems';

export function clusterKindOf(kind: string): ClusterKind {
  const found = CLUSTER_KINDS.find((known) => known === (kind || 'Cluster'));
  if (!found)
    throw new RefusalError({
      code: 'invalid-input',
      reason: `${kind} is no kind of cluster.`,
      subject: 'kind',
      allowed: CLUSTER_KINDS,
    });
  return found;
}
