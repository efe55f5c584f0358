import { COLLECTIONS, type MetricDocument } from '@muster/assisted-api';
import { parseStreamId, type RecordedMusterEvent, type MusterEvent } from '@muster/contracts';
import type { ProjectEvent, ReadDocument } from '@muster/event-sourcing';
import { type ReadModelChange, putOrRemove } from '@muster/ports';
import { CLUSTER_OBSERVATIONS } from './cluster-observations';
import { HOST_OBSERVATIONS } from './host-observations';
import { withObservation } from './metric-documents';
import type { Observation } from './observation';

const { clusters: CLUSTERS, hosts: HOSTS, metrics: METRICS } = COLLECTIONS;
const NOTHING: Promise<readonly ReadModelChange[]> = Promise.resolve([]);

/**
 * What an event adds to the figures, from the documents as they were before it. Each metric's document says which event
 * changed it last, so an event that is handed out again is not counted again.
 */
export const projectMetrics: ProjectEvent<MusterEvent> = (event, read) =>
  CLUSTER_OBSERVATIONS.has(event.type) || HOST_OBSERVATIONS.has(event.type) ? observe(event, read) : NOTHING;

async function observe(event: RecordedMusterEvent, read: ReadDocument): Promise<readonly ReadModelChange[]> {
  const documents = new Map<string, MetricDocument>();
  for (const observation of await observationsOf(event, read)) {
    const { metric } = observation;
    const document = documents.get(metric) ?? (await read(METRICS, metric));
    if (!documents.has(metric) && document && document._position >= event.position) continue;
    documents.set(metric, withObservation(document, observation, event.position));
  }
  return [...documents].map(([key, document]) => putOrRemove(METRICS, key, document));
}

async function observationsOf(
  { streamId, type, data, metadata, position }: RecordedMusterEvent,
  read: ReadDocument,
): Promise<readonly Observation[]> {
  const { id } = parseStreamId(streamId);
  const ofCluster = CLUSTER_OBSERVATIONS.get(type);
  if (ofCluster) {
    const before = await read(CLUSTERS, id);
    return before && before._position >= position ? [] : ofCluster(data as never, before);
  }
  const before = await read(HOSTS, id);
  if (before && before._position >= position) return [];
  // Reports of an earlier epoch are void.
  if (before && 'epoch' in data && data.epoch !== before._epoch) return [];
  const isOrphan = Boolean(before?.cluster_id && !(await read(CLUSTERS, before.cluster_id)));
  const host = { before, isOrphan, occurredAt: metadata.occurredAt };
  return HOST_OBSERVATIONS.get(type)?.(data as never, host) ?? [];
}
