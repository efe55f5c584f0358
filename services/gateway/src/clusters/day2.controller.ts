import { ImportClusterBody, toApiName, V2_CLUSTER } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { IDS } from '@muster/nest-kit';
import type { Ids } from '@muster/ports';
import { Body, Controller, HttpCode, Inject, Param, Post } from '@nestjs/common';
import { AnswersText } from '../api-document/answers.decorator';
import type { JsonAnswer } from '../http/file-answers';
import { Accepts } from '../auth/caller';
import { Context, isRepeatable, newResourceId } from '../auth/request.decorators';
import { Commands } from '../bus/commands';
import { IdPipe } from '../http/request.pipes';
import { ClusterViews } from '../views/cluster-views';

@Controller('v2/clusters')
export class Day2Controller {
  constructor(
    @Inject(IDS) private readonly ids: Ids,
    private readonly commands: Commands,
    private readonly clusters: ClusterViews,
  ) {}

  /** Registers an existing cluster, so that hosts can be added to it. */
  @Post('import')
  @HttpCode(201)
  @AnswersText('Import a cluster that was installed elsewhere, so that hosts can be added to it.', V2_CLUSTER)
  @Accepts('userAuth')
  async importCluster(@Body() body: ImportClusterBody, @Context() context: CommandContext): Promise<JsonAnswer> {
    const clusterId = newResourceId(context, this.ids);
    await this.commands.execute(
      RegistrationService.method.registerCluster,
      {
        clusterId,
        kind: 'AddHostsCluster',
        settings: {
          ...namesOf(body),
          platformType: 'baremetal',
          ...(body.openshift_version ? { openshiftVersion: body.openshift_version } : {}),
        },
        owner: { userName: context.user ?? '', orgId: context.org ?? '', emailDomain: '' },
        pullSecret: '',
        openshiftClusterId: body.openshift_cluster_id.toLowerCase(),
        imported: true,
      },
      context,
    );
    return this.clusters.show(clusterId, { withHosts: isRepeatable(context) });
  }

  @Post([':cluster_id/actions/allow-add-hosts', ':cluster_id/actions/allow-add-workers'])
  @HttpCode(202)
  @AnswersText('Allow hosts to be added to an installed cluster.', V2_CLUSTER)
  @Accepts('userAuth')
  async allowAddHosts(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Context() context: CommandContext,
  ): Promise<JsonAnswer> {
    await this.commands.execute(RegistrationService.method.allowAddHosts, { clusterId }, context);
    return this.clusters.show(clusterId);
  }
}

/**
 * Returns the name of the API, and the name and domain from `api.<name>.<domain>`. For another host name or an address it returns the
 * given name.
 */
export function namesOf(body: Pick<ImportClusterBody, 'name' | 'api_vip_dnsname'>): {
  readonly name: string;
  readonly baseDnsDomain?: string;
  readonly apiVipDnsName: string;
} {
  const apiVipDnsName = toApiName(body.api_vip_dnsname);
  const [, name, baseDnsDomain] = /^api\.([^.]+)\.(.+)$/.exec(apiVipDnsName) ?? [];
  return name && baseDnsDomain ? { name, baseDnsDomain, apiVipDnsName } : { name: body.name, apiVipDnsName };
}
