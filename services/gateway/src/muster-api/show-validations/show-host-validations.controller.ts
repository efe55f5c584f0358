import { Controller, Get } from '@nestjs/common';
import { hostKeyOf, ValidationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { hostBlockingStatus } from '@muster/validation-rules';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';
import { HostViews } from '../../views/host-views';
import { OWN_API } from '../muster-api';
import { ignoredRules, isOverridden } from '../validation-overrides/ignored-rules';
import { presentValidations, VALIDATIONS_SCHEMA, type PresentedValidations } from './present-validations';

/** Every outcome of a host, with since when, how steadily, what it holds back and what to do about it. */
@Controller(`${OWN_API}/infra-envs/:infra_env_id/hosts/:host_id/validations`)
export class ShowHostValidationsController {
  constructor(
    private readonly commands: Commands,
    private readonly hosts: HostViews,
    private readonly clusters: ClusterViews,
  ) {}

  @Get()
  @Answers('Lists the validations of a host: since when, what waits for them, what to do.', VALIDATIONS_SCHEMA)
  @Accepts('userAuth')
  async handle(
    @Id('infra_env_id') infraEnvId: string,
    @Id('host_id') hostId: string,
    @Context() context: CommandContext,
  ): Promise<PresentedValidations> {
    const { cluster_id: clusterId } = await this.hosts.document(infraEnvId, hostId);
    const cluster = clusterId ? await this.clusters.document(clusterId) : undefined;
    const request = { subjectId: hostKeyOf(infraEnvId, hostId) };
    const { outcomes } = await this.commands.ask(ValidationService.method.readOutcomes, request, context);
    const { hostIds } = ignoredRules(cluster);
    const isBound = cluster !== undefined;
    return {
      validations: presentValidations(outcomes, (outcome) => hostBlockingStatus(outcome, hostIds, isBound)),
      unsupported_by_override: isOverridden(cluster),
    };
  }
}
