import { type InfraEnvSettings, type Plain, RegistrationService } from '@muster/contracts';
import { infraEnvFeatureRefusal } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Aggregates } from '../aggregates/aggregates';
import { GivenProxies } from '../secrets/given-proxies';
import { pullSecretToSeal, SealingCommands } from '../secrets/sealing-commands';

@Controller()
export class ReviseInfraEnvController {
  constructor(
    private readonly aggregates: Aggregates,
    private readonly proxies: GivenProxies,
    private readonly commands: SealingCommands,
  ) {}

  @Handles(RegistrationService.method.reviseInfraEnv)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.reviseInfraEnv>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.reviseInfraEnv>> {
    const { infraEnvId, changes: given = {}, pullSecret } = request;
    const { settings } = (await this.aggregates.infraEnvs.load(infraEnvId)).state;
    const { proxy, toSeal } = await this.proxies.split(infraEnvId, given.proxy, settings.proxy);
    const changes = { ...given, proxy };
    await this.refuseImpossible(infraEnvId, changes);
    const at = this.aggregates.now();
    const command = { type: 'Revise', at, changes, pullSecretReplaced: Boolean(pullSecret) } as const;
    const secrets = [...pullSecretToSeal(pullSecret), ...toSeal];
    return { stored: await this.commands.handle(this.aggregates.infraEnvs, infraEnvId, command, secrets, context) };
  }

  /** Unknown infra-envs and clusters that are gone are for the command itself to tell of. */
  private async refuseImpossible(infraEnvId: string, changes: Plain<InfraEnvSettings>): Promise<void> {
    const { state } = await this.aggregates.infraEnvs.load(infraEnvId);
    if (state.status !== 'registered') return;
    const { clusterId } = state.settings;
    const cluster = clusterId ? (await this.aggregates.clusters.load(clusterId)).state : undefined;
    const impossible = infraEnvFeatureRefusal(changes, state.settings, cluster);
    if (impossible) throw new RefusalError(impossible);
  }
}
