import { Controller, Get, Headers } from '@nestjs/common';
import { NextStepsQuery } from '@muster/assisted-api';
import type { CommandContext } from '@muster/event-sourcing';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Id, QueryOf } from '../../http/parameters.decorators';
import { AgentDesk } from '../agent-desk';
import { presentSteps, type V2Steps } from './present-steps';

@Controller('v2/infra-envs/:infra_env_id/hosts/:host_id/instructions')
export class NextStepsController {
  constructor(private readonly desk: AgentDesk) {}

  @Get()
  @Accepts('agentAuth')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @Id('host_id') hostId: string,
    @QueryOf(NextStepsQuery) { timestamp: timestampSeconds = 0 }: NextStepsQuery,
    @Headers('discovery_agent_version') discoveryAgentVersion: string | undefined,
    @Context() context: CommandContext,
  ): Promise<V2Steps> {
    const input = { infraEnvId, hostId, discoveryAgentVersion: discoveryAgentVersion ?? '', timestampSeconds };
    return presentSteps(await this.desk.ask('next_steps', input, context));
  }
}
