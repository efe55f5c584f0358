import { Type } from '@sinclair/typebox';
import { ListEventsQuery, presentEvent, TriggerEventBody, V2_EVENT, type V2Event } from '@muster/assisted-api';
import { EventsService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Body, Controller, Get, HttpCode, Post, Query, Req, Res } from '@nestjs/common';
import type { FastifyReply, FastifyRequest } from 'fastify';
import { Answers, AnswersNothing } from '../api-document/answers.decorator';
import { Accepts } from '../auth/accepts.decorator';
import type { Caller } from '../auth/caller';
import { Context, Who } from '../auth/command-context.decorator';
import { RequestRates } from '../auth/request-rates';
import { Commands } from '../bus/commands';
import { EVENT_COUNT_HEADERS } from '../http/event-count-headers';
import { EventPages } from './event-pages';
import { parseEventProps } from './event-props';
import { EventScopes } from './event-scopes';
import { toCountHeaders } from './event-selection';

@Controller('v2/events')
export class EventsController {
  constructor(
    private readonly pages: EventPages,
    private readonly visible: EventScopes,
    private readonly commands: Commands,
    private readonly rates: RequestRates,
  ) {}

  @Get()
  @Answers('List events, oldest first by default.', Type.Array(V2_EVENT), {
    headers: EVENT_COUNT_HEADERS,
    namesOthers: true,
  })
  @Accepts('userAuth', 'urlAuth', 'watcherAuth')
  async listEvents(
    @Query() query: ListEventsQuery,
    @Req() request: FastifyRequest,
    @Res({ passthrough: true }) reply: FastifyReply,
  ): Promise<readonly V2Event[]> {
    if (this.visible.hasNothingToShow(request.caller, query)) {
      void reply.headers(toCountHeaders(query, new Map()));
      return [];
    }
    const infraEnvIds = await this.visible.infraEnvsOf(request.caller, query);
    const { events, counts } = await this.pages.read(query, infraEnvIds);
    void reply.headers(toCountHeaders(query, counts));
    return events.map(presentEvent);
  }

  @Post()
  @HttpCode(201)
  @AnswersNothing('Add an event to the event log.', { namesOthers: true })
  @Accepts('agentAuth')
  async triggerEvent(
    @Body() body: TriggerEventBody,
    @Context() context: CommandContext,
    @Who() caller: Caller,
  ): Promise<void> {
    this.rates.countEvent(caller);
    const note = {
      name: body.name ?? '',
      severity: body.severity,
      category: body.category ?? 'user',
      message: body.message,
      clusterId: body.cluster_id?.toLowerCase() ?? '',
      hostId: body.host_id?.toLowerCase() ?? '',
      infraEnvId: body.infra_env_id?.toLowerCase() ?? '',
      props: parseEventProps(body.props),
    };
    await this.commands.ask(EventsService.method.recordNote, { note }, context);
  }
}
