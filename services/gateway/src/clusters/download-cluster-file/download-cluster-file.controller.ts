import { Controller, Get, type StreamableFile } from '@nestjs/common';
import { ClusterFileQuery } from '@muster/assisted-api';
import type { CommandContext } from '@muster/event-sourcing';
import { AnswersFile } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { attachment } from '../../http/attachment';
import { Id, QueryOf, SendsAgentVersion } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';
import { Artifacts } from '../artifacts';
import { refuseBeforeFilesExist } from '../download-gate';

@Controller('v2/clusters/:cluster_id/downloads/files')
export class DownloadClusterFileController {
  constructor(
    private readonly clusters: ClusterViews,
    private readonly artifacts: Artifacts,
  ) {}

  @Get()
  @SendsAgentVersion()
  @AnswersFile('Gives a file that the cluster is installed with.', { isEarlyAtTimes: true })
  @Accepts('userAuth', 'agentAuth', 'urlAuth')
  async handle(
    @Id('cluster_id') clusterId: string,
    @QueryOf(ClusterFileQuery) { file_name: name }: ClusterFileQuery,
    @Context() context: CommandContext,
  ): Promise<StreamableFile> {
    refuseBeforeFilesExist(await this.clusters.document(clusterId), name);
    return attachment(await this.artifacts.read(clusterId, name, context), name);
  }
}
