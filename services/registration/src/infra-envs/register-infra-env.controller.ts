import { RegistrationService } from '@muster/contracts';
import { type ClusterState, infraEnvFeatureRefusal } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Aggregates } from '../aggregates/aggregates';
import { GivenProxies } from '../secrets/given-proxies';
import { NO_OWNER, pullSecretToSeal, SealingCommands } from '../secrets/sealing-commands';

@Controller()
export class RegisterInfraEnvController {
  constructor(
    private readonly aggregates: Aggregates,
    private readonly proxies: GivenProxies,
    private readonly commands: SealingCommands,
  ) {}

  @Handles(RegistrationService.method.registerInfraEnv)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.registerInfraEnv>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.registerInfraEnv>> {
    const { infraEnvId, settings: given = {}, owner = NO_OWNER, pullSecret } = request;
    const { proxy, toSeal } = await this.proxies.split(infraEnvId, given.proxy);
    const settings = { ...given, proxy };
    const cluster = settings.clusterId ? await this.clusterOf(settings.clusterId) : undefined;
    const impossible = infraEnvFeatureRefusal(settings, undefined, cluster);
    if (impossible) throw new RefusalError(impossible);
    const at = this.aggregates.now();
    const command = { type: 'Register', at, infraEnvId, settings, owner, pullSecretSet: pullSecret !== '' } as const;
    const secrets = [...pullSecretToSeal(pullSecret), ...toSeal];
    return { stored: await this.commands.handle(this.aggregates.infraEnvs, infraEnvId, command, secrets, context) };
  }

  private async clusterOf(clusterId: string): Promise<ClusterState> {
    const { state } = await this.aggregates.clusters.load(clusterId);
    if (state.status !== 'unregistered' && state.status !== 'deregistered') return state;
    throw new RefusalError({
      code: 'not-found',
      reason: `There is no cluster ${clusterId}; register it first.`,
      subject: 'cluster_id',
    });
  }
}
