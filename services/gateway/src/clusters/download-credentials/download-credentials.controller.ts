import { Controller, Get, type StreamableFile } from '@nestjs/common';
import { CredentialFileQuery } from '@muster/assisted-api';
import type { CommandContext } from '@muster/event-sourcing';
import { AnswersFile } from '../../api-document/answers.decorator';
import { Accepts, OnlyRoles } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { attachment } from '../../http/attachment';
import { Id, QueryOf } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';
import { Artifacts } from '../artifacts';
import { refuseBeforeFilesExist } from '../download-gate';

/** What stands in until the file itself exists: the kubeconfig without the ingress CA works from the first minute. */
const STAND_INS: ReadonlyMap<string, string> = new Map([['kubeconfig', 'kubeconfig-noingress']]);

@Controller('v2/clusters/:cluster_id/downloads/credentials')
export class DownloadCredentialsController {
  constructor(
    private readonly clusters: ClusterViews,
    private readonly artifacts: Artifacts,
  ) {}

  @Get()
  @AnswersFile('Gives a file with which an administrator gets into the cluster.', { isEarlyAtTimes: true })
  @OnlyRoles('user')
  @Accepts('userAuth', 'agentAuth')
  async handle(
    @Id('cluster_id') clusterId: string,
    @QueryOf(CredentialFileQuery) { file_name: name }: CredentialFileQuery,
    @Context() context: CommandContext,
  ): Promise<StreamableFile> {
    refuseBeforeFilesExist(await this.clusters.document(clusterId), name);
    const content =
      (await this.artifacts.find(clusterId, name, context)) ??
      (await this.artifacts.read(clusterId, STAND_INS.get(name) ?? name, context));
    return attachment(content, name);
  }
}
