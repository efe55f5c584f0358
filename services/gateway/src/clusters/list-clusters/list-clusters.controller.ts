import { Controller, Get, type StreamableFile } from '@nestjs/common';
import { type ClusterDocument, list, ListClustersQuery, V2_CLUSTER } from '@muster/assisted-api';
import { AnswersText } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import type { Caller } from '../../auth/caller';
import { Who } from '../../auth/command-context.decorator';
import { Ownership } from '../../auth/ownership';
import { WithDeleted } from '../../auth/with-deleted.decorator';
import { jsonPieces } from '../../http/json-pieces';
import { QueryOf } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';

@Controller('v2/clusters')
export class ListClustersController {
  constructor(
    private readonly clusters: ClusterViews,
    private readonly ownership: Ownership,
  ) {}

  @Get()
  @AnswersText('Lists the clusters that whoever asks may see.', list(V2_CLUSTER))
  @Accepts('userAuth', 'watcherAuth')
  async handle(
    @QueryOf(ListClustersQuery) query: ListClustersQuery,
    @Who() caller: Caller,
    @WithDeleted() withDeleted: boolean,
  ): Promise<StreamableFile> {
    const isWanted = toFilter(query);
    const filter = (cluster: ClusterDocument): boolean => isWanted(cluster) && this.ownership.shows(caller, cluster);
    return jsonPieces(await this.clusters.list(filter, { withHosts: query.with_hosts ?? false, withDeleted }));
  }
}

function toFilter(query: ListClustersQuery): (cluster: ClusterDocument) => boolean {
  const { openshift_cluster_id: openshiftClusterId, owner } = query;
  // No cluster has a subscription here, so a filter by subscription leaves nothing.
  const bySubscription = (query.ams_subscription_ids ?? []).length > 0;
  return (cluster) =>
    !bySubscription &&
    (!openshiftClusterId || cluster.openshift_cluster_id === openshiftClusterId) &&
    (!owner || cluster.user_name === owner);
}
