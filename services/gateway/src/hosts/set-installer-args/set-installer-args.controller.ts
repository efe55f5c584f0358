import { Controller, HttpCode, Patch } from '@nestjs/common';
import { InstallerArgsBody, V2_HOST, type V2Host } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Answers } from '../../api-document/answers.decorator';
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
  @Answers('Replaces the arguments that are handed to the program that writes the disk.', V2_HOST)
  @Accepts('userAuth')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @Id('host_id') hostId: string,
    @JsonBody(InstallerArgsBody) { args = [] }: InstallerArgsBody,
    @Context() context: CommandContext,
  ): Promise<V2Host> {
    const input = { infraEnvId, hostId, settings: { installerArgs: JSON.stringify(args) } };
    await this.commands.execute(RegistrationService.method.reviseHost, input, context);
    return this.hosts.show(infraEnvId, hostId);
  }
}
