import { Controller, Get, Inject, Req, Res } from '@nestjs/common';
import { COLLECTIONS, type EventDocument, ListEventsQuery, presentEvent, type V2Event } from '@muster/assisted-api';
import { type Platform, PLATFORM } from '@muster/nest-kit';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Accepts } from '../../auth/accepts.decorator';
import { QueryOf } from '../../http/parameters.decorators';
import { collect, findAll } from '../../views/documents';
import { HostViews } from '../../views/host-views';
import { EventScopes } from './event-scopes';
import { pageOf, scopeOf, toCountHeaders, toEventFilter } from './event-selection';

@Controller('v2/events')
export class ListEventsController {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly hosts: HostViews,
    private readonly scopes: EventScopes,
  ) {}

  @Get()
  @Accepts('userAuth', 'urlAuth', 'watcherAuth')
  async handle(
    @QueryOf(ListEventsQuery) query: ListEventsQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<readonly V2Event[]> {
    await this.scopes.check(request.caller, query);
    const matching = await this.matching(query);
    const listed = query.severities?.length
      ? matching.filter(({ severity }) => query.severities?.includes(severity))
      : matching;
    void reply.headers(toCountHeaders(query, matching, listed.length));
    return pageOf(query, listed).map(presentEvent);
  }

  private async matching(query: ListEventsQuery): Promise<readonly EventDocument[]> {
    const present = new Set<string>();
    if (query.deleted_hosts && query.cluster_id) {
      const hosts = await this.hosts.documentsOfCluster(query.cluster_id.toLowerCase());
      hosts.forEach(({ id }) => present.add(id));
    }
    const filter = toEventFilter(query, (hostId) => present.has(hostId));
    const events = await collect(
      findAll<EventDocument>(this.platform.readModels, { collection: COLLECTIONS.events, where: scopeOf(query) }),
    );
    const matching = events.filter(filter);
    return query.order === 'descending' ? matching.reverse() : matching;
  }
}
