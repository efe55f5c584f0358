import { Controller, Get } from '@nestjs/common';
import { ValidationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { clusterBlockingStatus } from '@muster/validation-rules';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';
import { OWN_API } from '../muster-api';
import { ignoredRules, isOverridden } from '../validation-overrides/ignored-rules';
import { presentValidations, VALIDATIONS_SCHEMA, type PresentedValidations } from './present-validations';

/** Every outcome of a cluster, with since when, how steadily, what it holds back and what to do about it. */
@Controller(`${OWN_API}/clusters/:cluster_id/validations`)
export class ShowClusterValidationsController {
  constructor(
    private readonly commands: Commands,
    private readonly clusters: ClusterViews,
  ) {}

  @Get()
  @Answers('Lists the validations of a cluster: since when, what waits for them, what to do.', VALIDATIONS_SCHEMA)
  @Accepts('userAuth')
  async handle(@Id('cluster_id') clusterId: string, @Context() context: CommandContext): Promise<PresentedValidations> {
    const cluster = await this.clusters.document(clusterId);
    const request = { subjectId: clusterId };
    const { outcomes } = await this.commands.ask(ValidationService.method.readOutcomes, request, context);
    const { clusterIds } = ignoredRules(cluster);
    return {
      validations: presentValidations(outcomes, (outcome) => clusterBlockingStatus(outcome, clusterIds)),
      unsupported_by_override: isOverridden(cluster),
    };
  }
}
