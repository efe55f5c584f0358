import {
  CompleteInstallationBody,
  DOCUMENT_MAX_CHARACTERS,
  FinalizingProgressBody,
  V2_CLUSTER,
} from '@muster/assisted-api';
import { EventsService, IgnitionService, RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { listAt, textAt } from '@muster/schema';
import { Body, Controller, HttpCode, Param, Post, Put } from '@nestjs/common';
import { AnswersNothing, AnswersText } from '../api-document/answers.decorator';
import type { JsonAnswer } from '../http/file-answers';
import { Accepts } from '../auth/caller';
import { Context } from '../auth/request.decorators';
import { Commands } from '../bus/commands';
import { SendsAgentVersion } from '../http/headers';
import { IdPipe, TextPipe } from '../http/request.pipes';
import { ClusterViews } from '../views/cluster-views';

const REPORT = 'CLUSTER_OPERATORS_REPORT';
/** Maximum lengths in the event of a report, in characters. Conditions of operators can list all nodes and pods. */
const NAME_CHARACTERS_MAX = 100;
const INFO_CHARACTERS_MAX = 300;
const REPORT_CHARACTERS_MAX = 4_000;

/** Returns names and messages of the failed operators in the report of a controller. The report is untrusted and may have any shape. */
export function failedOperatorsOf(data: object | undefined): readonly string[] {
  return listAt(data, REPORT).flatMap((entry) => {
    const [name, info] = [textAt(entry, 'name'), textAt(entry, 'status_info')];
    if (textAt(entry, 'status') !== 'failed' || name === undefined) return [];
    const shown = name.slice(0, NAME_CHARACTERS_MAX);
    return [info ? `${shown} (${info.slice(0, INFO_CHARACTERS_MAX)})` : shown];
  });
}

@Controller('v2/clusters/:cluster_id')
export class InstallationController {
  constructor(
    private readonly commands: Commands,
    private readonly clusters: ClusterViews,
  ) {}

  @Post('actions/install')
  @HttpCode(202)
  @AnswersText('Install a cluster.', V2_CLUSTER)
  @Accepts('userAuth')
  async installCluster(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Context() context: CommandContext,
  ): Promise<JsonAnswer> {
    await this.commands.execute(RegistrationService.method.installCluster, { clusterId }, context);
    return this.clusters.show(clusterId);
  }

  @Post('actions/cancel')
  @HttpCode(202)
  @AnswersText('Cancel the installation of a cluster.', V2_CLUSTER)
  @Accepts('userAuth')
  async cancelInstallation(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Context() context: CommandContext,
  ): Promise<JsonAnswer> {
    await this.commands.execute(RegistrationService.method.cancelInstallation, { clusterId }, context);
    return this.clusters.show(clusterId);
  }

  @Post('actions/reset')
  @HttpCode(202)
  @AnswersText('Reset a cancelled or failed installation.', V2_CLUSTER)
  @Accepts('userAuth')
  async resetCluster(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Context() context: CommandContext,
  ): Promise<JsonAnswer> {
    await this.commands.execute(RegistrationService.method.resetCluster, { clusterId }, context);
    return this.clusters.show(clusterId);
  }

  @Put('progress')
  @HttpCode(200)
  @AnswersNothing('Report the finalizing stage of a cluster.')
  @Accepts('agentAuth')
  async reachFinalizingStage(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Body() { finalizing_stage: stage = '' }: FinalizingProgressBody,
    @Context() context: CommandContext,
  ): Promise<void> {
    // The controller reads the cluster next, to learn whether this stage has timed out.
    await this.commands.execute(RegistrationService.method.reachFinalizingStage, { clusterId, stage }, context);
  }

  @Post('uploads/ingress-cert')
  @HttpCode(201)
  @SendsAgentVersion()
  @AnswersNothing('Upload the ingress CA certificates of a cluster for its kubeconfig.')
  @Accepts('agentAuth')
  async acceptIngressCertificate(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Body(new TextPipe(DOCUMENT_MAX_CHARACTERS)) certificate: string,
    @Context() context: CommandContext,
  ): Promise<void> {
    await this.clusters.document(clusterId);
    const caBundlePem = Buffer.from(certificate, 'utf8').toString('base64');
    await this.commands.send(IgnitionService.method.acceptIngressCa, { clusterId, caBundlePem }, context);
  }

  /**
   * The reports of the operators determine completion. This report of a controller is only recorded in the event log.
   */
  @Post('actions/complete-installation')
  @HttpCode(202)
  @SendsAgentVersion()
  @AnswersText('Report the end of an installation.', V2_CLUSTER)
  @Accepts('agentAuth')
  async completeInstallation(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Body() body: CompleteInstallationBody,
    @Context() context: CommandContext,
  ): Promise<JsonAnswer> {
    const cluster = await this.clusters.show(clusterId);
    const failed = body.is_success ? [] : failedOperatorsOf(body.data);
    if (failed.length > 0) {
      // A cut can be within a character.
      const report = failed.join(', ').slice(0, REPORT_CHARACTERS_MAX).toWellFormed();
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
      await this.commands.send(EventsService.method.recordNote, { note }, context);
    }
    return cluster;
  }
}
