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
export class CancelInstallationController {
  constructor(
    private readonly commands: Commands,
    private readonly clusters: ClusterViews,
  ) {}

  @Post('cancel')
  @HttpCode(202)
  @Answers('Stops the installation of a cluster.', V2_CLUSTER)
  @Accepts('userAuth')
  async handle(@Id('cluster_id') clusterId: string, @Context() context: CommandContext): Promise<V2Cluster> {
    await this.commands.execute(RegistrationService.method.cancelInstallation, { clusterId }, context);
    return this.clusters.show(clusterId);
  }
}
