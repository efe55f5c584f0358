import { Controller, HttpCode, Put } from '@nestjs/common';
import { LogsProgressBody } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { AnswersNothing } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id, JsonBody } from '../../http/parameters.decorators';

@Controller('v2/infra-envs/:infra_env_id/hosts/:host_id/logs-progress')
export class ReportHostLogsController {
  constructor(private readonly commands: Commands) {}

  @Put()
  @HttpCode(204)
  @AnswersNothing("Takes how far the collection of a host's logs has come.")
  @Accepts('agentAuth')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @Id('host_id') hostId: string,
    @JsonBody(LogsProgressBody) { logs_state: logsState }: LogsProgressBody,
    @Context() context: CommandContext,
  ): Promise<void> {
    await this.commands.ask(RegistrationService.method.recordHostLogs, { infraEnvId, hostId, logsState }, context);
  }
}
