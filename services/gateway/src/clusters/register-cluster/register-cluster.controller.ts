import { Controller, HttpCode, Inject, Post } from '@nestjs/common';
import {
  RegisterClusterBody,
  toClusterSettings,
  toOperatorBundles,
  V2_CLUSTER,
  type V2Cluster,
} from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { IDS } from '@muster/nest-kit';
import type { Ids } from '@muster/ports';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { ReleaseChoice } from '../../catalogue/release-choice';
import { type GatewayConfig, GATEWAY_CONFIG } from '../../config';
import { JsonBody } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';
import { checkPullSecret } from '../check-pull-secret';

@Controller('v2/clusters')
export class RegisterClusterController {
  constructor(
    @Inject(IDS) private readonly ids: Ids,
    private readonly commands: Commands,
    private readonly releases: ReleaseChoice,
    private readonly clusters: ClusterViews,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Post()
  @HttpCode(201)
  @Answers('Makes a cluster.', V2_CLUSTER)
  @Accepts('userAuth')
  async handle(
    @JsonBody(RegisterClusterBody) body: RegisterClusterBody,
    @Context() context: CommandContext,
  ): Promise<V2Cluster> {
    checkPullSecret(body.pull_secret);
    const clusterId = this.ids.uuid();
    await this.commands.execute(
      RegistrationService.method.registerCluster,
      {
        clusterId,
        kind: 'Cluster',
        settings: { ...this.ntpDefault(body), ...toClusterSettings(body), ...this.releases.ofCluster(body) },
        owner: { userName: context.user ?? '', orgId: context.org ?? '', emailDomain: '' },
        pullSecret: body.pull_secret,
        operatorBundles: toOperatorBundles(body.operator_bundles),
        openshiftClusterId: '',
        imported: false,
      },
      context,
    );
    return this.clusters.show(clusterId);
  }

  /** Somebody has to tell the hosts the time: where the person names nobody, the one that this service was given. */
  private ntpDefault(body: RegisterClusterBody): { readonly additionalNtpSource?: string } {
    const { ntpDefaultServer } = this.config;
    return !ntpDefaultServer || body.additional_ntp_source || body.ntp_sources
      ? {}
      : { additionalNtpSource: ntpDefaultServer };
  }
}
