import { Controller, Get, type StreamableFile } from '@nestjs/common';
import { list, ListClusterHostsQuery, V2_HOST } from '@muster/assisted-api';
import { AnswersText } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { jsonPieces } from '../../http/json-pieces';
import { Id, QueryOf } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';

@Controller('v2/clusters/:cluster_id/hosts')
export class ListClusterHostsController {
  constructor(private readonly clusters: ClusterViews) {}

  @Get()
  @AnswersText('Lists the hosts of a cluster.', list(V2_HOST))
  @Accepts('userAuth', 'agentAuth')
  async handle(
    @Id('cluster_id') clusterId: string,
    @QueryOf(ListClusterHostsQuery) query: ListClusterHostsQuery,
  ): Promise<StreamableFile> {
    const hosts = await this.clusters.hostsOf(
      clusterId,
      ({ role, status }) => (!query.role || role === query.role) && (!query.status || status === query.status),
      { inventory: query['with-inventory'] ?? false, connectivity: query['with-connectivity'] ?? false },
    );
    return jsonPieces(hosts);
  }
}
