import { Controller, HttpCode, Post } from '@nestjs/common';
import { TriggerEventBody } from '@muster/assisted-api';
import { EventsService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { AnswersNothing } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import type { Caller } from '../../auth/caller';
import { Context, Who } from '../../auth/command-context.decorator';
import { TokenScopes } from '../../auth/token-scope.service';
import { RefusalError } from '@muster/problems';
import { Commands } from '../../bus/commands';
import { JsonBody } from '../../http/parameters.decorators';
import { parseEventProps } from './event-props';

@Controller('v2/events')
export class TriggerEventController {
  constructor(
    private readonly commands: Commands,
    private readonly scopes: TokenScopes,
  ) {}

  @Post()
  @HttpCode(201)
  @AnswersNothing('Adds an event to what is listed.', { namesOthers: true })
  @Accepts('agentAuth')
  async handle(
    @JsonBody(TriggerEventBody) body: TriggerEventBody,
    @Context() context: CommandContext,
    @Who() caller: Caller,
  ): Promise<void> {
    const ids = { infraEnvId: body.infra_env_id?.toLowerCase(), clusterId: body.cluster_id?.toLowerCase() };
    if (caller.scope && !(await this.scopes.covers(caller.scope, ids)))
      throw new RefusalError({ code: 'not-found', reason: 'There is nothing here that this token may speak of.' });
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
