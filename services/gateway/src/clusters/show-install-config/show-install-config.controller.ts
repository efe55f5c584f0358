import { Controller, Get, Header } from '@nestjs/common';
import { text } from '@muster/assisted-api';
import { IgnitionService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id } from '../../http/parameters.decorators';

@Controller('v2/clusters/:cluster_id/install-config')
export class ShowInstallConfigController {
  constructor(private readonly commands: Commands) {}

  /** One JSON string, whose text is the document. */
  @Get()
  @Header('content-type', 'application/json')
  @Answers('Shows the install-config that the cluster is installed with, as one text.', text())
  @Accepts('userAuth')
  async handle(@Id('cluster_id') clusterId: string, @Context() context: CommandContext): Promise<string> {
    const { content } = await this.commands.ask(IgnitionService.method.renderInstallConfig, { clusterId }, context);
    return JSON.stringify(Buffer.from(content, 'base64').toString());
  }
}
