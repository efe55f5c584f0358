import { Controller, Param, Patch } from '@nestjs/common';
import { type V2Host } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id } from '../../http/parameters.decorators';
import { HostViews } from '../../views/host-views';

@Controller('v2/infra-envs/:infra_env_id/hosts/:host_id/actions/reset-validation/:validation_id')
export class ResetValidationController {
  constructor(
    private readonly commands: Commands,
    private readonly hosts: HostViews,
  ) {}

  @Patch()
  @Accepts('userAuth')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @Id('host_id') hostId: string,
    @Param('validation_id') validationId: string,
    @Context() context: CommandContext,
  ): Promise<V2Host> {
    const request = { infraEnvId, hostId, validationId };
    await this.commands.carryOut(RegistrationService.method.resetHostValidation, request, context);
    return this.hosts.show(infraEnvId, hostId);
  }
}
