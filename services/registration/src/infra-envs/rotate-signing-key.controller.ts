import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf, PLATFORM, type Platform, replaceImageTokenKey } from '@muster/nest-kit';
import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { storedOrThrow } from '../aggregates/aggregate';
import { Aggregates } from '../aggregates/aggregates';

@Controller()
export class RotateSigningKeyController {
  constructor(
    private readonly aggregates: Aggregates,
    @Inject(PLATFORM) private readonly platform: Pick<Platform, 'secrets'>,
  ) {}

  @Handles(RegistrationService.method.rotateSigningKey)
  async handle(
    @Payload() { infraEnvId }: InputOf<typeof RegistrationService.method.rotateSigningKey>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.rotateSigningKey>> {
    // The key first: a fact without it would promise what is not so.
    await replaceImageTokenKey(this.platform.secrets, infraEnvId);
    const command = { type: 'RotateSigningKey', at: this.aggregates.now() } as const;
    return { stored: storedOrThrow(await this.aggregates.infraEnvs.handle(infraEnvId, command, context)) };
  }
}
