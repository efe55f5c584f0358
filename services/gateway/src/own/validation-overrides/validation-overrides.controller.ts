import { Controller, Get, Put } from '@nestjs/common';
import { type ClusterDocument, type OverrideRecord, OverrideValidationsBody } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Accepts, OnlyRoles } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id, JsonBody } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';
import { OWN_API } from '../own-api';
import { ignoredRules, isOverridden } from './ignored-rules';

interface ShownOverrides {
  /** What is ignored now: ids, or `all`. */
  readonly host_validation_ids: readonly string[];
  readonly cluster_validation_ids: readonly string[];
  /** Something is ignored: what the validations guard against may happen to the cluster. */
  readonly unsupported_by_override: boolean;
  /** Who had what ignored, when and why; oldest first, the last one in force. */
  readonly history: readonly OverrideRecord[];
}

/** Which validations of a cluster and its hosts do not count, who wanted it, and why. */
@Controller(`${OWN_API}/clusters/:cluster_id/validation-overrides`)
export class ValidationOverridesController {
  constructor(
    private readonly commands: Commands,
    private readonly clusters: ClusterViews,
  ) {}

  @Get()
  @Accepts('userAuth')
  async show(@Id('cluster_id') clusterId: string): Promise<ShownOverrides> {
    return present(await this.clusters.document(clusterId));
  }

  /** Replaces both lists; one that is absent is empty. */
  @Put()
  @OnlyRoles('admin', 'user')
  @Accepts('userAuth')
  async replace(
    @Id('cluster_id') clusterId: string,
    @JsonBody(OverrideValidationsBody)
    { host_validation_ids: ofHosts = [], cluster_validation_ids: ofCluster = [], reason }: OverrideValidationsBody,
    @Context() context: CommandContext,
  ): Promise<ShownOverrides> {
    const changes = {
      ignoredHostValidations: { items: [...new Set(ofHosts)] },
      ignoredClusterValidations: { items: [...new Set(ofCluster)] },
      ignoredValidationsReason: reason.trim(),
    };
    await this.commands.carryOut(RegistrationService.method.reviseCluster, { clusterId, changes }, context);
    return present(await this.clusters.document(clusterId));
  }
}

function present(cluster: ClusterDocument): ShownOverrides {
  const { hostIds, clusterIds } = ignoredRules(cluster);
  return {
    host_validation_ids: hostIds,
    cluster_validation_ids: clusterIds,
    unsupported_by_override: isOverridden(cluster),
    history: cluster._overrides ?? [],
  };
}
