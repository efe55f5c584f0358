import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { ClusterLifecycle } from './cluster-lifecycle';

@Controller()
export class ResetClusterController {
  constructor(private readonly lifecycle: ClusterLifecycle) {}

  @Handles(RegistrationService.method.resetCluster)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.resetCluster>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.resetCluster>> {
    return { stored: await this.lifecycle.reset(request.clusterId, context) };
  }
}
