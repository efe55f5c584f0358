import { Controller, Get, type StreamableFile } from '@nestjs/common';
import { ShowClusterQuery, V2_CLUSTER } from '@muster/assisted-api';
import { AnswersText } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { WithDeleted } from '../../auth/with-deleted.decorator';
import { jsonPieces } from '../../http/json-pieces';
import { Id, QueryOf, SendsAgentVersion } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';

@Controller('v2/clusters/:cluster_id')
export class ShowClusterController {
  constructor(private readonly clusters: ClusterViews) {}

  @Get()
  @SendsAgentVersion()
  @AnswersText('Shows a cluster.', V2_CLUSTER)
  @Accepts('userAuth', 'agentAuth', 'watcherAuth')
  async handle(
    @Id('cluster_id') clusterId: string,
    @QueryOf(ShowClusterQuery) query: ShowClusterQuery,
    @WithDeleted() withDeleted: boolean,
  ): Promise<StreamableFile> {
    return jsonPieces(await this.clusters.text(clusterId, { withHosts: !query['exclude-hosts'], withDeleted }));
  }
}
