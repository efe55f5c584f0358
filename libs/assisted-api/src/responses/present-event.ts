import type { EventDocument } from './documents';
import { stripInternals } from './strip-internals';
import type { V2Event } from './v2-event';

const FILTERED_BY_ONLY = ['category', 'request_id', 'user_name', 'org_id', 'email_domain'];

/** `event` of the contract as lists show it. */
export function presentEvent(document: EventDocument): V2Event {
  const event = stripInternals(document, FILTERED_BY_ONLY);
  const { cluster_id, host_id, infra_env_id, _props } = document;
  event.props = JSON.stringify({ cluster_id, host_id, infra_env_id, ..._props });
  return event as V2Event;
}
