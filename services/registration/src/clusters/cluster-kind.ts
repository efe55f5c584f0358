import { CLUSTER_KINDS, type ClusterKind } from '@muster/domain';
import { RefusalError } from '@muster/problems';

/** @throws RefusalError `invalid-input` for an unknown kind. */
export function clusterKindOf(kind: string): ClusterKind {
  const found = CLUSTER_KINDS.find((known) => known === (kind || 'Cluster'));
  if (!found)
    throw new RefusalError({
      code: 'invalid-input',
      reason: `kind "${kind}" is not supported. Allowed: ${CLUSTER_KINDS.join(', ')}.`,
      subject: 'kind',
      allowed: CLUSTER_KINDS,
    });
  return found;
}
