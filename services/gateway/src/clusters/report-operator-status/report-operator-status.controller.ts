import { Controller, HttpCode, Put } from '@nestjs/common';
import { OperatorReportBody } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { AnswersNothing } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id, JsonBody } from '../../http/parameters.decorators';

@Controller('v2/clusters/:cluster_id/monitored-operators')
export class ReportOperatorStatusController {
  constructor(private readonly commands: Commands) {}

  @Put()
  @HttpCode(200)
  @AnswersNothing('Takes how an operator of the cluster fares.')
  @Accepts('agentAuth')
  async handle(
    @Id('cluster_id') clusterId: string,
    @JsonBody(OperatorReportBody) body: OperatorReportBody,
    @Context() context: CommandContext,
  ): Promise<void> {
    const { name, status = '', status_info: statusInfo = '', version = '' } = body;
    const input = { clusterId, name, status, statusInfo, version };
    await this.commands.ask(RegistrationService.method.reportOperatorStatus, input, context);
  }
}
