import type { RecordedMusterEvent, MusterEvent } from '@muster/contracts';
import { type ClusterDocument, COLLECTIONS, type HostDocument } from '@muster/assisted-api';
import { DocumentChanges, type ProjectEvent, type ReadDocument } from '@muster/event-sourcing';

/** The documents as they were at a past time. */
export interface PastViews {
  /** Undefined when it was not there yet, or no longer. */
  readonly cluster: ClusterDocument | undefined;
  /** Those that were in the cluster then. */
  readonly hosts: readonly HostDocument[];
}

/** The views after exactly these events, which are in order of position: the projection that fills the read models, over nothing. */
export async function pastViews(
  clusterId: string,
  events: readonly RecordedMusterEvent[],
  project: ProjectEvent<MusterEvent>,
): Promise<PastViews> {
  const documents = new DocumentChanges();
  const read: ReadDocument = async (collection, key) => documents.get(collection, key);
  for (const event of events) for (const change of await project(event, read)) documents.add(change);
  return {
    cluster: documents.get(COLLECTIONS.clusters, clusterId),
    hosts: documents.documentsOf(COLLECTIONS.hosts).filter(({ cluster_id: id }) => id === clusterId),
  };
}
