import { RegistrationService } from '@muster/contracts';
import { mergeClusterSettings } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Aggregates } from '../aggregates/aggregates';
import { RegistrationView } from '../process/registration-view';
import { PullSecrets } from '../secrets';
import { CONFIG, type RegistrationConfig } from '../config';
import { operatorInput } from './operator-input';
import { requireIgnorable } from './override-input';

@Controller()
export class ReviseClusterController {
  constructor(
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly aggregates: Aggregates,
    private readonly secrets: PullSecrets,
    private readonly view: RegistrationView,
  ) {}

  @Handles(RegistrationService.method.reviseCluster)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.reviseCluster>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.reviseCluster>> {
    const { clusterId, changes = {}, pullSecret, operatorBundles } = request;
    requireIgnorable(changes);
    const { settings } = (await this.aggregates.clusters.load(clusterId)).state;
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
    return { stored: await this.secrets.handle(this.aggregates.clusters, clusterId, command, pullSecret, context) };
  }

  private imageArchitecturesOf(clusterId: string): string[] {
    const architectures = [...this.view.infraEnvsOf(clusterId)].map(({ settings }) => settings.cpuArchitecture ?? '');
    return [...new Set(architectures)].filter(Boolean);
  }
}
