import { Controller, Get, Req, Res } from '@nestjs/common';
import { list, ListEventsQuery, presentEvent, V2_EVENT, type V2Event } from '@muster/assisted-api';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { QueryOf } from '../../http/parameters.decorators';
import { EventPages } from './event-pages';
import { EventScopes } from './event-scopes';
import { toCountHeaders } from './event-selection';
import { EVENT_COUNT_HEADERS } from './event-count-headers';

@Controller('v2/events')
export class ListEventsController {
  constructor(
    private readonly pages: EventPages,
    private readonly scopes: EventScopes,
  ) {}

  @Get()
  @Answers('Lists what happened, oldest first unless asked otherwise.', list(V2_EVENT), {
    headers: EVENT_COUNT_HEADERS,
    namesOthers: true,
  })
  @Accepts('userAuth', 'urlAuth', 'watcherAuth')
  async handle(
    @QueryOf(ListEventsQuery) query: ListEventsQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<readonly V2Event[]> {
    if (this.scopes.hasNothingToShow(request.caller, query)) {
      void reply.headers(toCountHeaders(query, new Map()));
      return [];
    }
    await this.scopes.check(request.caller, query);
    const { events, counts } = await this.pages.read(query);
    void reply.headers(toCountHeaders(query, counts));
    return events.map(presentEvent);
  }
}
