import type { ClusterDocument } from '@muster/assisted-api';
import type { ClusterEvent, EventData, ManifestEvent } from '@muster/contracts';
import { userManifestsAfter } from '@muster/domain';
import { registeredCluster } from './cluster-registered';
import { CLUSTER_VIEW } from './cluster-view';
import { changedGroups } from './group-view';
import { changedOutcomes } from './outcome-view';
import { patched, type Occurrence, type Patch } from './view-rows';

export type ClusterDocumentEvent =
  | ClusterEvent
  | ManifestEvent
  | { readonly type: 'ClusterOutcomesChanged'; readonly data: EventData<'ClusterOutcomesChanged'> };

/** The document after the fact; undefined once the cluster is gone. */
export function evolveClusterDocument(
  before: ClusterDocument | undefined,
  event: ClusterDocumentEvent,
  occurrence: Occurrence,
): ClusterDocument | undefined {
  if (event.type === 'ClusterRegistered') return registeredCluster(event.data, occurrence);
  if (!before || event.type === 'ClusterDeregistered') return undefined;
  if (event.type === 'ClusterOutcomesChanged')
    return patched(
      { ...before },
      { _outcomes: changedOutcomes(before._outcomes, event.data), ...changedGroups(before, event.data) },
      occurrence,
    );
  if (event.type === 'ManifestStored' || event.type === 'ManifestRemoved')
    return patched(
      { ...before },
      { _user_manifests: userManifestsAfter(before._user_manifests ?? [], event) },
      occurrence,
    );
  const row = CLUSTER_VIEW[event.type] as (
    cluster: ClusterDocument,
    data: unknown,
    occurrence: Occurrence,
  ) => Patch<ClusterDocument>;
  return patched({ ...before }, row(before, event.data, occurrence), occurrence);
}
