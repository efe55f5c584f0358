import { Controller, Get, type StreamableFile } from '@nestjs/common';
import { ManifestQuery } from '@muster/assisted-api';
import { IgnitionService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { AnswersFile } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { attachment } from '../../http/attachment';
import { Id, QueryOf } from '../../http/parameters.decorators';

@Controller('v2/clusters/:cluster_id/manifests/files')
export class DownloadManifestController {
  constructor(private readonly commands: Commands) {}

  @Get()
  @AnswersFile('Gives the content of a manifest.', { isEarlyAtTimes: true })
  @Accepts('userAuth')
  async handle(
    @Id('cluster_id') clusterId: string,
    @QueryOf(ManifestQuery) { folder = 'manifests', file_name: fileName }: ManifestQuery,
    @Context() context: CommandContext,
  ): Promise<StreamableFile> {
    const place = { clusterId, folder, fileName };
    const { content } = await this.commands.ask(IgnitionService.method.readManifest, place, context);
    // A name that exists has been checked when it was given; the header takes nothing else.
    return attachment(Buffer.from(content, 'base64'), fileName.replace(/[^\w.-]/g, '_'));
  }
}
