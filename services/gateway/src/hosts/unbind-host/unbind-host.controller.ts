import { Controller, HttpCode, Post } from '@nestjs/common';
import { V2_HOST, type V2Host } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { FailureLog } from '../../bus/failure-log';
import { Id } from '../../http/parameters.decorators';
import { HostViews } from '../../views/host-views';

@Controller('v2/infra-envs/:infra_env_id/hosts/:host_id/actions/unbind')
export class UnbindHostController {
  constructor(
    private readonly commands: Commands,
    private readonly hosts: HostViews,
    private readonly failures: FailureLog,
  ) {}

  @Post()
  @HttpCode(200)
  @Answers('Gives a host of a cluster back to the pool.', V2_HOST)
  @Accepts('userAuth')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @Id('host_id') hostId: string,
    @Context() context: CommandContext,
  ): Promise<V2Host> {
    await this.failures.around({ name: 'host_unbind_failed', infraEnvId, hostId }, context, () =>
      this.commands.execute(RegistrationService.method.unbindHost, { infraEnvId, hostId }, context),
    );
    return this.hosts.show(infraEnvId, hostId);
  }
}
