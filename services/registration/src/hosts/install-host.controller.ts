import { hostKeyOf, RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { storedOrThrow } from '../aggregates/aggregate';
import { Aggregates } from '../aggregates/aggregates';
import { CONFIG, type RegistrationConfig } from '../config';

@Controller()
export class InstallHostController {
  constructor(
    private readonly aggregates: Aggregates,
    @Inject(CONFIG) private readonly config: RegistrationConfig,
  ) {}

  @Handles(RegistrationService.method.installHost)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.installHost>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.installHost>> {
    const at = this.aggregates.now();
    const result = await this.aggregates.hosts.handle(
      hostKeyOf(request.infraEnvId, request.hostId),
      { type: 'InstallHost', at, installerImage: this.config.images.installer },
      context,
    );
    return { stored: storedOrThrow(result) };
  }
}
