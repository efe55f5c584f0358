import { Controller, HttpCode, Put } from '@nestjs/common';
import { FinalizingProgressBody } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { AnswersNothing } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id, JsonBody } from '../../http/parameters.decorators';

@Controller('v2/clusters/:cluster_id/progress')
export class ReachFinalizingStageController {
  constructor(private readonly commands: Commands) {}

  @Put()
  @HttpCode(200)
  @AnswersNothing('Takes how far the controller has come with finishing the cluster.')
  @Accepts('agentAuth')
  async handle(
    @Id('cluster_id') clusterId: string,
    @JsonBody(FinalizingProgressBody) { finalizing_stage: stage = '' }: FinalizingProgressBody,
    @Context() context: CommandContext,
  ): Promise<void> {
    await this.commands.ask(RegistrationService.method.reachFinalizingStage, { clusterId, stage }, context);
  }
}
