import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { storedOrThrow } from '../aggregates/aggregate';
import { Aggregates } from '../aggregates/aggregates';

@Controller()
export class RotateSigningKeyController {
  constructor(private readonly aggregates: Aggregates) {}

  @Handles(RegistrationService.method.rotateSigningKey)
  async handle(
    @Payload() { infraEnvId }: InputOf<typeof RegistrationService.method.rotateSigningKey>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.rotateSigningKey>> {
    const command = { type: 'RotateSigningKey', at: this.aggregates.now() } as const;
    return { stored: storedOrThrow(await this.aggregates.infraEnvs.handle(infraEnvId, command, context)) };
  }
}
