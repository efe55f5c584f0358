import {
  COLLECTIONS,
  type HistogramFigures,
  type MetricDocument,
  type MetricRow,
  SERVICE_METRICS,
  VIEWS_PROJECTION,
} from '@muster/assisted-api';
import { type MusterEvent, parseStreamId, type RecordedMusterEvent } from '@muster/contracts';
import { parkedStreamsOf, type ProjectEvent, type ReadDocument } from '@muster/event-sourcing';
import { putOrRemove, type ReadModelChange, START_OF_STORE } from '@muster/ports';
import { isKeyOf } from '@muster/schema';
import { rowsOf } from '../event-rows';
import { CLUSTER_OBSERVATIONS, HOST_OBSERVATIONS, type Observation } from './observations';

/**
 * Maximum number of series of a metric. Observations of further series are not counted. Only a large number of image
 * repositories comes near the limit.
 */
export const SERIES_MAX = 500;
const LABEL_MAX_CHARACTERS = 256;
/**
 * Machines report any number. Prometheus takes a smaller sum for a restart, and JSON has no number for a sum that overflows, so the next
 * sum would begin at 0.
 */
const VALUE_MAX = Number.MAX_SAFE_INTEGER;

/** Returns the metric with one more observation. */
export function withObservation(
  document: MetricDocument | undefined,
  { metric, labels, value = 1 }: Observation,
  position: number,
): MetricDocument {
  const row: MetricRow = SERVICE_METRICS[metric];
  const series = document?.series ?? {};
  const name = row.labels.map((label, index) => `${label}="${escaped(labels[index] ?? '')}"`).join(',');
  const known = Object.hasOwn(series, name) ? series[name] : undefined;
  if (known === undefined && Object.keys(series).length >= SERIES_MAX) return { _position: position, series };
  const figures = row.buckets
    ? observed(typeof known === 'object' ? known : undefined, row.buckets, value)
    : (typeof known === 'number' ? known : 0) + value;
  return { _position: position, series: { ...series, [name]: figures } };
}

function observed(known: HistogramFigures | undefined, bounds: readonly number[], value: number): HistogramFigures {
  return {
    buckets: bounds.map((bound, index) => (known?.buckets[index] ?? 0) + (value <= bound ? 1 : 0)),
    sum: (known?.sum ?? 0) + Math.max(0, Math.min(VALUE_MAX, value)),
    count: (known?.count ?? 0) + 1,
  };
}

const escaped = (text: string): string =>
  text
    .slice(0, LABEL_MAX_CHARACTERS)
    .replace(/["\\\n]/g, (character) => (character === '\n' ? '\\n' : `\\${character}`));

const { clusters: CLUSTERS, hosts: HOSTS, metrics: METRICS } = COLLECTIONS;
const PAUSED = parkedStreamsOf(VIEWS_PROJECTION);
const ofCluster = rowsOf(CLUSTER_OBSERVATIONS);
const ofHost = rowsOf(HOST_OBSERVATIONS);
const NOTHING: Promise<readonly ReadModelChange[]> = Promise.resolve([]);

/**
 * Returns the changes of the metrics for an event, given the documents before it. A repeated event is not counted again: its cluster or
 * host contains it, or it has no document. Then the position of the last event decides, which the document of each metric contains, unless
 * the stream of the event was paused.
 */
export const projectMetrics: ProjectEvent<MusterEvent> = (event, read) =>
  isKeyOf(CLUSTER_OBSERVATIONS, event.type) || isKeyOf(HOST_OBSERVATIONS, event.type) ? observe(event, read) : NOTHING;

async function observe(event: RecordedMusterEvent, read: ReadDocument): Promise<readonly ReadModelChange[]> {
  const documents = new Map<string, MetricDocument>();
  const { isKnown, observations } = await observationsOf(event, read);
  for (const observation of observations) {
    const { metric } = observation;
    const document = documents.get(metric) ?? (await read(METRICS, metric));
    const last = document?._position ?? START_OF_STORE;
    // An event of a stream that was paused is older than the last one of other streams.
    if (!isKnown && !documents.has(metric) && last >= event.position && !(await isPaused(event, read))) continue;
    documents.set(metric, withObservation(document, observation, Math.max(last, event.position)));
  }
  return [...documents].map(([key, document]) => putOrRemove(METRICS, key, document));
}

/** Whether the stream of the event is paused there or before, so that the event was not counted yet. */
async function isPaused({ streamId, revision }: RecordedMusterEvent, read: ReadDocument): Promise<boolean> {
  const paused = await read(PAUSED, streamId);
  return paused !== undefined && paused.revision <= revision;
}

/** `isKnown`: the cluster or the host had a document before the event. */
interface Observed {
  readonly isKnown: boolean;
  readonly observations: readonly Observation[];
}

const NOTHING_OBSERVED: Observed = { isKnown: false, observations: [] };

async function observationsOf(event: RecordedMusterEvent, read: ReadDocument): Promise<Observed> {
  const { streamId, type, data, metadata, position } = event;
  const { id } = parseStreamId(streamId);
  if (isKeyOf(CLUSTER_OBSERVATIONS, type)) {
    const before = await read(CLUSTERS, id);
    if (before && before._position >= position) return NOTHING_OBSERVED;
    return { isKnown: before !== undefined, observations: ofCluster(event, before) ?? [] };
  }
  const before = await read(HOSTS, id);
  if (before && before._position >= position) return NOTHING_OBSERVED;
  // Reports of an earlier generation are void.
  if (before && 'generation' in data && data.generation !== before._generation) return NOTHING_OBSERVED;
  const isOrphan = Boolean(before?.cluster_id && !(await read(CLUSTERS, before.cluster_id)));
  const host = { before, isOrphan, occurredAt: metadata.occurredAt };
  return { isKnown: before !== undefined, observations: ofHost(event, host) ?? [] };
}
