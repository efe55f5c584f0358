import { Controller, Get } from '@nestjs/common';
import { ShowClusterQuery, type V2Cluster } from '@muster/assisted-api';
import { Accepts } from '../../auth/accepts.decorator';
import { Id, QueryOf } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';

@Controller('v2/clusters/:cluster_id')
export class ShowClusterController {
  constructor(private readonly clusters: ClusterViews) {}

  @Get()
  @Accepts('userAuth', 'agentAuth', 'watcherAuth')
  handle(@Id('cluster_id') clusterId: string, @QueryOf(ShowClusterQuery) query: ShowClusterQuery): Promise<V2Cluster> {
    return this.clusters.show(clusterId, { withHosts: !query['exclude-hosts'] });
  }
}
