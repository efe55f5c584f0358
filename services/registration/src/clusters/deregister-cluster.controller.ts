import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { ClusterLifecycle } from './cluster-lifecycle';

@Controller()
export class DeregisterClusterController {
  constructor(private readonly lifecycle: ClusterLifecycle) {}

  @Handles(RegistrationService.method.deregisterCluster)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.deregisterCluster>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.deregisterCluster>> {
    return { stored: await this.lifecycle.deregister(request.clusterId, context) };
  }
}
