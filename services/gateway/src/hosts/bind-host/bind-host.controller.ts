import { Controller, HttpCode, Post } from '@nestjs/common';
import { BindHostBody, V2_HOST, type V2Host } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import type { Caller } from '../../auth/caller';
import { Context, Who } from '../../auth/command-context.decorator';
import { Ownership } from '../../auth/ownership';
import { Commands } from '../../bus/commands';
import { FailureLog } from '../../bus/failure-log';
import { Id, JsonBody } from '../../http/parameters.decorators';
import { HostViews } from '../../views/host-views';

@Controller('v2/infra-envs/:infra_env_id/hosts/:host_id/actions/bind')
export class BindHostController {
  constructor(
    private readonly commands: Commands,
    private readonly hosts: HostViews,
    private readonly failures: FailureLog,
    private readonly ownership: Ownership,
  ) {}

  @Post()
  @HttpCode(200)
  @Answers('Makes a host of the pool a host of a cluster.', V2_HOST)
  @Accepts('userAuth')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @Id('host_id') hostId: string,
    @JsonBody(BindHostBody) body: BindHostBody,
    @Context() context: CommandContext,
    @Who() caller: Caller,
  ): Promise<V2Host> {
    const clusterId = body.cluster_id.toLowerCase();
    await this.ownership.check(caller, 'write', { clusterId });
    await this.failures.around({ name: 'host_bind_failed', infraEnvId, hostId, clusterId }, context, () =>
      this.commands.execute(RegistrationService.method.bindHost, { infraEnvId, hostId, clusterId }, context),
    );
    return this.hosts.show(infraEnvId, hostId);
  }
}
