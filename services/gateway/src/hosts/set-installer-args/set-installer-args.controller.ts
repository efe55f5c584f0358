import { Controller, HttpCode, Patch } from '@nestjs/common';
import { InstallerArgsBody, type V2Host } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id, JsonBody } from '../../http/parameters.decorators';
import { HostViews } from '../../views/host-views';

@Controller('v2/infra-envs/:infra_env_id/hosts/:host_id/installer-args')
export class SetInstallerArgsController {
  constructor(
    private readonly commands: Commands,
    private readonly hosts: HostViews,
  ) {}

  @Patch()
  @HttpCode(201)
  @Accepts('userAuth')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @Id('host_id') hostId: string,
    @JsonBody(InstallerArgsBody) { args = [] }: InstallerArgsBody,
    @Context() context: CommandContext,
  ): Promise<V2Host> {
    const input = { infraEnvId, hostId, settings: { installerArgs: JSON.stringify(args) } };
    await this.commands.carryOut(RegistrationService.method.reviseHost, input, context);
    return this.hosts.show(infraEnvId, hostId);
  }
}
