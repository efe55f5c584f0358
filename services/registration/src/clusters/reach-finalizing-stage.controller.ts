import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { storedOrThrow } from '../aggregates/aggregate';
import { Aggregates } from '../aggregates/aggregates';

@Controller()
export class ReachFinalizingStageController {
  constructor(private readonly aggregates: Aggregates) {}

  @Handles(RegistrationService.method.reachFinalizingStage)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.reachFinalizingStage>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.reachFinalizingStage>> {
    const at = this.aggregates.now();
    const result = await this.aggregates.clusters.handle(
      request.clusterId,
      { type: 'ReachFinalizingStage', at, stage: request.stage },
      context,
    );
    return { stored: storedOrThrow(result) };
  }
}
