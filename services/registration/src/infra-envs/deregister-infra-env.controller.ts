import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { storedOrThrow } from '../aggregates/aggregate';
import { Aggregates } from '../aggregates/aggregates';
import { RegistrationView } from '../view/registration-view';

/** What was sealed for the infra-env is shredded by the process that follows the fact. */
@Controller()
export class DeregisterInfraEnvController {
  constructor(
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
    return { stored: storedOrThrow(result) };
  }
}
