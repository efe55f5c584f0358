import { BindHostBody, V2_HOST, type V2Host } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Body, Controller, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { Answers } from '../api-document/answers.decorator';
import { Accepts } from '../auth/accepts.decorator';
import { Context } from '../auth/command-context.decorator';
import { Commands } from '../bus/commands';
import { FailureLog } from '../bus/failure-log';
import { IdPipe } from '../http/request.pipes';
import { HostViews } from '../views/host-views';

@Controller('v2/infra-envs/:infra_env_id/hosts/:host_id/actions')
export class HostActionsController {
  constructor(
    private readonly commands: Commands,
    private readonly hosts: HostViews,
    private readonly failures: FailureLog,
  ) {}

  @Post('bind')
  @HttpCode(200)
  @Answers('Bind a host to a cluster.', V2_HOST)
  @Accepts('userAuth')
  async bindHost(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
    @Body() body: BindHostBody,
    @Context() context: CommandContext,
  ): Promise<V2Host> {
    const clusterId = body.cluster_id.toLowerCase();
    await this.failures.around({ name: 'host_bind_failed', infraEnvId, hostId, clusterId }, context, () =>
      this.commands.execute(RegistrationService.method.bindHost, { infraEnvId, hostId, clusterId }, context),
    );
    return this.hosts.show(infraEnvId, hostId);
  }

  @Post('unbind')
  @HttpCode(200)
  @Answers('Unbind a host from its cluster.', V2_HOST)
  @Accepts('userAuth')
  async unbindHost(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
    @Context() context: CommandContext,
  ): Promise<V2Host> {
    await this.failures.around({ name: 'host_unbind_failed', infraEnvId, hostId }, context, () =>
      this.commands.execute(RegistrationService.method.unbindHost, { infraEnvId, hostId }, context),
    );
    return this.hosts.show(infraEnvId, hostId);
  }

  @Post('install')
  @HttpCode(202)
  @Answers('Install a host that is added to an installed cluster.', V2_HOST)
  @Accepts('userAuth')
  async installHost(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
    @Context() context: CommandContext,
  ): Promise<V2Host> {
    await this.commands.execute(RegistrationService.method.installHost, { infraEnvId, hostId }, context);
    return this.hosts.show(infraEnvId, hostId);
  }

  @Post('reset')
  @HttpCode(200)
  @Answers('Reset a host that was being added to a cluster.', V2_HOST)
  @Accepts('userAuth')
  async resetHost(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
    @Context() context: CommandContext,
  ): Promise<V2Host> {
    await this.commands.execute(RegistrationService.method.resetHost, { infraEnvId, hostId }, context);
    return this.hosts.show(infraEnvId, hostId);
  }

  @Patch('reset-validation/:validation_id')
  @Answers('Measure a validation of a host again.', V2_HOST)
  @Accepts('userAuth')
  async resetValidation(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
    @Param('validation_id') validationId: string,
    @Context() context: CommandContext,
  ): Promise<V2Host> {
    const request = { infraEnvId, hostId, validationId };
    await this.commands.execute(RegistrationService.method.resetHostValidation, request, context);
    return this.hosts.show(infraEnvId, hostId);
  }
}
