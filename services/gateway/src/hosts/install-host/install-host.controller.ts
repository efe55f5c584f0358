import { Controller, HttpCode, Post } from '@nestjs/common';
import { V2_HOST, type V2Host } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id } from '../../http/parameters.decorators';
import { HostViews } from '../../views/host-views';

@Controller('v2/infra-envs/:infra_env_id/hosts/:host_id/actions/install')
export class InstallHostController {
  constructor(
    private readonly commands: Commands,
    private readonly hosts: HostViews,
  ) {}

  @Post()
  @HttpCode(202)
  @Answers('Begins the installation of a host that is added to an installed cluster.', V2_HOST)
  @Accepts('userAuth')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @Id('host_id') hostId: string,
    @Context() context: CommandContext,
  ): Promise<V2Host> {
    await this.commands.execute(RegistrationService.method.installHost, { infraEnvId, hostId }, context);
    return this.hosts.show(infraEnvId, hostId);
  }
}
