import { Controller, Get, type StreamableFile } from '@nestjs/common';
import type { CommandContext } from '@muster/event-sourcing';
import { AnswersFile } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { attachment } from '../../http/attachment';
import { Id } from '../../http/parameters.decorators';
import { HostIgnition } from '../host-ignition';

/** The contract spells this one path with `infra-env` in the singular. */
@Controller('v2/infra-env/:infra_env_id/hosts/:host_id/downloads/ignition')
export class DownloadHostIgnitionController {
  constructor(private readonly ignition: HostIgnition) {}

  @Get()
  @AnswersFile('Gives the ignition document that the host is installed with.', { isEarlyAtTimes: true })
  @Accepts('userAuth', 'agentAuth')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @Id('host_id') hostId: string,
    @Context() context: CommandContext,
  ): Promise<StreamableFile> {
    const { name, content } = await this.ignition.read(infraEnvId, hostId, context);
    return attachment(content, name);
  }
}
