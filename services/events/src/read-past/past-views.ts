import type { RecordedMusterEvent, MusterEvent } from '@muster/contracts';
import { type ClusterDocument, COLLECTIONS, type HostDocument } from '@muster/assisted-api';
import type { ProjectEvent } from '@muster/event-sourcing';
import type { JsonObject } from '@muster/ports';

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
  const collections = new Map([COLLECTIONS.clusters, COLLECTIONS.hosts, COLLECTIONS.infraEnvs].map(toEmpty));
  for (const event of events) {
    const changes = await project(event, async (collection, key) => collections.get(collection)?.get(key));
    for (const change of changes) {
      const documents = collections.get(change.collection);
      if (change.kind === 'put') documents?.set(change.key, change.document);
      else documents?.delete(change.key);
    }
  }
  const hosts = [...(collections.get(COLLECTIONS.hosts)?.values() ?? [])] as unknown as HostDocument[];
  return {
    cluster: collections.get(COLLECTIONS.clusters)?.get(clusterId) as unknown as ClusterDocument | undefined,
    hosts: hosts.filter(({ cluster_id: id }) => id === clusterId),
  };
}

const toEmpty = (collection: string): [string, Map<string, JsonObject>] => [collection, new Map()];
