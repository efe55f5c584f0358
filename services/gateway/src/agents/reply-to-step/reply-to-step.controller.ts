import { Controller, HttpCode, Post } from '@nestjs/common';
import { StepReplyBody } from '@muster/assisted-api';
import type { CommandContext } from '@muster/event-sourcing';
import { AnswersNothing } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Id, OptionalJsonBody, SendsAgentVersion } from '../../http/parameters.decorators';
import { AgentRequests } from '../agent-desk';

@Controller('v2/infra-envs/:infra_env_id/hosts/:host_id/instructions')
export class ReplyToStepController {
  constructor(private readonly desk: AgentRequests) {}

  @Post()
  @HttpCode(204)
  @SendsAgentVersion()
  @AnswersNothing('Takes what became of a step.')
  @Accepts('agentAuth')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @Id('host_id') hostId: string,
    @OptionalJsonBody(StepReplyBody) body: StepReplyBody,
    @Context() context: CommandContext,
  ): Promise<void> {
    const { step_type: stepType = '', step_id: stepId = '', exit_code: exitCode = 0, output = '', error = '' } = body;
    await this.desk.ask('reply_to_step', { infraEnvId, hostId, stepType, stepId, exitCode, output, error }, context);
  }
}
