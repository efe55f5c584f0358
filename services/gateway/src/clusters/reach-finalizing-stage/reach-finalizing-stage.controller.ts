import { Controller, HttpCode, Put } from '@nestjs/common';
import { FinalizingProgressBody } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id, JsonBody } from '../../http/parameters.decorators';

@Controller('v2/clusters/:cluster_id/progress')
export class ReachFinalizingStageController {
  constructor(private readonly commands: Commands) {}

  @Put()
  @HttpCode(200)
  @Accepts('agentAuth')
  async handle(
    @Id('cluster_id') clusterId: string,
    @JsonBody(FinalizingProgressBody) { finalizing_stage: stage = '' }: FinalizingProgressBody,
    @Context() context: CommandContext,
  ): Promise<void> {
    await this.commands.ask(RegistrationService.method.reachFinalizingStage, { clusterId, stage }, context);
  }
}
