import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Aggregates } from '../aggregates/aggregates';
import { GivenProxies } from '../secrets/given-proxies';
import { NO_OWNER, pullSecretToSeal, SealingCommands } from '../secrets/sealing-commands';
import { CONFIG, type RegistrationConfig } from '../config';
import { clusterKindOf } from './cluster-input';
import { operatorInput } from './operator-input';

@Controller()
export class RegisterClusterController {
  constructor(
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly aggregates: Aggregates,
    private readonly proxies: GivenProxies,
    private readonly commands: SealingCommands,
  ) {}

  @Handles(RegistrationService.method.registerCluster)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.registerCluster>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.registerCluster>> {
    const { clusterId, settings: given = {}, owner = NO_OWNER, pullSecret, openshiftClusterId, imported } = request;
    const { proxy, toSeal } = await this.proxies.split(clusterId, given.proxy);
    const settings = { ...given, proxy };
    const operators = operatorInput(settings, request.operatorBundles, settings, this.config.operatorSettings);
    const command = {
      type: 'Register',
      at: this.aggregates.now(),
      clusterId,
      kind: clusterKindOf(request.kind),
      settings: operators ? { ...settings, olmOperators: operators.choices } : settings,
      owner,
      pullSecretSet: pullSecret !== '',
      olmOperators: operators?.monitored ?? [],
      openshiftClusterId,
      imported,
    } as const;
    const secrets = [...pullSecretToSeal(pullSecret), ...toSeal];
    return { stored: await this.commands.handle(this.aggregates.clusters, clusterId, command, secrets, context) };
  }
}
