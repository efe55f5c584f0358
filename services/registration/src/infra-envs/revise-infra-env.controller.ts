import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Aggregates, storedOrThrow } from '../aggregates/aggregates';
import { PLATFORM, type Platform } from '@muster/nest-kit';
import { Inject } from '@nestjs/common';
import { PULL_SECRET } from '../secrets';

@Controller()
export class ReviseInfraEnvController {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly aggregates: Aggregates,
  ) {}

  @Handles(RegistrationService.method.reviseInfraEnv)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.reviseInfraEnv>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.reviseInfraEnv>> {
    const { infraEnvId, changes = {}, pullSecret } = request;
    const result = await this.aggregates.infraEnvs.handle(
      infraEnvId,
      { type: 'Revise', at: this.aggregates.now(), changes, pullSecretReplaced: pullSecret !== undefined },
      context,
    );
    const stored = storedOrThrow(result);
    if (pullSecret !== undefined) await this.platform.secrets.seal(infraEnvId, PULL_SECRET, Buffer.from(pullSecret));
    return { stored };
  }
}
