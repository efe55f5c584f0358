import { Controller, HttpCode, Post } from '@nestjs/common';
import { CompleteInstallationBody, V2_CLUSTER, type V2Cluster } from '@muster/assisted-api';
import { EventsService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id, JsonBody, SendsAgentVersion } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';
import { failedOperatorsOf } from './failed-operators';

/** Completion follows from the operators' reports; what a controller says here is only written down. */
@Controller('v2/clusters/:cluster_id/actions/complete-installation')
export class CompleteInstallationController {
  constructor(
    private readonly commands: Commands,
    private readonly clusters: ClusterViews,
  ) {}

  @Post()
  @HttpCode(202)
  @SendsAgentVersion()
  @Answers('Takes what the controller says at the end of an installation.', V2_CLUSTER)
  @Accepts('agentAuth')
  async handle(
    @Id('cluster_id') clusterId: string,
    @JsonBody(CompleteInstallationBody) body: CompleteInstallationBody,
    @Context() context: CommandContext,
  ): Promise<V2Cluster> {
    const cluster = await this.clusters.show(clusterId);
    const failed = body.is_success ? [] : failedOperatorsOf(body.data);
    if (failed.length > 0) {
      const report = failed.join(', ');
      const note = {
        name: 'cluster_operator_report',
        severity: 'info',
        category: 'user',
        message: `Cluster operators reported as failed: ${report}`,
        clusterId,
        hostId: '',
        infraEnvId: '',
        props: { cluster_id: clusterId, report },
      };
      await this.commands.ask(EventsService.method.recordNote, { note }, context);
    }
    return cluster;
  }
}
