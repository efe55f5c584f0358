import { Controller, Get } from '@nestjs/common';
import { NextStepsQuery } from '@muster/assisted-api';
import type { CommandContext } from '@muster/event-sourcing';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Id, OptionalHeader, QueryOf } from '../../http/parameters.decorators';
import { AgentRequests } from '../agent-desk';
import { presentSteps, V2_STEPS, type V2Steps } from './present-steps';

@Controller('v2/infra-envs/:infra_env_id/hosts/:host_id/instructions')
export class NextStepsController {
  constructor(private readonly desk: AgentRequests) {}

  @Get()
  @Answers('Tells an agent what to do, and when to ask again.', V2_STEPS)
  @Accepts('agentAuth')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @Id('host_id') hostId: string,
    @QueryOf(NextStepsQuery) { timestamp: timestampSeconds = 0 }: NextStepsQuery,
    @OptionalHeader('discovery_agent_version') discoveryAgentVersion: string | undefined,
    @Context() context: CommandContext,
  ): Promise<V2Steps> {
    const input = { infraEnvId, hostId, discoveryAgentVersion: discoveryAgentVersion ?? '', timestampSeconds };
    return presentSteps(await this.desk.ask('next_steps', input, context));
  }
}
