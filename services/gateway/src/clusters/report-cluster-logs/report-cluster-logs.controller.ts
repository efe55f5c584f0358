import { Controller, HttpCode, Put } from '@nestjs/common';
import { LogsProgressBody } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { AnswersNothing } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id, JsonBody } from '../../http/parameters.decorators';

@Controller('v2/clusters/:cluster_id/logs-progress')
export class ReportClusterLogsController {
  constructor(private readonly commands: Commands) {}

  @Put()
  @HttpCode(204)
  @AnswersNothing("Takes how far the collection of the controller's logs has come.")
  @Accepts('agentAuth')
  async handle(
    @Id('cluster_id') clusterId: string,
    @JsonBody(LogsProgressBody) { logs_state: logsState }: LogsProgressBody,
    @Context() context: CommandContext,
  ): Promise<void> {
    const input = { clusterId, logsState, logsType: '', hostId: '' };
    await this.commands.ask(RegistrationService.method.recordClusterLogs, input, context);
  }
}
