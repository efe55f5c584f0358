import { Controller, HttpCode, Inject, Post } from '@nestjs/common';
import { RegisterDisconnectedClusterBody, V2_CLUSTER, type V2Cluster } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { IDS } from '@muster/nest-kit';
import type { Ids } from '@muster/ports';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { ReleaseChoice } from '../../catalogue/release-choice';
import { JsonBody } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';

/** A cluster whose hosts never reach this service: only what its image is made of is kept here. */
@Controller('v2/clusters/disconnected')
export class RegisterDisconnectedClusterController {
  constructor(
    @Inject(IDS) private readonly ids: Ids,
    private readonly commands: Commands,
    private readonly releases: ReleaseChoice,
    private readonly clusters: ClusterViews,
  ) {}

  @Post()
  @HttpCode(201)
  @Answers('Makes a cluster whose hosts will never reach this service.', V2_CLUSTER)
  @Accepts('userAuth')
  async handle(
    @JsonBody(RegisterDisconnectedClusterBody) body: RegisterDisconnectedClusterBody,
    @Context() context: CommandContext,
  ): Promise<V2Cluster> {
    const clusterId = this.ids.uuid();
    await this.commands.execute(
      RegistrationService.method.registerCluster,
      {
        clusterId,
        kind: 'DisconnectedCluster',
        settings: { name: body.name, ...this.releases.ofCluster(body) },
        owner: { userName: context.user ?? '', orgId: context.org ?? '', emailDomain: '' },
        pullSecret: '',
        openshiftClusterId: '',
        imported: false,
      },
      context,
    );
    return this.clusters.show(clusterId);
  }
}
