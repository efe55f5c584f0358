import { Type } from '@sinclair/typebox';
import { ReviseHostBody, toHostRevision, V2_HOST, type V2Host } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { RefusalError } from '@muster/problems';
import { Body, Controller, Delete, Get, HttpCode, Param, Patch, type StreamableFile } from '@nestjs/common';
import { Answers, AnswersNothing, AnswersText } from '../api-document/answers.decorator';
import { Accepts } from '../auth/accepts.decorator';
import { Context } from '../auth/command-context.decorator';
import { Commands } from '../bus/commands';
import { jsonPieces } from '../http/json-pieces';
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
  async listHosts(@Param('infra_env_id', IdPipe) infraEnvId: string): Promise<StreamableFile> {
    await this.infraEnvs.document(infraEnvId);
    return jsonPieces(await this.hosts.listOfInfraEnv(infraEnvId));
  }

  @Get(':host_id')
  @Answers('Show a host.', V2_HOST)
  @Accepts('userAuth')
  showHost(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
  ): Promise<V2Host> {
    return this.hosts.show(infraEnvId, hostId);
  }

  @Patch(':host_id')
  @HttpCode(201)
  @Answers('Update the settings of a host. Absent fields do not change.', V2_HOST)
  @Accepts('userAuth')
  async reviseHost(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
    @Body() body: ReviseHostBody,
    @Context() context: CommandContext,
  ): Promise<V2Host> {
    const host = await this.hosts.document(infraEnvId, hostId);
    const revision = toHostRevision(body, host.skip_formatting_disks ?? '');
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
