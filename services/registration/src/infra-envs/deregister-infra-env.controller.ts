import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Aggregates, storedOrThrow } from '../aggregates/aggregates';
import { PLATFORM, type Platform } from '@muster/nest-kit';
import { Inject } from '@nestjs/common';
import { RegistrationView } from '../process/registration-view';

@Controller()
export class DeregisterInfraEnvController {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
  ) {}

  @Handles(RegistrationService.method.deregisterInfraEnv)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.deregisterInfraEnv>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.deregisterInfraEnv>> {
    const hostCount = this.view.hostCountOfInfraEnv(request.infraEnvId);
    const result = await this.aggregates.infraEnvs.handle(
      request.infraEnvId,
      { type: 'Deregister', at: this.aggregates.now(), hostCount },
      context,
    );
    const stored = storedOrThrow(result);
    await this.platform.secrets.shred(request.infraEnvId);
    return { stored };
  }
}
