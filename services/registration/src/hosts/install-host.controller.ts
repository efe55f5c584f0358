import { hostKeyOf, RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { storedOrThrow } from '../aggregates/aggregate';
import { Aggregates } from '../aggregates/aggregates';

@Controller()
export class InstallHostController {
  constructor(private readonly aggregates: Aggregates) {}

  @Handles(RegistrationService.method.installHost)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.installHost>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.installHost>> {
    const at = this.aggregates.now();
    const result = await this.aggregates.hosts.handle(
      hostKeyOf(request.infraEnvId, request.hostId),
      { type: 'InstallHost', at },
      context,
    );
    return { stored: storedOrThrow(result) };
  }
}
