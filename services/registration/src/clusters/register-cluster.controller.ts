import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller, Inject } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Aggregates } from '../aggregates/aggregates';
import { NO_OWNER, PullSecrets } from '../secrets';
import { CONFIG, type RegistrationConfig } from '../config';
import { clusterKindOf } from './cluster-input';
import { operatorInput } from './operator-input';

@Controller()
export class RegisterClusterController {
  constructor(
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly aggregates: Aggregates,
    private readonly secrets: PullSecrets,
  ) {}

  @Handles(RegistrationService.method.registerCluster)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.registerCluster>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.registerCluster>> {
    const { clusterId, settings = {}, owner = NO_OWNER, pullSecret, openshiftClusterId, imported } = request;
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
    return { stored: await this.secrets.handle(this.aggregates.clusters, clusterId, command, pullSecret, context) };
  }
}
