import { Controller, Patch } from '@nestjs/common';
import { V2_HOST, type V2Host } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id, PathParam } from '../../http/parameters.decorators';
import { HostViews } from '../../views/host-views';

@Controller('v2/infra-envs/:infra_env_id/hosts/:host_id/actions/reset-validation/:validation_id')
export class ResetValidationController {
  constructor(
    private readonly commands: Commands,
    private readonly hosts: HostViews,
  ) {}

  @Patch()
  @Answers('Has a validation of a host measured again.', V2_HOST)
  @Accepts('userAuth')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @Id('host_id') hostId: string,
    @PathParam('validation_id') validationId: string,
    @Context() context: CommandContext,
  ): Promise<V2Host> {
    const request = { infraEnvId, hostId, validationId };
    await this.commands.execute(RegistrationService.method.resetHostValidation, request, context);
    return this.hosts.show(infraEnvId, hostId);
  }
}
