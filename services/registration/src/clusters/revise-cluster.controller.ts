import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Aggregates } from '../aggregates/aggregates';
import { PullSecrets } from '../secrets';
import { monitoredOperators } from './cluster-input';

@Controller()
export class ReviseClusterController {
  constructor(
    private readonly aggregates: Aggregates,
    private readonly secrets: PullSecrets,
  ) {}

  @Handles(RegistrationService.method.reviseCluster)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.reviseCluster>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.reviseCluster>> {
    const { clusterId, changes = {}, pullSecret } = request;
    const command = {
      type: 'Revise',
      at: this.aggregates.now(),
      changes,
      pullSecretReplaced: Boolean(pullSecret),
      olmOperators: changes.olmOperators && monitoredOperators(changes.olmOperators.items),
    } as const;
    return { stored: await this.secrets.handle(this.aggregates.clusters, clusterId, command, pullSecret, context) };
  }
}
