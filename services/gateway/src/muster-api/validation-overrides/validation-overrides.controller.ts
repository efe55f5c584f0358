import { Controller, Get, Put } from '@nestjs/common';
import {
  type ClusterDocument,
  flag,
  list,
  OverrideValidationsBody,
  record,
  type Static,
  text,
  time,
} from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts, OnlyRoles } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id, JsonBody } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';
import { OWN_API } from '../muster-api';
import { ignoredRules, isOverridden } from './ignored-rules';

/** Lists of ids, or of the one word `all`; the history is oldest first, its last member in force. */
const LISTS = { host_validation_ids: list(text()), cluster_validation_ids: list(text()) };
const OVERRIDES_SCHEMA = record('validation-overrides', {
  ...LISTS,
  unsupported_by_override: flag(),
  history: list(record('validation-override', { at: time(), actor: text(), reason: text(), ...LISTS })),
});
type PresentedOverrides = Static<typeof OVERRIDES_SCHEMA>;

/** Which validations of a cluster and its hosts do not count, who wanted it, and why. */
@Controller(`${OWN_API}/clusters/:cluster_id/validation-overrides`)
export class ValidationOverridesController {
  constructor(
    private readonly commands: Commands,
    private readonly clusters: ClusterViews,
  ) {}

  @Get()
  @Answers('Shows which validations do not count, and who wanted it when and why.', OVERRIDES_SCHEMA)
  @Accepts('userAuth')
  async show(@Id('cluster_id') clusterId: string): Promise<PresentedOverrides> {
    return present(await this.clusters.document(clusterId));
  }

  /** Replaces both lists; one that is absent is empty. */
  @Put()
  @Answers('Replaces the lists of validations that do not count; one that is absent is empty.', OVERRIDES_SCHEMA)
  @OnlyRoles('admin', 'user')
  @Accepts('userAuth')
  async replace(
    @Id('cluster_id') clusterId: string,
    @JsonBody(OverrideValidationsBody)
    { host_validation_ids: ofHosts = [], cluster_validation_ids: ofCluster = [], reason }: OverrideValidationsBody,
    @Context() context: CommandContext,
  ): Promise<PresentedOverrides> {
    const changes = {
      ignoredHostValidations: { items: [...new Set(ofHosts)] },
      ignoredClusterValidations: { items: [...new Set(ofCluster)] },
      ignoredValidationsReason: reason.trim(),
    };
    await this.commands.execute(RegistrationService.method.reviseCluster, { clusterId, changes }, context);
    return present(await this.clusters.document(clusterId));
  }
}

function present(cluster: ClusterDocument): PresentedOverrides {
  const { hostIds, clusterIds } = ignoredRules(cluster);
  return {
    host_validation_ids: hostIds,
    cluster_validation_ids: clusterIds,
    unsupported_by_override: isOverridden(cluster),
    history: cluster._overrides ?? [],
  };
}
