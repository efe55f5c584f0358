import { EVENT_SEVERITIES, type EventDocument, type ListEventsQuery } from '@muster/assisted-api';

/** Events of one page when the request says nothing, and the most that it can ask for by number. */
export const EVENTS_PAGE_DEFAULT = 5_000;
const UNLIMITED = -1;

/** Fields that the read models look up; the rest is filtered here. */
export type EventScope = { readonly [field: string]: string | readonly string[] };

/** A cluster wins over hosts, hosts over an infra-env; without any, all events. */
export function scopeOf(query: ListEventsQuery): EventScope {
  if (query.cluster_id) return { cluster_id: query.cluster_id.toLowerCase() };
  const hostIds = hostIdsOf(query);
  if (hostIds.length > 0) return { host_id: hostIds };
  return query.infra_env_id ? { infra_env_id: query.infra_env_id.toLowerCase() } : {};
}

/**
 * What the query lets through, the severities aside: those only narrow what is listed, not what is counted. Message and
 * host conditions apply within a cluster; the host conditions are alternatives. `isPresent` tells hosts that still exist.
 */
export function toEventFilter(
  query: ListEventsQuery,
  isPresent: (hostId: string) => boolean,
): (event: EventDocument) => boolean {
  const categories = query.categories?.length ? query.categories : ['user'];
  const hostIds = hostIdsOf(query);
  const text = query.message?.toLowerCase();
  const narrowsHosts = hostIds.length > 0 || query.deleted_hosts || query.cluster_level;
  const ofWantedHost = ({ host_id: hostId }: EventDocument): boolean =>
    hostId === undefined
      ? query.cluster_level === true
      : hostIds.includes(hostId) || (query.deleted_hosts === true && !isPresent(hostId));
  return (event) =>
    categories.includes(event.category) &&
    (!query.cluster_id ||
      ((!text || event.message.toLowerCase().includes(text)) && (!narrowsHosts || ofWantedHost(event))));
}

export interface EventCounts {
  readonly [header: string]: string;
}

/** The contract's counting headers. Severities are counted for a cluster only. */
export function toCountHeaders(
  query: ListEventsQuery,
  matching: readonly EventDocument[],
  listed: number,
): EventCounts {
  const headers: Record<string, string> = { 'Event-Count': String(listed) };
  for (const severity of EVENT_SEVERITIES) {
    const name = `Severity-Count-${severity.charAt(0).toUpperCase()}${severity.slice(1)}`;
    headers[name] = String(query.cluster_id ? matching.filter((event) => event.severity === severity).length : 0);
  }
  return headers;
}

export function pageOf(query: ListEventsQuery, events: readonly EventDocument[]): readonly EventDocument[] {
  const limit = Math.max(query.limit ?? EVENTS_PAGE_DEFAULT, UNLIMITED);
  const offset = Math.max(query.offset ?? 0, 0);
  return events.slice(offset, limit === UNLIMITED ? undefined : offset + limit);
}

export const hostIdsOf = (query: ListEventsQuery): readonly string[] =>
  [...(query.host_ids ?? []), ...(query.host_id ? [query.host_id] : [])].map((id) => id.toLowerCase());
