import { Controller, HttpCode, Post } from '@nestjs/common';
import { DOCUMENT_MAX_CHARACTERS } from '@muster/assisted-api';
import { IgnitionService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { AnswersNothing } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id, SendsAgentVersion, TextBody } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';

@Controller('v2/clusters/:cluster_id/uploads/ingress-cert')
export class AcceptIngressCertificateController {
  constructor(
    private readonly commands: Commands,
    private readonly clusters: ClusterViews,
  ) {}

  @Post()
  @HttpCode(201)
  @SendsAgentVersion()
  @AnswersNothing("Takes the certificates that the cluster's ingress shows, so that its kubeconfig can trust them.")
  @Accepts('agentAuth')
  async handle(
    @Id('cluster_id') clusterId: string,
    @TextBody(DOCUMENT_MAX_CHARACTERS) certificate: string,
    @Context() context: CommandContext,
  ): Promise<void> {
    await this.clusters.document(clusterId);
    const caBundlePem = Buffer.from(certificate, 'utf8').toString('base64');
    await this.commands.ask(IgnitionService.method.acceptIngressCa, { clusterId, caBundlePem }, context);
  }
}
