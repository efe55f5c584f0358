import { type ClusterDocument, COLLECTIONS, type HostDocument, JOURNEY_COLLECTIONS } from '@muster/assisted-api';
import { type MusterEvent, type RecordedMusterEvent, streamIdOf } from '@muster/contracts';
import { DocumentChanges, type ProjectEvent, type ReadDocument } from '@muster/event-sourcing';
import type { MusterEventStore } from '@muster/nest-kit';
import type { ReadModels, StreamId } from '@muster/ports';
import { RefusalError } from '@muster/problems';

/** The maximum number of events that one request for a past state reads. Hundreds of installations have fewer. */
export const PAST_EVENTS_MAX = 200_000;

const HOST_CATEGORIES = ['host', 'inventory', 'validation'] as const;

export interface PastEvents {
  /** Ordered by position. */
  readonly events: readonly RecordedMusterEvent[];
  /** When the compacted reports and outcomes are complete again, ISO 8601. Undefined when they are complete at the requested time. */
  readonly compactedUntil: string | undefined;
}

/**
 * All events until `atMs` in the streams of a cluster, its hosts and their infra-envs.
 * @throws RefusalError `invalid-input` for more than PAST_EVENTS_MAX events
 */
export async function pastEvents(
  clusterId: string,
  atMs: number,
  { eventStore, readModels }: { readonly eventStore: MusterEventStore; readonly readModels: ReadModels },
): Promise<PastEvents> {
  const events: RecordedMusterEvent[] = [];
  let compactedUntil: string | undefined;
  for (const streamId of await streamsOf(clusterId, readModels)) {
    let isCompacted = false;
    let last = '';
    for await (const page of eventStore.readStream(streamId)) {
      const past = page.filter(({ metadata }) => Date.parse(metadata.occurredAt) <= atMs);
      events.push(...past);
      if (events.length > PAST_EVENTS_MAX) throw new RefusalError({ code: 'invalid-input', reason: TOO_MUCH });
      isCompacted ||= past.some(({ metadata }) => metadata.originalDigest !== undefined);
      last = page.at(-1)?.metadata.occurredAt ?? last;
    }
    // The events that replaced the removed data are somewhere up to the end of the stream.
    if (isCompacted && Date.parse(last) > atMs && last > (compactedUntil ?? '')) compactedUntil = last;
  }
  return { events: events.sort((first, second) => first.position - second.position), compactedUntil };
}

/** Returns the streams of the cluster, of its present, deleted and installed hosts, and of their infra-envs. */
async function streamsOf(clusterId: string, readModels: ReadModels): Promise<readonly StreamId[]> {
  const keysIn = async (collection: string): Promise<readonly string[]> =>
    (await readModels.find({ collection, where: { cluster_id: clusterId } })).map(({ key }) => key);
  const hosts = [COLLECTIONS.hosts, COLLECTIONS.deletedHosts, JOURNEY_COLLECTIONS.hosts];
  const hostKeys = new Set((await Promise.all(hosts.map(keysIn))).flat());
  const infraEnvIds = new Set([
    ...(await keysIn(COLLECTIONS.infraEnvs)),
    ...[...hostKeys].map((key) => key.split('.', 1)[0] ?? ''),
  ]);
  return [
    streamIdOf('cluster', clusterId),
    streamIdOf('validation', clusterId),
    streamIdOf('artifact', clusterId),
    streamIdOf('manifest', clusterId),
    ...[...infraEnvIds].flatMap((id) => [streamIdOf('infraEnv', id), streamIdOf('image', id)]),
    ...[...hostKeys].flatMap((key) => HOST_CATEGORIES.map((category) => streamIdOf(category, key))),
  ];
}

const TOO_MUCH = `The history of this cluster is too large (more than ${PAST_EVENTS_MAX} events). Request an earlier point in time.`;

/** The documents as they were at a past time. */
export interface PastViews {
  /** Undefined when the cluster did not exist at that time. */
  readonly cluster: ClusterDocument | undefined;
  /** Hosts that were in the cluster at that time. */
  readonly hosts: readonly HostDocument[];
}

/**
 * Returns the views after these events, which are sorted by position. It applies the projection of the read models to
 * empty read models.
 */
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
