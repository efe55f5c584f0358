import { setImmediate as nextTurn } from 'node:timers/promises';
import {
  COLLECTIONS,
  EVENT_CATEGORIES,
  EVENT_COUNTS,
  EVENT_SEVERITIES,
  type EventCountsDocument,
  type EventDocument,
  type EventSeverity,
  type FollowEventsQuery,
  type ListEventsQuery,
  presentEvent,
} from '@muster/assisted-api';
import { type HostKey, hostKeyOf } from '@muster/contracts';
import { READ_MODELS } from '@muster/nest-kit';
import { byText, type ReadModelConditions, type ReadModelDocument, type ReadModels } from '@muster/ports';
import { Inject, Injectable } from '@nestjs/common';
import { EVENT_COUNT, severityCountHeader } from '../http/headers';
import { jsonList, type JsonPiece } from '../http/file-answers';
import { collect, findAll } from '../views/documents';
import { HostViews } from '../views/host-views';
import { allOf } from '../views/kept-texts';
import { RenderTurns } from '../views/render-turns';

/** Number of events of a page when the request has no limit. */
export const EVENTS_PAGE_DEFAULT = 5_000;
/** Maximum number of events of a page. The headers contain the total, `offset` selects the next page. */
export const EVENTS_PAGE_MAX = 50_000;

/** Number of events that are read in one turn of the event loop. */
const READ_AT_ONCE = 500;
/** Number of events in one part of a text. */
const PART_EVENTS = 250;

type Conditions = ReadModelConditions['where'];

/** The ids of hosts that the caller may read, by their infra-env. */
export type ReadableHosts = ReadonlyMap<string, readonly string[]>;

/**
 * Returns conditions without categories and severities. A listed event meets one of them. A cluster takes precedence over hosts, and
 * hosts over an infra-env, as in assisted-service v2. The hosts of each infra-env are a condition of their own, because a read model
 * combines the values of all fields of a condition.
 */
function scopesOf(query: ListEventsQuery, hosts?: ReadableHosts): readonly Conditions[] {
  const hostIds = hostIdsOf(query);
  const ofHosts: Conditions = hostIds.length > 0 ? { host_id: hostIds } : {};
  if (query.cluster_id)
    return [{ cluster_id: query.cluster_id.toLowerCase(), ...(isNarrowedFurther(query) ? {} : ofHosts) }];
  const readable = hosts && [...hosts].map(([infra_env_id, host_id]) => ({ infra_env_id, host_id }));
  if (hostIds.length > 0) return readable ?? [ofHosts];
  return [query.infra_env_id ? { infra_env_id: query.infra_env_id.toLowerCase() } : {}];
}

/**
 * Whether the query has conditions that the read models cannot evaluate: a message text, or the presence of hosts in a
 * cluster.
 */
export const isNarrowedFurther = (query: ListEventsQuery): boolean =>
  Boolean(query.cluster_id && (query.message || query.deleted_hosts || query.cluster_level));

/**
 * Returns the filter of the query for the events of a cluster. The host conditions are alternatives. `isPresent` returns
 * whether the host of an event still exists.
 */
export function toEventFilter(
  query: ListEventsQuery,
  isPresent: (event: EventDocument) => boolean,
): (event: EventDocument) => boolean {
  const hostIds = new Set(hostIdsOf(query));
  const text = query.message?.toLowerCase();
  const narrowsHosts = hostIds.size > 0 || query.deleted_hosts || query.cluster_level;
  const ofWantedHost = (event: EventDocument): boolean =>
    event.host_id === undefined
      ? query.cluster_level === true
      : hostIds.has(event.host_id) || (query.deleted_hosts === true && !isPresent(event));
  return (event) => (!text || event.message.toLowerCase().includes(text)) && (!narrowsHosts || ofWantedHost(event));
}

export interface EventCounts {
  readonly [header: string]: string;
}

/** Number of matching events per severity, independent of the severity filter. */
export type SeverityCounts = ReadonlyMap<EventSeverity, number>;

/** Returns the counting headers of the v2 API. Severities are counted for a cluster only. */
export function toCountHeaders(query: ListEventsQuery, counts: SeverityCounts): EventCounts {
  const countOf = (severity: EventSeverity): number => counts.get(severity) ?? 0;
  const listed = severitiesOf(query).reduce((sum, severity) => sum + countOf(severity), 0);
  const headers: Record<string, string> = { [EVENT_COUNT]: String(listed) };
  for (const severity of EVENT_SEVERITIES) {
    headers[severityCountHeader(severity)] = String(query.cluster_id ? countOf(severity) : 0);
  }
  return headers;
}

/** A negative limit means the maximum size of a page. */
export function pageOf({ limit = EVENTS_PAGE_DEFAULT, offset = 0 }: ListEventsQuery): {
  readonly limit: number;
  readonly offset: number;
} {
  return { limit: limit < 0 ? EVENTS_PAGE_MAX : Math.min(limit, EVENTS_PAGE_MAX), offset: Math.max(offset, 0) };
}

export const severitiesOf = ({ severities }: ListEventsQuery): readonly EventSeverity[] =>
  severities?.length ? EVENT_SEVERITIES.filter((severity) => severities.includes(severity)) : EVENT_SEVERITIES;

const sumsOf = ({ counts }: EventCountsDocument, categories: readonly string[]): SeverityCounts =>
  new Map(
    EVENT_SEVERITIES.map((severity) => [
      severity,
      categories.reduce((sum, category) => sum + (counts[category]?.[severity] ?? 0), 0),
    ]),
  );

/** No event has another category, so an unknown one would only make the search longer. */
const categoriesOf = ({ categories }: ListEventsQuery): readonly string[] =>
  categories?.length ? EVENT_CATEGORIES.filter((category) => categories.includes(category)) : ['user'];

/** The ids in lower case, once each. */
export function hostIdsOf({ host_ids: ids = [], host_id: id }: ListEventsQuery): readonly string[] {
  return [...new Set([...ids, ...(id ? [id] : [])].map((given) => given.toLowerCase()))];
}

export interface EventsPage {
  readonly events: readonly EventDocument[];
  readonly counts: SeverityCounts;
}

/** Whether the caller may read the origin of an event: its actor, source address and correlation id. */
export type ShowsOrigin = (event: EventDocument) => boolean;

/** A page of events for a program that follows them. */
export interface FollowedPage {
  readonly events: readonly Entry[];
  /** Key of the last event that was read; undefined before the first one. */
  readonly last: string | undefined;
  readonly hasMore: boolean;
}

const USER = ['user'];

/** Returns the position in a key without its leading zeros. */
const positionOf = (key: string): string => key.replace(/^0+(?=\d)/, '').replace(/\/$/, '');

type Entry = ReadModelDocument<EventDocument>;
const byKey = (left: Entry, right: Entry): number => byText(left.key, right.key);

/** Reads events in stored order or in reverse. */
@Injectable()
export class EventPages {
  constructor(
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
    @Inject(HostViews) private readonly hosts: Pick<HostViews, 'documentsOfCluster'>,
    private readonly turns: RenderTurns,
  ) {}

  /** Returns the events as a JSON list in parts. */
  async text(events: readonly EventDocument[], showsOrigin: ShowsOrigin = () => false): Promise<readonly JsonPiece[]> {
    return this.listText(events, (event) => JSON.stringify(presentEvent(event, { withOrigin: showsOrigin(event) })));
  }

  private async listText<Item>(items: readonly Item[], textOf: (item: Item) => string): Promise<readonly JsonPiece[]> {
    const parts: (readonly JsonPiece[] | Promise<readonly JsonPiece[]>)[] = [];
    for (let from = 0; from < items.length; from += PART_EVENTS) {
      const part = items.slice(from, from + PART_EVENTS);
      parts.push(this.turns.run(() => [part.map(textOf).join(',')]));
    }
    return jsonList(await allOf(parts));
  }

  /**
   * Returns the events of category user after the key, in the order of their keys. A page may have fewer events than `limit`, also
   * none, although more follow.
   */
  async readAfter(query: FollowEventsQuery, after: string | undefined, limit: number): Promise<FollowedPage> {
    const [scope = {}] = scopesOf(query);
    // All events are read in the order of keys, because the index of categories has no such order over all severities.
    const where = Object.keys(scope).length > 0 ? { ...scope, category: USER, severity: EVENT_SEVERITIES } : {};
    const size = Math.max(limit, READ_AT_ONCE);
    const found = await this.readModels.find({ collection: COLLECTIONS.events, where, after, limit: size });
    const events = found.filter(({ document }) => USER.includes(document.category)).slice(0, limit);
    const last = (events.length === limit ? events : found).at(-1)?.key ?? after;
    return { events, last, hasMore: found.length === size };
  }

  /** Returns the page as JSON in parts. `next`: the position after it. */
  async followedText({ events, last = '' }: FollowedPage, showsOrigin: ShowsOrigin): Promise<readonly JsonPiece[]> {
    const textOf = ({ key, document }: FollowedPage['events'][number]): string =>
      JSON.stringify({ position: positionOf(key), ...presentEvent(document, { withOrigin: showsOrigin(document) }) });
    return ['{"events":', ...(await this.listText(events, textOf)), `,"next":${JSON.stringify(positionOf(last))}}`];
  }

  /** `hosts` restricts the events of hosts to these; undefined: all. */
  read(query: ListEventsQuery, hosts?: ReadableHosts): Promise<EventsPage> {
    const scopes = scopesOf(query, hosts);
    const [scope] = scopes;
    return scope && scopes.length === 1 && !isNarrowedFurther(query)
      ? this.readPage(query, scope)
      : this.readFiltered(query, scopes);
  }

  /** Reads only the events of the page. The total is counted without reading the events. */
  private async readPage(query: ListEventsQuery, scope: Conditions): Promise<EventsPage> {
    const counts = await this.countsOf(query, scope);
    const { limit, offset } = pageOf(query);
    const descending = query.order === 'descending';
    const where = { ...scope, category: categoriesOf(query), severity: severitiesOf(query) };
    const find = { collection: COLLECTIONS.events, where, orderBy: { descending } };
    const seen = new Map<string, EventDocument>();
    let last: string | undefined;
    for (let from = offset, size = Math.min(limit, READ_AT_ONCE); seen.size < limit; size = READ_AT_ONCE) {
      // An entry that is replaced meanwhile moves the others to an earlier offset.
      const range = last === undefined || descending ? { offset: from } : { after: last };
      const found = await this.readModels.find({ ...find, ...range, limit: size });
      last = found.at(-1)?.key;
      // When the newest events come first, those that are stored meanwhile move the others to later pages.
      for (const { key, document } of found) if (seen.size < limit && !seen.has(key)) seen.set(key, document);
      if (found.length < size) break;
      from += size;
      // A read model in memory returns its pages in one turn. Other requests are answered between them.
      await nextTurn();
    }
    return { events: [...seen.values()], counts };
  }

  /** The events of a subject are counted. All events are too many for that, so the projection keeps their counts. */
  private async countsOf(query: ListEventsQuery, scope: Conditions): Promise<SeverityCounts> {
    const { readModels } = this;
    const isOfSubject = Object.keys(scope).length > 0;
    const all = isOfSubject ? undefined : await readModels.get(COLLECTIONS.eventCounts, EVENT_COUNTS);
    if (all) return sumsOf(all, categoriesOf(query));
    const where = { ...scope, category: categoriesOf(query) };
    const counts = await Promise.all(
      EVENT_SEVERITIES.map(async (severity) => {
        const conditions = { collection: COLLECTIONS.events, where: { ...where, severity: [severity] } };
        // A count of a read model in memory does not wait for anything. Other requests are answered between slow ones.
        return [severity, await this.turns.run(() => readModels.count(conditions))] as const;
      }),
    );
    return new Map(counts);
  }

  /**
   * Reads every event of the scopes and keeps only those that can be on the page. Each severity is read on its own, oldest first:
   * only these reads have the order of an index. Otherwise each would sort all rows.
   */
  private async readFiltered(query: ListEventsQuery, scopes: readonly Conditions[]): Promise<EventsPage> {
    const ofCluster = await this.hostsOf(query);
    let elsewhere = new Set<HostKey>();
    const isPresent = ({ host_id: id = '', infra_env_id: infraEnvId = '' }: EventDocument): boolean =>
      ofCluster.has(id) || elsewhere.has(hostKeyOf(infraEnvId, id));
    const passes = isNarrowedFurther(query) ? toEventFilter(query, isPresent) : () => true;
    const { limit, offset } = pageOf(query);
    const [isDescending, end] = [query.order === 'descending', offset + limit];
    const counts = new Map<EventSeverity, number>();
    const kept = new Map<EventSeverity, Entry[]>(severitiesOf(query).map((severity) => [severity, []]));
    const wheres = scopes.map((scope) => ({ ...scope, category: categoriesOf(query) }));
    for (const [severity, where] of EVENT_SEVERITIES.flatMap((one) => wheres.map((where) => [one, where] as const)))
      for await (const page of this.inOrder({ ...where, severity: [severity] })) {
        if (query.deleted_hosts && query.cluster_id) elsewhere = new Set(await this.hostsElsewhere(page, ofCluster));
        const passing = page.filter(({ document }) => passes(document));
        counts.set(severity, (counts.get(severity) ?? 0) + passing.length);
        const entries = kept.get(severity);
        entries?.push(...passing);
        if (passing.length > 0 && scopes.length > 1) entries?.sort(byKey);
        entries?.splice(isDescending ? 0 : end, Math.max(0, entries.length - end));
      }
    const sorted = [...kept.values()].flat().sort(byKey);
    if (isDescending) sorted.reverse();
    return { events: sorted.slice(offset, end).map(({ document }) => document), counts };
  }

  private async *inOrder(where: Conditions): AsyncIterable<readonly Entry[]> {
    for (let after: string | undefined; ;) {
      const found = await this.readModels.find({ collection: COLLECTIONS.events, where, after, limit: READ_AT_ONCE });
      yield found;
      if (found.length < READ_AT_ONCE) return;
      after = found.at(-1)?.key;
      await nextTurn();
    }
  }

  /** The ids of the hosts of the cluster. Read only when the query depends on it. */
  private async hostsOf({ cluster_id: clusterId, deleted_hosts }: ListEventsQuery): Promise<ReadonlySet<string>> {
    if (!deleted_hosts || !clusterId) return new Set();
    const hosts = await this.hosts.documentsOfCluster(clusterId.toLowerCase());
    return new Set(hosts.map(({ id }) => id));
  }

  /** Returns the keys of the hosts of these events that still exist outside of the cluster: unbound, or in another cluster. */
  private async hostsElsewhere(entries: readonly Entry[], ofCluster: ReadonlySet<string>): Promise<HostKey[]> {
    const ids = new Set(entries.flatMap(({ document: { host_id: id } }) => (id && !ofCluster.has(id) ? id : [])));
    if (ids.size === 0) return [];
    const where = { id: [...ids] };
    const found = await collect(findAll(this.readModels, { collection: COLLECTIONS.hosts, where }));
    return found.map(({ id, infra_env_id }) => hostKeyOf(infra_env_id, id));
  }
}
