import { hostKeyOf, ValidationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import {
  clusterBlockingStatus,
  hostBlockingStatus,
  renderClusterOutcome,
  renderHostOutcome,
} from '@muster/validation-rules';
import { Controller, Get, Param } from '@nestjs/common';
import { Answers } from '../api-document/answers.decorator';
import { Accepts } from '../auth/caller';
import { Context } from '../auth/request.decorators';
import { Commands } from '../bus/commands';
import { IdPipe } from '../http/request.pipes';
import { MUSTER_API } from '../http/routes';
import { ClusterViews } from '../views/cluster-views';
import { HostViews } from '../views/host-views';
import { ignoredRules, isOverridden } from './overrides.controller';
import { type PresentedValidations, presentValidations, VALIDATIONS_SCHEMA } from './present-validations';

@Controller(MUSTER_API)
export class ValidationsController {
  constructor(
    private readonly commands: Commands,
    private readonly clusters: ClusterViews,
    private readonly hosts: HostViews,
  ) {}

  /** All outcomes of a cluster with history, stability, blocked operations and remedies. */
  @Get('clusters/:cluster_id/validations')
  @Answers('List the validations of a cluster with their history, blocked operations and remedies.', VALIDATIONS_SCHEMA)
  @Accepts('userAuth')
  async showClusterValidations(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Context() context: CommandContext,
  ): Promise<PresentedValidations> {
    const cluster = await this.clusters.document(clusterId);
    const request = { subjectId: clusterId };
    const { outcomes } = await this.commands.send(ValidationService.method.readOutcomes, request, context);
    const { clusterIds } = ignoredRules(cluster);
    return {
      validations: presentValidations(outcomes, {
        render: renderClusterOutcome,
        blockingStatusOf: (outcome) => clusterBlockingStatus(outcome, clusterIds),
      }),
      unsupported_by_override: isOverridden(cluster),
    };
  }

  /** All outcomes of a host with history, stability, blocked operations and remedies. */
  @Get('infra-envs/:infra_env_id/hosts/:host_id/validations')
  @Answers('List the validations of a host with their history, blocked operations and remedies.', VALIDATIONS_SCHEMA)
  @Accepts('userAuth')
  async showHostValidations(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Param('host_id', IdPipe) hostId: string,
    @Context() context: CommandContext,
  ): Promise<PresentedValidations> {
    const { cluster_id: clusterId } = await this.hosts.document(infraEnvId, hostId);
    const cluster = clusterId ? await this.clusters.document(clusterId) : undefined;
    const request = { subjectId: hostKeyOf(infraEnvId, hostId) };
    const { outcomes } = await this.commands.send(ValidationService.method.readOutcomes, request, context);
    const { hostIds } = ignoredRules(cluster);
    const isBound = cluster !== undefined;
    return {
      validations: presentValidations(outcomes, {
        render: renderHostOutcome,
        blockingStatusOf: (outcome) => hostBlockingStatus(outcome, hostIds, isBound),
      }),
      unsupported_by_override: isOverridden(cluster),
    };
  }
}
