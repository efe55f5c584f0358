import { type ClusterDocument, COLLECTIONS, type HostDocument, JOURNEY_COLLECTIONS } from '@muster/assisted-api';
import { type MusterEvent, type RecordedMusterEvent, streamIdOf } from '@muster/contracts';
import { DocumentChanges, type ProjectEvent, type ReadDocument } from '@muster/event-sourcing';
import type { MusterEventStore } from '@muster/nest-kit';
import {
  type ReadModelConditions,
  type ReadModelDocument,
  type ReadModels,
  START_OF_STORE,
  type StreamId,
  type TurnLimits,
  TurnShare,
} from '@muster/ports';
import { RefusalError } from '@muster/problems';

/** The maximum number of events that one request for a past state reads. Hundreds of installations have fewer. */
export const PAST_EVENTS_MAX = 200_000;
/** Time in which past events are read and applied in one turn of the event loop. A long history takes seconds. */
export const PAST_TIME: TurnLimits = { minMs: 5, share: 0.25, maxMs: 20 };

const HOST_CATEGORIES = ['host', 'inventory', 'validation'] as const;

export interface PastEvents {
  /** Ordered by position. */
  readonly events: readonly RecordedMusterEvent[];
  /** When the compacted reports and outcomes are complete again, ISO 8601. Undefined when they are complete at the requested time. */
  readonly compactedUntil: string | undefined;
}

/**
 * The events in the streams of a cluster, its hosts and their infra-envs, up to the last one that occurred until `atMs`. Those before it
 * belong to the state even if they occurred later: the clock was set back, or the clocks of services differ.
 * @throws RefusalError `invalid-input` for more than PAST_EVENTS_MAX events
 */
export async function pastEvents(
  clusterId: string,
  atMs: number,
  { eventStore, readModels }: { readonly eventStore: MusterEventStore; readonly readModels: ReadModels },
  time = new TurnShare(PAST_TIME),
): Promise<PastEvents> {
  const events: RecordedMusterEvent[] = [];
  const add = (past: readonly RecordedMusterEvent[]): void => {
    events.push(...past.map(withoutPeers));
    if (events.length > PAST_EVENTS_MAX) throw new RefusalError({ code: 'invalid-input', reason: TOO_MUCH });
  };
  const isPast = ({ metadata }: RecordedMusterEvent): boolean => Date.parse(metadata.occurredAt) <= atMs;
  /** The first later event of each stream. */
  const later: RecordedMusterEvent[] = [];
  let end = START_OF_STORE;
  let compactedUntil: string | undefined;
  const read = async (streamId: StreamId): Promise<void> => {
    let isCompacted = false;
    let last = '';
    let firstLater: RecordedMusterEvent | undefined;
    for await (const page of eventStore.readStream(streamId)) {
      const past = page.filter(isPast);
      add(past);
      end = Math.max(end, past.at(-1)?.position ?? end);
      firstLater ??= page.find((event) => !isPast(event));
      isCompacted ||= past.some(({ metadata }) => metadata.originalDigest !== undefined);
      last = page.at(-1)?.metadata.occurredAt ?? last;
      if (!time.hasTime()) await time.nextTurn();
    }
    if (firstLater) later.push(firstLater);
    // The events that replaced the removed data are somewhere up to the end of the stream.
    if (isCompacted && Date.parse(last) > atMs && last > (compactedUntil ?? '')) compactedUntil = last;
  };
  const streams = new Set(await streamsOf(clusterId, readModels, time));
  for (const streamId of streams) await read(streamId);
  for (const streamId of hostStreams(await loggedHosts(clusterId, { atMs, end }, readModels, time)))
    if (!streams.has(streamId)) await read(streamId);
  for (const { streamId, revision } of later.filter(({ position }) => position < end))
    for await (const page of eventStore.readStream(streamId, revision - 1)) {
      add(page.filter((event) => event.position < end && !isPast(event)));
      if (!time.hasTime()) await time.nextTurn();
      if (page.some(({ position }) => position >= end)) break;
    }
  return { events: events.sort((first, second) => first.position - second.position), compactedUntil };
}

/** Removes what no document contains. The first report of each host of a large cluster has an entry for each other host. */
const withoutPeers = (event: RecordedMusterEvent): RecordedMusterEvent =>
  event.type === 'ConnectivityReported' ? { ...event, data: { ...event.data, peers: [], vanishedPeers: [] } } : event;

/** Number of documents that are read in one turn of the event loop at least. */
const PAGE_DOCUMENTS = 500;

/** Yields the documents of the query in pages, the next one when the turn has time. */
async function* pagesOf<Document extends object>(
  readModels: ReadModels,
  query: ReadModelConditions<Document>,
  time: TurnShare,
): AsyncGenerator<readonly ReadModelDocument<Document>[]> {
  let page: readonly ReadModelDocument<Document>[] = [];
  do {
    if (!time.hasTime()) await time.nextTurn();
    // Documents that were removed meanwhile would move an offset.
    page = await readModels.find({ ...query, after: page.at(-1)?.key, limit: PAGE_DOCUMENTS });
    yield page;
  } while (page.length === PAGE_DOCUMENTS);
}

/**
 * Returns the keys of the hosts in the log of the cluster until `atMs`. Entering a cluster is logged, so they include the hosts that
 * have left it. `end`: the last known position of an event until `atMs`.
 * @throws RefusalError `invalid-input` for more than PAST_EVENTS_MAX entries
 */
async function loggedHosts(
  clusterId: string,
  { atMs, end }: { readonly atMs: number; readonly end: number },
  readModels: ReadModels,
  time: TurnShare,
): Promise<ReadonlySet<string>> {
  const keys = new Set<string>();
  const where = { cluster_id: clusterId, category: 'user' };
  let entries = 0;
  for await (const page of pagesOf(readModels, { collection: COLLECTIONS.events, where }, time)) {
    const past = page.filter(({ document }) => Date.parse(document.event_time) <= atMs);
    for (const { document } of past)
      if (document.infra_env_id && document.host_id) keys.add(`${document.infra_env_id}.${document.host_id}`);
    // Entries are ordered by position. Earlier ones may follow on later ones after the clock was set back.
    if (past.length === 0 && page.every(({ document }) => document._position > end)) break;
    entries += page.length;
    if (entries > PAST_EVENTS_MAX) throw new RefusalError({ code: 'invalid-input', reason: TOO_MUCH });
  }
  return keys;
}

/** Returns the streams of the cluster, of its present, deleted and installed hosts, and of their infra-envs. */
async function streamsOf(clusterId: string, readModels: ReadModels, time: TurnShare): Promise<readonly StreamId[]> {
  const keysIn = async (collection: string): Promise<readonly string[]> => {
    const keys: string[] = [];
    for await (const page of pagesOf(readModels, { collection, where: { cluster_id: clusterId } }, time))
      for (const { key } of page) keys.push(key);
    return keys;
  };
  const hosts = [COLLECTIONS.hosts, COLLECTIONS.deletedHosts, JOURNEY_COLLECTIONS.hosts];
  const hostKeys = new Set((await Promise.all(hosts.map(keysIn))).flat());
  return [
    streamIdOf('cluster', clusterId),
    streamIdOf('validation', clusterId),
    streamIdOf('artifact', clusterId),
    streamIdOf('manifest', clusterId),
    ...(await keysIn(COLLECTIONS.infraEnvs)).flatMap(infraEnvStreams),
    ...hostStreams(hostKeys),
  ];
}

/** Returns the streams of the hosts and of their infra-envs. */
const hostStreams = (keys: ReadonlySet<string>): readonly StreamId[] => [
  ...new Set([
    ...[...keys].flatMap((key) => infraEnvStreams(key.split('.', 1)[0] ?? '')),
    ...[...keys].flatMap((key) => HOST_CATEGORIES.map((category) => streamIdOf(category, key))),
  ]),
];

const infraEnvStreams = (id: string): readonly StreamId[] => [streamIdOf('infraEnv', id), streamIdOf('image', id)];

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
  time = new TurnShare(PAST_TIME),
): Promise<PastViews> {
  const documents = new DocumentChanges();
  const read: ReadDocument = async (collection, key) => documents.get(collection, key);
  for (const event of events) {
    // The documents are in memory, so the loop itself does not let other work run.
    if (!time.hasTime()) await time.nextTurn();
    for (const change of await project(event, read)) documents.add(change);
  }
  return {
    cluster: documents.get(COLLECTIONS.clusters, clusterId),
    hosts: documents.documentsOf(COLLECTIONS.hosts).filter(({ cluster_id: id }) => id === clusterId),
  };
}
