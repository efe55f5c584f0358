import { Controller, Delete, HttpCode } from '@nestjs/common';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { AnswersNothing } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id } from '../../http/parameters.decorators';

@Controller('v2/infra-envs/:infra_env_id/hosts/:host_id')
export class DeregisterHostController {
  constructor(private readonly commands: Commands) {}

  @Delete()
  @HttpCode(204)
  @AnswersNothing('Deletes a host.')
  @Accepts('userAuth')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @Id('host_id') hostId: string,
    @Context() context: CommandContext,
  ): Promise<void> {
    await this.commands.execute(RegistrationService.method.deregisterHost, { infraEnvId, hostId }, context);
  }
}
