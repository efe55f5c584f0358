import { BusCredentialsBody, type Static } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Body, Controller, Param, Post } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { Answers } from '../api-document/answers.decorator';
import { Accepts } from '../auth/accepts.decorator';
import { Context } from '../auth/command-context.decorator';
import { Commands } from '../bus/commands';
import { OWN_API } from '../http/paths';
import { IdPipe } from '../http/request.pipes';

const BUS_CREDENTIALS = Type.Object(
  {
    jwt: Type.String(),
    inbox_prefix: Type.String(),
    expires_at: Type.String({ format: 'date-time' }),
  },
  { title: 'bus-credentials' },
);

@Controller(OWN_API)
export class BusCredentialsController {
  constructor(private readonly commands: Commands) {}

  @Post('infra-envs/:infra_env_id/hosts/:host_id/bus-credentials')
  @Answers('Issue bus credentials for the agent of a registered host.', BUS_CREDENTIALS)
  @Accepts('agentAuth')
  async issue(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
    @Body() { public_key: publicKey }: BusCredentialsBody,
    @Context() context: CommandContext,
  ): Promise<Static<typeof BUS_CREDENTIALS>> {
    const request = { infraEnvId, hostId, publicKey };
    const { issueBusCredentials } = RegistrationService.method;
    const { jwt, inboxPrefix, expiresAt } = await this.commands.ask(issueBusCredentials, request, context);
    return { jwt, inbox_prefix: inboxPrefix, expires_at: expiresAt };
  }
}
