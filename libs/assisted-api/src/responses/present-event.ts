import type { EventDocument } from './documents';
import { stripInternals } from './strip-internals';
import type { V2Event } from './v2-event';

const FILTERED_BY_ONLY = ['category', 'request_id', 'user_name', 'org_id', 'email_domain'];

/** `event` of the contract as lists show it. */
export function presentEvent(document: EventDocument): V2Event {
  return stripInternals(document, FILTERED_BY_ONLY) as V2Event;
}
