import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Aggregates, storedOrThrow } from '../aggregates/aggregates';
import { PLATFORM, type Platform } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';
import { Inject } from '@nestjs/common';
import { NO_OWNER, PULL_SECRET } from '../secrets';

@Controller()
export class RegisterInfraEnvController {
  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    private readonly aggregates: Aggregates,
  ) {}

  @Handles(RegistrationService.method.registerInfraEnv)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.registerInfraEnv>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.registerInfraEnv>> {
    const { infraEnvId, settings = {}, owner = NO_OWNER, pullSecret } = request;
    if (settings.clusterId) await this.refuseUnknownCluster(settings.clusterId);
    if (pullSecret) await this.platform.secrets.seal(infraEnvId, PULL_SECRET, Buffer.from(pullSecret));
    const result = await this.aggregates.infraEnvs.handle(
      infraEnvId,
      { type: 'Register', at: this.aggregates.now(), infraEnvId, settings, owner, pullSecretSet: pullSecret !== '' },
      context,
    );
    return { stored: storedOrThrow(result) };
  }

  private async refuseUnknownCluster(clusterId: string): Promise<void> {
    const { state } = await this.aggregates.clusters.load(clusterId);
    if (state.status !== 'unregistered' && state.status !== 'deregistered') return;
    throw new RefusalError({
      code: 'not-found',
      reason: `There is no cluster ${clusterId}; register it first.`,
      subject: 'cluster_id',
    });
  }
}
