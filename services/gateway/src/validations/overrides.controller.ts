import {
  type ClusterDocument,
  IgnoredValidationsBody,
  OverrideValidationsBody,
  type Static,
} from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { RefusalError } from '@muster/problems';
import { createJsonParser, valueOf } from '@muster/schema';
import { Body, Controller, Get, HttpCode, Param, Put } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { Answers } from '../api-document/answers.decorator';
import { Accepts, OnlyRoles } from '../auth/caller';
import { Context } from '../auth/request.decorators';
import { Commands } from '../bus/commands';
import { IdPipe } from '../http/request.pipes';
import { MUSTER_API } from '../http/routes';
import { ClusterViews } from '../views/cluster-views';

export interface IgnoredOfCluster {
  readonly clusterIds: readonly string[];
  readonly hostIds: readonly string[];
}

type Lists = Pick<ClusterDocument, 'ignored_cluster_validations' | 'ignored_host_validations'>;

/** Returns the validations that a user ignores; none for unbound hosts. */
export function ignoredRules(cluster: Lists | undefined): IgnoredOfCluster {
  return {
    clusterIds: idsIn(cluster?.ignored_cluster_validations),
    hostIds: idsIn(cluster?.ignored_host_validations),
  };
}

/** A cluster with ignored validations is not supported. */
export function isOverridden(cluster: Lists | undefined): boolean {
  const { clusterIds, hostIds } = ignoredRules(cluster);
  return clusterIds.length + hostIds.length > 0;
}

/** The document contains the lists as in the v2 API: text of a JSON array. */
function idsIn(list: string | undefined): readonly string[] {
  const ids: unknown = JSON.parse(list || '[]');
  return Array.isArray(ids) ? ids.filter((id) => typeof id === 'string') : [];
}

/** Each list contains ids, or only `all`. The history is oldest first; its last entry is in force. */
const LISTS = { host_validation_ids: Type.Array(Type.String()), cluster_validation_ids: Type.Array(Type.String()) };

const OVERRIDES_SCHEMA = Type.Object(
  {
    ...LISTS,
    unsupported_by_override: Type.Boolean(),
    history: Type.Array(
      Type.Object(
        { at: Type.String({ format: 'date-time' }), actor: Type.String(), reason: Type.String(), ...LISTS },
        { title: 'validation-override' },
      ),
    ),
  },
  { title: 'validation-overrides' },
);

type PresentedOverrides = Static<typeof OVERRIDES_SCHEMA>;

const V2_IGNORED_VALIDATIONS = Type.Object(
  {
    'cluster-validation-ids': Type.String(),
    'host-validation-ids': Type.String(),
  },
  { title: 'ignored-validations' },
);

type V2IgnoredValidations = Static<typeof V2_IGNORED_VALIDATIONS>;

/** The v2 request has no reason, so the stored reason names the operation that accepts one. */
const V2_REASON =
  'No reason: ignored-validations of the v2 API has no such field. Use PUT …/validation-overrides of Muster.';

@Controller()
export class OverridesController {
  constructor(
    private readonly commands: Commands,
    private readonly clusters: ClusterViews,
  ) {}

  /** The ignored validations of a cluster and its hosts with user and reason. */
  @Get(`${MUSTER_API}/clusters/:cluster_id/validation-overrides`)
  @Answers('Show the ignored validations of a cluster with user, time and reason.', OVERRIDES_SCHEMA)
  @Accepts('userAuth')
  async showValidationOverrides(@Param('cluster_id', IdPipe) clusterId: string): Promise<PresentedOverrides> {
    return present(await this.clusters.document(clusterId));
  }

  /** Replaces both lists. An absent list is empty. */
  @Put(`${MUSTER_API}/clusters/:cluster_id/validation-overrides`)
  @Answers('Replace the lists of ignored validations. An absent list is empty.', OVERRIDES_SCHEMA)
  @OnlyRoles('admin', 'user')
  @Accepts('userAuth')
  async replaceValidationOverrides(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Body()
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

  /** Both lists are the text of a JSON array. */
  @Get('v2/clusters/:cluster_id/ignored-validations')
  @Answers('Show the ignored validations of a cluster and its hosts.', V2_IGNORED_VALIDATIONS)
  @OnlyRoles('admin', 'user')
  @Accepts('userAuth')
  async showIgnoredValidations(@Param('cluster_id', IdPipe) clusterId: string): Promise<V2IgnoredValidations> {
    return presentAsTexts(await this.clusters.document(clusterId));
  }

  @Put('v2/clusters/:cluster_id/ignored-validations')
  @HttpCode(201)
  @Answers('Replace the ignored validations of a cluster and its hosts.', V2_IGNORED_VALIDATIONS)
  @OnlyRoles('admin', 'user')
  @Accepts('userAuth')
  async replaceIgnoredValidations(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Body() body: IgnoredValidationsBody,
    @Context() context: CommandContext,
  ): Promise<V2IgnoredValidations> {
    const clusterIds = namesIn(body['cluster-validation-ids'], 'cluster-validation-ids');
    const hostIds = namesIn(body['host-validation-ids'], 'host-validation-ids');
    const known = presentAsTexts(await this.clusters.document(clusterId));
    const isSame =
      known['cluster-validation-ids'] === JSON.stringify(clusterIds) &&
      known['host-validation-ids'] === JSON.stringify(hostIds);
    const changes = {
      ignoredClusterValidations: { items: clusterIds },
      ignoredHostValidations: { items: hostIds },
      // A repeated request keeps the reason.
      ...(isSame ? {} : { ignoredValidationsReason: V2_REASON }),
    };
    await this.commands.execute(RegistrationService.method.reviseCluster, { clusterId, changes }, context);
    return presentAsTexts(await this.clusters.document(clusterId));
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

const presentAsTexts = (cluster: ClusterDocument): V2IgnoredValidations => ({
  'cluster-validation-ids': cluster.ignored_cluster_validations ?? '[]',
  'host-validation-ids': cluster.ignored_host_validations ?? '[]',
});

const parseNames = createJsonParser(Type.Array(Type.String()), { name: '' });

function namesIn(text: string | undefined, subject: string): string[] {
  if (text === undefined || text === '') return [];
  const names = valueOf(parseNames(text));
  if (names) return names;
  throw new RefusalError({
    code: 'invalid-input',
    reason: `${subject} must be a JSON array of validation ids as a string, such as '["ntp-synced"]'.`,
    subject,
  });
}
