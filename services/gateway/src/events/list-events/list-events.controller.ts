import { Controller, Get, Req, Res } from '@nestjs/common';
import { ListEventsQuery, presentEvent, type V2Event } from '@muster/assisted-api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Accepts } from '../../auth/accepts.decorator';
import { QueryOf } from '../../http/parameters.decorators';
import { EventPages } from './event-pages';
import { EventScopes } from './event-scopes';
import { toCountHeaders } from './event-selection';

@Controller('v2/events')
export class ListEventsController {
  constructor(
    private readonly pages: EventPages,
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
    const { events, counts } = await this.pages.read(query);
    void reply.headers(toCountHeaders(query, counts));
    return events.map(presentEvent);
  }
}
