import {
  type ClusterDocument,
  COLLECTIONS,
  EVENT_COUNTS,
  type EventCategory,
  type EventDocument,
  eventKeyOf,
  type EventSeverity,
  type HostDocument,
  type InfraEnvDocument,
} from '@muster/assisted-api';
import type { RecordedMusterEvent } from '@muster/contracts';
import type { ReadDocument } from '@muster/event-sourcing';
import { type JsonObject, putOrRemove, type ReadModelChange } from '@muster/ports';
import { textAt } from '@muster/schema';
import type { MachineLimits } from '../config';
import type { DataByType, EventRows } from '../event-rows';

const UNITS = ['bytes', 'kB', 'MB', 'GB', 'TB'] as const;
const STEP = 1_000;

/** At most one decimal, none from 100: `8.1 s`. */
export const formatSeconds = (seconds: number): string => `${rounded(seconds)} s`;

/** Decimal units: `1.2 GB`. */
export function formatBytes(bytes: number): string {
  const unit = bytes < 1 ? 0 : Math.min(UNITS.length - 1, Math.floor(Math.log10(bytes) / 3));
  return `${rounded(bytes / STEP ** unit)} ${UNITS[unit]}`;
}

/** At most one decimal, none from 100. */
export const rounded = (value: number): string => String(Number(value.toFixed(Math.abs(value) < 100 ? 1 : 0)));

/** One entry of the event log. `props` additionally gets the ids of the subject. */
export interface LogEntry {
  /** A name in `EVENT_NAMES`, in snake case. Empty for an event in `METRIC_EVENTS`, which its message identifies. */
  readonly name: string;
  readonly severity: EventSeverity;
  /** One or more sentences. */
  readonly message: string;
  readonly props?: JsonObject;
  /** @default 'user' */
  readonly category?: EventCategory;
  /** Position of the event whose first entry this entry replaces. */
  readonly replaces?: number;
}

export interface HostSubject {
  /** The host after the event. Before it when the event removed the host. */
  readonly host: HostDocument;
  readonly before: HostDocument | undefined;
  /** The requested hostname, otherwise the reported one, otherwise the id. */
  readonly name: string;
  readonly limits: MachineLimits;
  /** Time of the event, ISO 8601. */
  readonly at: string;
}

export interface ClusterSubject {
  readonly cluster: ClusterDocument;
  readonly before: ClusterDocument | undefined;
  /** Time of the event, ISO 8601. */
  readonly at: string;
}

export interface InfraEnvSubject {
  readonly infraEnv: InfraEnvDocument;
  readonly before: InfraEnvDocument | undefined;
}

/** One pure row per event type that has entries in the event log. */
export type LogRows<Event extends { readonly type: string; readonly data: unknown }, Subject> = EventRows<
  DataByType<Event>,
  Subject,
  readonly LogEntry[]
>;

/** The text of a status change; `from` is empty for the first status. */
export function describeStatus(from: string, to: string, statusInfo: string): string {
  const change = from ? `updated status from "${from}" to "${to}"` : `status is "${to}"`;
  return statusInfo ? `${change} (${statusInfo})` : change;
}

/** The change of a document by its digest, or of a text: an empty one was removed. */
export const setOrRemoved = (given: string | undefined): 'set' | 'removed' => (given ? 'set' : 'removed');

export const hostNameOf = (host: HostDocument): string => host.requested_hostname ?? host._reported_hostname ?? host.id;

const { events: EVENTS } = COLLECTIONS;
const NO_PROPS: EventDocument['_props'] = {};

/** The resources to which an entry refers, and their owner. */
export interface EventSubject {
  readonly clusterId?: string;
  readonly hostId?: string;
  readonly infraEnvId?: string;
  readonly owner: { readonly user_name: string; readonly org_id: string; readonly email_domain: string };
}

/**
 * Returns the documents for the entries of one stored event. Their keys contain its position, so a repetition writes
 * the same documents.
 */
export function eventDocuments(
  event: RecordedMusterEvent,
  entries: readonly LogEntry[],
  { clusterId, hostId, infraEnvId, owner }: EventSubject,
): readonly ReadModelChange[] {
  const replaced = entries.flatMap(({ replaces }) =>
    replaces === undefined ? [] : [putOrRemove(EVENTS, keyOf(replaces, 0), undefined)],
  );
  const written = entries.map((entry, ordinal) => {
    // Members are assigned one by one for speed: half of all events of a replay are processed here.
    const document: { -readonly [Member in keyof EventDocument]: EventDocument[Member] } = {
      name: entry.name,
      severity: entry.severity,
      category: entry.category ?? 'user',
      message: entry.message,
      event_time: event.metadata.occurredAt,
      user_name: owner.user_name,
      org_id: owner.org_id,
      email_domain: owner.email_domain,
      _props: entry.props ?? NO_PROPS,
      _position: event.position,
    };
    if (clusterId) document.cluster_id = clusterId;
    if (hostId) document.host_id = hostId;
    if (infraEnvId) document.infra_env_id = infraEnvId;
    const { requestId, actor, sourceAddress, correlationId } = event.metadata;
    if (requestId) document.request_id = requestId;
    if (actor) document._actor = actor;
    if (sourceAddress) document._source_address = sourceAddress;
    if (correlationId) document._correlation_id = correlationId;
    return putOrRemove(EVENTS, keyOf(event.position, ordinal), document);
  });
  return replaced.length === 0 ? written : [...replaced, ...written];
}

const keyOf = (position: number, ordinal: number): string => eventKeyOf(String(position), String(ordinal));

/** Returns the change of the counts for the changes of the event log that an event makes; none without such changes. */
export async function eventCountsChanges(
  { position }: RecordedMusterEvent,
  changes: readonly ReadModelChange[],
  read: ReadDocument,
): Promise<readonly ReadModelChange[]> {
  const ofLog = changes.filter(({ collection }) => collection === EVENTS);
  if (ofLog.length === 0) return [];
  const before = await read(COLLECTIONS.eventCounts, EVENT_COUNTS);
  let counts = before?.counts ?? {};
  const add = (document: object, by: number): void => {
    const [category = '', severity = ''] = [textAt(document, 'category'), textAt(document, 'severity')];
    counts = { ...counts, [category]: { ...counts[category], [severity]: (counts[category]?.[severity] ?? 0) + by } };
  };
  for (const change of ofLog) {
    // An event that is delivered again may be counted already. Others have no documents yet.
    const isKnown = change.kind === 'remove' || (before !== undefined && before._position >= position);
    const replaced = isKnown ? await read(EVENTS, change.key) : undefined;
    if (replaced) add(replaced, -1);
    if (change.kind === 'put') add(change.document, 1);
  }
  const _position = Math.max(position, before?._position ?? position);
  return [putOrRemove(COLLECTIONS.eventCounts, EVENT_COUNTS, { _position, counts })];
}
