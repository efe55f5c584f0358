import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Aggregates } from '../aggregates/aggregates';
import { PullSecrets } from '../secrets';

@Controller()
export class ReviseInfraEnvController {
  constructor(
    private readonly aggregates: Aggregates,
    private readonly secrets: PullSecrets,
  ) {}

  @Handles(RegistrationService.method.reviseInfraEnv)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.reviseInfraEnv>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.reviseInfraEnv>> {
    const { infraEnvId, changes = {}, pullSecret } = request;
    const at = this.aggregates.now();
    const command = { type: 'Revise', at, changes, pullSecretReplaced: Boolean(pullSecret) } as const;
    return { stored: await this.secrets.handle(this.aggregates.infraEnvs, infraEnvId, command, pullSecret, context) };
  }
}
