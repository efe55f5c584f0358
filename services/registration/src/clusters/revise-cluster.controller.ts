import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Aggregates, storedOrThrow } from '../aggregates/aggregates';
import { PLATFORM, type Platform } from '@muster/nest-kit';
import { Inject } from '@nestjs/common';
import { PULL_SECRET } from '../secrets';
import { monitoredOperators } from './cluster-input';

@Controller()
export class ReviseClusterController {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly aggregates: Aggregates,
  ) {}

  @Handles(RegistrationService.method.reviseCluster)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.reviseCluster>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.reviseCluster>> {
    const { clusterId, changes = {}, pullSecret } = request;
    const result = await this.aggregates.clusters.handle(
      clusterId,
      {
        type: 'Revise',
        at: this.aggregates.now(),
        changes,
        pullSecretReplaced: pullSecret !== undefined,
        olmOperators: changes.olmOperators && monitoredOperators(changes.olmOperators.items),
      },
      context,
    );
    const stored = storedOrThrow(result);
    if (pullSecret !== undefined) await this.platform.secrets.seal(clusterId, PULL_SECRET, Buffer.from(pullSecret));
    return { stored };
  }
}
