import { Controller, HttpCode, Put } from '@nestjs/common';
import { HostProgressBody } from '@muster/assisted-api';
import type { CommandContext } from '@muster/event-sourcing';
import { AnswersNothing } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Id, JsonBody, SendsAgentVersion } from '../../http/parameters.decorators';
import { AgentRequests } from '../agent-desk';

@Controller('v2/infra-envs/:infra_env_id/hosts/:host_id/progress')
export class ReportProgressController {
  constructor(private readonly desk: AgentRequests) {}

  @Put()
  @HttpCode(200)
  @SendsAgentVersion()
  @AnswersNothing('Takes the stage that the installation of a host has reached.')
  @Accepts('agentAuth')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @Id('host_id') hostId: string,
    @JsonBody(HostProgressBody) { current_stage: stage, progress_info: progressInfo = '' }: HostProgressBody,
    @Context() context: CommandContext,
  ): Promise<void> {
    await this.desk.ask('report_progress', { infraEnvId, hostId, stage, progressInfo }, context);
  }
}
