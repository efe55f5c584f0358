import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { ClusterInstallation } from './cluster-installation';

@Controller()
export class InstallClusterController {
  constructor(private readonly installation: ClusterInstallation) {}

  @Handles(RegistrationService.method.installCluster)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.installCluster>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.installCluster>> {
    return { stored: await this.installation.start(request.clusterId, context) };
  }
}
