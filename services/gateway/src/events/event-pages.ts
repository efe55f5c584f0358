import { Inject, Injectable } from '@nestjs/common';
import {
  COLLECTIONS,
  EVENT_SEVERITIES,
  type EventDocument,
  type EventSeverity,
  type ListEventsQuery,
} from '@muster/assisted-api';
import { READ_MODELS } from '@muster/nest-kit';
import { MAX_QUERY_DOCUMENTS, type ReadModelQuery, type ReadModels } from '@muster/ports';
import { HostViews } from '../views/host-views';
import {
  conditionsOf,
  isNarrowedFurther,
  pageOf,
  severitiesOf,
  type SeverityCounts,
  toEventFilter,
} from './event-selection';

export interface EventsPage {
  readonly events: readonly EventDocument[];
  readonly counts: SeverityCounts;
}

type Find = Omit<ReadModelQuery<EventDocument>, 'offset' | 'limit'>;

/** Reads events in the order in which they were stored, or backwards. */
@Injectable()
export class EventPages {
  constructor(
    @Inject(READ_MODELS) private readonly readModels: ReadModels,
    @Inject(HostViews) private readonly hosts: Pick<HostViews, 'documentsOfCluster'>,
  ) {}

  /** `infraEnvIds` restricts the events of hosts to these infra-envs; undefined: all. */
  read(query: ListEventsQuery, infraEnvIds?: readonly string[]): Promise<EventsPage> {
    return isNarrowedFurther(query) ? this.sieve(query) : this.lookUp(query, infraEnvIds);
  }

  /** Reads what is shown and nothing else; how many there are is known without reading them. */
  private async lookUp(query: ListEventsQuery, infraEnvIds: readonly string[] | undefined): Promise<EventsPage> {
    const { readModels } = this;
    const where = conditionsOf(query, infraEnvIds);
    const counts = await Promise.all(
      EVENT_SEVERITIES.map(async (severity) => {
        const conditions = { collection: COLLECTIONS.events, where: { ...where, severity: [severity] } };
        return [severity, await readModels.count(conditions)] as const;
      }),
    );
    const { limit, offset } = pageOf(query);
    const find = this.findOf(where, query, severitiesOf(query));
    const events: EventDocument[] = [];
    for await (const page of this.pages(find, offset, limit)) events.push(...page);
    return { events, counts: new Map(counts) };
  }

  /** Looks at every event of the cluster, and keeps no more of them than are shown. */
  private async sieve(query: ListEventsQuery): Promise<EventsPage> {
    const passes = toEventFilter(query, await this.presence(query));
    const wanted: ReadonlySet<EventSeverity> = new Set(severitiesOf(query));
    const { limit, offset } = pageOf(query);
    const counts = new Map<EventSeverity, number>();
    const events: EventDocument[] = [];
    let place = 0;
    for await (const page of this.pages(this.findOf(conditionsOf(query), query, EVENT_SEVERITIES), 0, Infinity))
      for (const event of page) {
        if (!passes(event)) continue;
        counts.set(event.severity, (counts.get(event.severity) ?? 0) + 1);
        if (!wanted.has(event.severity)) continue;
        if (place >= offset && events.length < limit) events.push(event);
        place += 1;
      }
    return { events, counts };
  }

  private findOf(where: Find['where'], query: ListEventsQuery, severity: readonly EventSeverity[]): Find {
    return {
      collection: COLLECTIONS.events,
      where: { ...where, severity },
      orderBy: { descending: query.order === 'descending' },
    };
  }

  private async *pages(find: Find, offset: number, limit: number): AsyncIterable<readonly EventDocument[]> {
    for (let read = 0; read < limit; read += MAX_QUERY_DOCUMENTS) {
      const size = Math.min(limit - read, MAX_QUERY_DOCUMENTS);
      const found = await this.readModels.find({ ...find, offset: offset + read, limit: size });
      yield found.map(({ document }) => document);
      if (found.length < size) return;
    }
  }

  /** Whether a host still exists; read for clusters, and only when the query needs it. */
  private async presence({ cluster_id: clusterId, deleted_hosts }: ListEventsQuery): Promise<(id: string) => boolean> {
    if (!deleted_hosts || !clusterId) return () => false;
    const hosts = await this.hosts.documentsOfCluster(clusterId.toLowerCase());
    const present = new Set(hosts.map(({ id }) => id));
    return (id) => present.has(id);
  }
}
