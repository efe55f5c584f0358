import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Aggregates, storedOrThrow } from '../aggregates/aggregates';
import { hostKeyOf } from '@muster/contracts';
import { RefusalError } from '@muster/problems';
import { whyClusterTakesNoHost } from './cluster-admission';

@Controller()
export class BindHostController {
  constructor(private readonly aggregates: Aggregates) {}

  @Handles(RegistrationService.method.bindHost)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.bindHost>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.bindHost>> {
    const { state: cluster } = await this.aggregates.clusters.load(request.clusterId);
    const refusal = whyClusterTakesNoHost(cluster, request.clusterId);
    if (refusal) throw new RefusalError(refusal.code === 'not-found' ? { ...refusal, code: 'invalid-input' } : refusal);
    const result = await this.aggregates.hosts.handle(
      hostKeyOf(request.infraEnvId, request.hostId),
      { type: 'Bind', at: this.aggregates.now(), clusterId: request.clusterId },
      context,
    );
    return { stored: storedOrThrow(result) };
  }
}
