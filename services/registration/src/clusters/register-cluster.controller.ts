import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Aggregates, storedOrThrow } from '../aggregates/aggregates';
import { PLATFORM, type Platform } from '@muster/nest-kit';
import { Inject } from '@nestjs/common';
import { NO_OWNER, PULL_SECRET } from '../secrets';
import { clusterKindOf, monitoredOperators } from './cluster-input';

@Controller()
export class RegisterClusterController {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly aggregates: Aggregates,
  ) {}

  @Handles(RegistrationService.method.registerCluster)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.registerCluster>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.registerCluster>> {
    const { clusterId, settings = {}, owner = NO_OWNER } = request;
    if (request.pullSecret) await this.platform.secrets.seal(clusterId, PULL_SECRET, Buffer.from(request.pullSecret));
    const result = await this.aggregates.clusters.handle(
      clusterId,
      {
        type: 'Register',
        at: this.aggregates.now(),
        clusterId,
        kind: clusterKindOf(request.kind),
        settings,
        owner,
        pullSecretSet: request.pullSecret !== '',
        olmOperators: monitoredOperators(settings.olmOperators?.items ?? []),
        openshiftClusterId: request.openshiftClusterId,
        imported: request.imported,
      },
      context,
    );
    return { stored: storedOrThrow(result) };
  }
}
