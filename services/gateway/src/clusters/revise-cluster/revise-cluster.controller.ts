import { Controller, HttpCode, Patch } from '@nestjs/common';
import {
  ReviseClusterBody,
  toClusterSettings,
  toOperatorBundles,
  V2_CLUSTER,
  type V2Cluster,
} from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id, JsonBody } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';
import { checkPullSecret } from '../check-pull-secret';

@Controller('v2/clusters/:cluster_id')
export class ReviseClusterController {
  constructor(
    private readonly commands: Commands,
    private readonly clusters: ClusterViews,
  ) {}

  @Patch()
  @HttpCode(201)
  @Answers('Changes the settings of a cluster; what is left out stays.', V2_CLUSTER)
  @Accepts('userAuth')
  async handle(
    @Id('cluster_id') clusterId: string,
    @JsonBody(ReviseClusterBody) body: ReviseClusterBody,
    @Context() context: CommandContext,
  ): Promise<V2Cluster> {
    if (body.pull_secret !== undefined) checkPullSecret(body.pull_secret);
    await this.commands.execute(
      RegistrationService.method.reviseCluster,
      {
        clusterId,
        changes: toClusterSettings(body),
        pullSecret: body.pull_secret,
        operatorBundles: toOperatorBundles(body.operator_bundles),
      },
      context,
    );
    return this.clusters.show(clusterId);
  }
}
