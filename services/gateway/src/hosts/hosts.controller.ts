import { list, ReviseHostBody, toHostRevision, V2_HOST, type V2Host } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { RefusalError } from '@muster/problems';
import { Controller, Delete, Get, HttpCode, Patch, type StreamableFile } from '@nestjs/common';
import { Answers, AnswersNothing, AnswersText } from '../api-document/answers.decorator';
import { Accepts } from '../auth/accepts.decorator';
import { Context } from '../auth/command-context.decorator';
import { Commands } from '../bus/commands';
import { jsonPieces } from '../http/json-pieces';
import { Id, JsonBody } from '../http/parameters.decorators';
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
  @AnswersText('Lists the hosts that booted from the image of an infra-env.', list(V2_HOST))
  @Accepts('userAuth', 'agentAuth')
  async listHosts(@Id('infra_env_id') infraEnvId: string): Promise<StreamableFile> {
    await this.infraEnvs.document(infraEnvId);
    return jsonPieces(await this.hosts.listOfInfraEnv(infraEnvId));
  }

  @Get(':host_id')
  @Answers('Shows a host.', V2_HOST)
  @Accepts('userAuth')
  showHost(@Id('infra_env_id') infraEnvId: string, @Id('host_id') hostId: string): Promise<V2Host> {
    return this.hosts.show(infraEnvId, hostId);
  }

  @Patch(':host_id')
  @HttpCode(201)
  @Answers('Changes the settings of a host; what is left out stays.', V2_HOST)
  @Accepts('userAuth')
  async reviseHost(
    @Id('infra_env_id') infraEnvId: string,
    @Id('host_id') hostId: string,
    @JsonBody(ReviseHostBody) body: ReviseHostBody,
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
  @AnswersNothing('Deletes a host.')
  @Accepts('userAuth')
  async deregisterHost(
    @Id('infra_env_id') infraEnvId: string,
    @Id('host_id') hostId: string,
    @Context() context: CommandContext,
  ): Promise<void> {
    await this.commands.execute(RegistrationService.method.deregisterHost, { infraEnvId, hostId }, context);
  }
}
