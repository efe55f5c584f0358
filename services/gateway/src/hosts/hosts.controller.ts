import { BindHostBody, ReviseHostBody, toHostRevision, UnbindHostQuery, V2_HOST } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { RefusalError } from '@muster/problems';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, Post, Query } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { AnswersNothing, AnswersText } from '../api-document/answers.decorator';
import { Accepts } from '../auth/caller';
import { Context } from '../auth/request.decorators';
import { Commands } from '../bus/commands';
import { type JsonAnswer, jsonPieces } from '../http/file-answers';
import { IdPipe } from '../http/request.pipes';
import { HostViews } from '../views/host-views';
import { InfraEnvViews } from '../views/infra-env-views';

@Controller('v2/infra-envs/:infra_env_id/hosts')
export class HostsController {
  constructor(
    private readonly infraEnvs: InfraEnvViews,
    private readonly hosts: HostViews,
    private readonly commands: Commands,
  ) {}

  @Get()
  @AnswersText('List the hosts of an infra-env.', Type.Array(V2_HOST))
  @Accepts('userAuth', 'agentAuth')
  async listHosts(@Param('infra_env_id', IdPipe) infraEnvId: string): Promise<JsonAnswer> {
    await this.infraEnvs.document(infraEnvId);
    return jsonPieces(await this.hosts.listOfInfraEnv(infraEnvId));
  }

  @Get(':host_id')
  @AnswersText('Show a host.', V2_HOST)
  @Accepts('userAuth')
  showHost(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
  ): Promise<JsonAnswer> {
    return this.hosts.show(infraEnvId, hostId);
  }

  @Patch(':host_id')
  @HttpCode(201)
  @AnswersText('Update the settings of a host. Absent fields do not change.', V2_HOST)
  @Accepts('userAuth')
  async reviseHost(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
    @Body() body: ReviseHostBody,
    @Context() context: CommandContext,
  ): Promise<JsonAnswer> {
    await this.hosts.document(infraEnvId, hostId);
    const revision = toHostRevision(body);
    if ('refusal' in revision) throw new RefusalError(revision.refusal);
    const input = { infraEnvId, hostId, ...revision };
    await this.commands.execute(RegistrationService.method.reviseHost, input, context);
    return this.hosts.show(infraEnvId, hostId);
  }

  @Delete(':host_id')
  @HttpCode(204)
  @AnswersNothing('Delete a host.')
  @Accepts('userAuth')
  async deregisterHost(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
    @Context() context: CommandContext,
  ): Promise<void> {
    await this.commands.execute(RegistrationService.method.deregisterHost, { infraEnvId, hostId }, context);
  }
}

@Controller('v2/infra-envs/:infra_env_id/hosts/:host_id/actions')
export class HostActionsController {
  constructor(
    private readonly commands: Commands,
    private readonly hosts: HostViews,
  ) {}

  @Post('bind')
  @HttpCode(200)
  @AnswersText('Bind a host to a cluster.', V2_HOST)
  @Accepts('userAuth')
  async bindHost(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
    @Body() body: BindHostBody,
    @Context() context: CommandContext,
  ): Promise<JsonAnswer> {
    const clusterId = body.cluster_id.toLowerCase();
    await this.commands.execute(RegistrationService.method.bindHost, { infraEnvId, hostId, clusterId }, context);
    return this.hosts.show(infraEnvId, hostId);
  }

  @Post('unbind')
  @HttpCode(200)
  @AnswersText('Unbind a host from its cluster.', V2_HOST)
  @Accepts('userAuth')
  async unbindHost(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
    @Query() { reclaim = false }: UnbindHostQuery,
    @Context() context: CommandContext,
  ): Promise<JsonAnswer> {
    await this.commands.execute(RegistrationService.method.unbindHost, { infraEnvId, hostId, reclaim }, context);
    return this.hosts.show(infraEnvId, hostId);
  }

  @Post('install')
  @HttpCode(202)
  @AnswersText('Install a host that is added to an installed cluster.', V2_HOST)
  @Accepts('userAuth')
  async installHost(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
    @Context() context: CommandContext,
  ): Promise<JsonAnswer> {
    await this.commands.execute(RegistrationService.method.installHost, { infraEnvId, hostId }, context);
    return this.hosts.show(infraEnvId, hostId);
  }

  @Post('reset')
  @HttpCode(200)
  @AnswersText('Reset a host that was being added to a cluster.', V2_HOST)
  @Accepts('userAuth')
  async resetHost(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
    @Context() context: CommandContext,
  ): Promise<JsonAnswer> {
    await this.commands.execute(RegistrationService.method.resetHost, { infraEnvId, hostId }, context);
    return this.hosts.show(infraEnvId, hostId);
  }

  @Patch('reset-validation/:validation_id')
  @AnswersText('Measure a validation of a host again.', V2_HOST)
  @Accepts('userAuth')
  async resetValidation(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
    @Param('validation_id') validationId: string,
    @Context() context: CommandContext,
  ): Promise<JsonAnswer> {
    const request = { infraEnvId, hostId, validationId };
    await this.commands.execute(RegistrationService.method.resetHostValidation, request, context);
    return this.hosts.show(infraEnvId, hostId);
  }
}
