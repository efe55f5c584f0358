import { RegistrationService } from '@muster/contracts';
import { mergeClusterSettings } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Aggregates } from '../aggregates/aggregates';
import { RegistrationView } from '../view/registration-view';
import { GivenProxies } from '../secrets/given-proxies';
import { pullSecretToSeal, SealingCommands } from '../secrets/sealing-commands';
import { CONFIG, type RegistrationConfig } from '../config';
import { operatorInput } from './operator-input';
import { requireIgnorable } from './override-input';

@Controller()
export class ReviseClusterController {
  constructor(
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly aggregates: Aggregates,
    private readonly proxies: GivenProxies,
    private readonly commands: SealingCommands,
    private readonly view: RegistrationView,
  ) {}

  @Handles(RegistrationService.method.reviseCluster)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.reviseCluster>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.reviseCluster>> {
    const { clusterId, changes: given = {}, pullSecret, operatorBundles } = request;
    requireIgnorable(given);
    const { settings } = (await this.aggregates.clusters.load(clusterId)).state;
    const { proxy, toSeal } = await this.proxies.split(clusterId, given.proxy, settings.proxy);
    const changes = { ...given, proxy };
    const operators = operatorInput(
      changes,
      operatorBundles,
      mergeClusterSettings(settings, changes),
      this.config.operatorSettings,
    );
    const command = {
      type: 'Revise',
      at: this.aggregates.now(),
      changes: operators ? { ...changes, olmOperators: operators.choices } : changes,
      pullSecretReplaced: Boolean(pullSecret),
      olmOperators: operators?.monitored,
      imageArchitectures: this.imageArchitecturesOf(clusterId),
    } as const;
    const secrets = [...pullSecretToSeal(pullSecret), ...toSeal];
    return { stored: await this.commands.handle(this.aggregates.clusters, clusterId, command, secrets, context) };
  }

  private imageArchitecturesOf(clusterId: string): string[] {
    const architectures = [...this.view.infraEnvsOf(clusterId)].map(({ settings }) => settings.cpuArchitecture ?? '');
    return [...new Set(architectures)].filter(Boolean);
  }
}
