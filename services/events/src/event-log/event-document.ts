import type { RecordedMusterEvent } from '@muster/contracts';
import { COLLECTIONS, type EventDocument } from '@muster/assisted-api';
import { type ReadModelChange, putOrRemove } from '@muster/ports';
import type { LogEntry } from './log-entry';

/** Enough digits for every safe integer. */
const POSITION_DIGITS = 16;

const { events: EVENTS } = COLLECTIONS;
const NO_PROPS: EventDocument['_props'] = {};

/** The resources that an entry is about, and their owner. */
export interface EventSubject {
  readonly clusterId?: string;
  readonly hostId?: string;
  readonly infraEnvId?: string;
  readonly owner: { readonly user_name: string; readonly org_id: string; readonly email_domain: string };
}

/** The documents of the entries of one stored event. Keys come from its position, so that a repetition writes the same documents. */
export function eventDocuments(
  event: RecordedMusterEvent,
  entries: readonly LogEntry[],
  { clusterId, hostId, infraEnvId, owner }: EventSubject,
): readonly ReadModelChange[] {
  const replaced = entries.flatMap(({ replaces }) =>
    replaces === undefined ? [] : [putOrRemove(EVENTS, keyOf(replaces, 0), undefined)],
  );
  const written = entries.map((entry, ordinal) => {
    // Assigned member by member: half of all events of a replay pass here.
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
    if (event.metadata.requestId) document.request_id = event.metadata.requestId;
    return putOrRemove(EVENTS, keyOf(event.position, ordinal), document);
  });
  return replaced.length === 0 ? written : [...replaced, ...written];
}

const keyOf = (position: number, ordinal: number): string =>
  `${String(position).padStart(POSITION_DIGITS, '0')}.${ordinal}`;
