import { Controller, HttpCode, Post } from '@nestjs/common';
import { V2_CLUSTER, type V2Cluster } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';

@Controller('v2/clusters/:cluster_id/actions')
export class AllowAddHostsController {
  constructor(
    private readonly commands: Commands,
    private readonly clusters: ClusterViews,
  ) {}

  @Post(['allow-add-hosts', 'allow-add-workers'])
  @HttpCode(202)
  @Answers('Lets hosts be added to an installed cluster.', V2_CLUSTER)
  @Accepts('userAuth')
  async handle(@Id('cluster_id') clusterId: string, @Context() context: CommandContext): Promise<V2Cluster> {
    await this.commands.execute(RegistrationService.method.allowAddHosts, { clusterId }, context);
    return this.clusters.show(clusterId);
  }
}
