import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf, replaceImageTokenKey, SECRETS } from '@muster/nest-kit';
import type { Secrets } from '@muster/ports';
import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { storedOrThrow } from '../aggregates/aggregate';
import { Aggregates } from '../aggregates/aggregates';

@Controller()
export class RotateSigningKeyController {
  constructor(
    private readonly aggregates: Aggregates,
    @Inject(SECRETS) private readonly secrets: Secrets,
  ) {}

  @Handles(RegistrationService.method.rotateSigningKey)
  async handle(
    @Payload() { infraEnvId }: InputOf<typeof RegistrationService.method.rotateSigningKey>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.rotateSigningKey>> {
    // The key first: a fact without it would promise what is not so.
    await replaceImageTokenKey(this.secrets, infraEnvId);
    const command = { type: 'RotateSigningKey', at: this.aggregates.now() } as const;
    return { stored: storedOrThrow(await this.aggregates.infraEnvs.handle(infraEnvId, command, context)) };
  }
}
