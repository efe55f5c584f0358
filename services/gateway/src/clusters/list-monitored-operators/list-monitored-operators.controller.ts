import { Controller, Get } from '@nestjs/common';
import { list, MonitoredOperatorsQuery, V2_MONITORED_OPERATOR, type V2MonitoredOperator } from '@muster/assisted-api';
import { RefusalError } from '@muster/problems';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Id, QueryOf } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';

@Controller('v2/clusters/:cluster_id/monitored-operators')
export class ListMonitoredOperatorsController {
  constructor(private readonly clusters: ClusterViews) {}

  @Get()
  @Answers('Lists the operators that the installation of a cluster waits for.', list(V2_MONITORED_OPERATOR))
  @Accepts('agentAuth')
  async handle(
    @Id('cluster_id') clusterId: string,
    @QueryOf(MonitoredOperatorsQuery) { operator_name: wanted }: MonitoredOperatorsQuery,
  ): Promise<readonly V2MonitoredOperator[]> {
    const { monitored_operators: operators } = await this.clusters.document(clusterId);
    if (!wanted) return operators;
    const found = operators.filter(({ name }) => name === wanted);
    if (found.length === 0)
      throw new RefusalError({
        code: 'not-found',
        reason: 'The cluster waits for no operator of that name.',
        subject: 'operator_name',
        allowed: operators.map(({ name }) => name),
      });
    return found;
  }
}
