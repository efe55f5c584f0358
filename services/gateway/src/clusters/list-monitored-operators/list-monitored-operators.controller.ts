import { Controller, Get } from '@nestjs/common';
import { MonitoredOperatorsQuery, type V2MonitoredOperator } from '@muster/assisted-api';
import { Accepts } from '../../auth/accepts.decorator';
import { Id, QueryOf } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';

@Controller('v2/clusters/:cluster_id/monitored-operators')
export class ListMonitoredOperatorsController {
  constructor(private readonly clusters: ClusterViews) {}

  @Get()
  @Accepts('agentAuth')
  async handle(
    @Id('cluster_id') clusterId: string,
    @QueryOf(MonitoredOperatorsQuery) { operator_name: wanted }: MonitoredOperatorsQuery,
  ): Promise<readonly V2MonitoredOperator[]> {
    const { monitored_operators: operators } = await this.clusters.document(clusterId);
    return wanted ? operators.filter(({ name }) => name === wanted) : operators;
  }
}
