import { Controller, HttpCode, Patch } from '@nestjs/common';
import { ReviseHostBody, toHostRevision, V2_HOST, type V2Host } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { RefusalError } from '@muster/problems';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id, JsonBody } from '../../http/parameters.decorators';
import { HostViews } from '../../views/host-views';

@Controller('v2/infra-envs/:infra_env_id/hosts/:host_id')
export class ReviseHostController {
  constructor(
    private readonly commands: Commands,
    private readonly hosts: HostViews,
  ) {}

  @Patch()
  @HttpCode(201)
  @Answers('Changes the settings of a host; what is left out stays.', V2_HOST)
  @Accepts('userAuth')
  async handle(
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
}
