import { COLLECTIONS, type EventDocument } from '@muster/assisted-api';
import type { JsonObject, ReadModelChange, RecordedEvent } from '@muster/ports';
import type { LogEntry } from './log-entry';

/** Digits that hold every position a number can be exact about. */
const POSITION_DIGITS = 16;

/** Whom a line is about. */
export interface EventSubject {
  readonly clusterId?: string;
  readonly hostId?: string;
  readonly infraEnvId?: string;
  readonly owner: { readonly user_name: string; readonly org_id: string; readonly email_domain: string };
}

/** The lines of one stored event. Keys come from its position, so that a repetition writes the same documents. */
export function eventDocuments(
  event: RecordedEvent,
  entries: readonly LogEntry[],
  { clusterId, hostId, infraEnvId, owner }: EventSubject,
): readonly ReadModelChange[] {
  const ids = {
    ...(clusterId ? { cluster_id: clusterId } : {}),
    ...(hostId ? { host_id: hostId } : {}),
    ...(infraEnvId ? { infra_env_id: infraEnvId } : {}),
  };
  return entries.map((entry, ordinal) => {
    const document: EventDocument = {
      name: entry.name,
      ...ids,
      severity: entry.severity,
      category: entry.category ?? 'user',
      message: entry.message,
      event_time: event.metadata.occurredAt,
      props: JSON.stringify({ ...ids, ...entry.props }),
      ...(event.metadata.requestId ? { request_id: event.metadata.requestId } : {}),
      user_name: owner.user_name,
      org_id: owner.org_id,
      email_domain: owner.email_domain,
      _position: event.position,
    };
    return {
      kind: 'put',
      collection: COLLECTIONS.events,
      key: `${String(event.position).padStart(POSITION_DIGITS, '0')}.${ordinal}`,
      document: document as unknown as JsonObject,
    };
  });
}
