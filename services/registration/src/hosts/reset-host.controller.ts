import { hostKeyOf, RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { storedOrThrow } from '../aggregates/aggregate';
import { Aggregates } from '../aggregates/aggregates';

@Controller()
export class ResetHostController {
  constructor(private readonly aggregates: Aggregates) {}

  @Handles(RegistrationService.method.resetHost)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.resetHost>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.resetHost>> {
    const at = this.aggregates.now();
    const result = await this.aggregates.hosts.handle(
      hostKeyOf(request.infraEnvId, request.hostId),
      { type: 'RequireReset', at, reason: 'A person asked for the host to be reset', scope: 'host' },
      context,
    );
    return { stored: storedOrThrow(result) };
  }
}
