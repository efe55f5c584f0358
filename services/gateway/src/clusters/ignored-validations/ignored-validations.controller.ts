import { Controller, Get, HttpCode, Put } from '@nestjs/common';
import { type ClusterDocument, IgnoredValidationsBody, record, type Static, text } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { RefusalError } from '@muster/problems';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts, OnlyRoles } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id, JsonBody } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';

const V2_IGNORED_VALIDATIONS = record('ignored-validations', {
  'cluster-validation-ids': text(),
  'host-validation-ids': text(),
});
type V2IgnoredValidations = Static<typeof V2_IGNORED_VALIDATIONS>;

/** The contract has no place for a reason; where there is one, people are told of it. */
const REASON_OF_THE_CONTRACT =
  'None was given: ignored-validations of the v2 API takes none. PUT …/validation-overrides of Muster does.';

/** Both lists travel as the text of a JSON array. */
@Controller('v2/clusters/:cluster_id/ignored-validations')
export class IgnoredValidationsController {
  constructor(
    private readonly commands: Commands,
    private readonly clusters: ClusterViews,
  ) {}

  @Get()
  @Answers('Shows which validations do not count for a cluster and its hosts.', V2_IGNORED_VALIDATIONS)
  @OnlyRoles('admin', 'user')
  @Accepts('userAuth')
  async show(@Id('cluster_id') clusterId: string): Promise<V2IgnoredValidations> {
    return present(await this.clusters.document(clusterId));
  }

  @Put()
  @HttpCode(201)
  @Answers('Replaces the lists of validations that do not count for a cluster and its hosts.', V2_IGNORED_VALIDATIONS)
  @OnlyRoles('admin', 'user')
  @Accepts('userAuth')
  async replace(
    @Id('cluster_id') clusterId: string,
    @JsonBody(IgnoredValidationsBody) body: IgnoredValidationsBody,
    @Context() context: CommandContext,
  ): Promise<V2IgnoredValidations> {
    const clusterIds = namesIn(body['cluster-validation-ids'], 'cluster-validation-ids');
    const hostIds = namesIn(body['host-validation-ids'], 'host-validation-ids');
    const known = present(await this.clusters.document(clusterId));
    const isSame =
      known['cluster-validation-ids'] === JSON.stringify(clusterIds) &&
      known['host-validation-ids'] === JSON.stringify(hostIds);
    const changes = {
      ignoredClusterValidations: { items: clusterIds },
      ignoredHostValidations: { items: hostIds },
      // Saying again what is so already takes nobody's reason away.
      ...(isSame ? {} : { ignoredValidationsReason: REASON_OF_THE_CONTRACT }),
    };
    await this.commands.execute(RegistrationService.method.reviseCluster, { clusterId, changes }, context);
    return present(await this.clusters.document(clusterId));
  }
}

const present = (cluster: ClusterDocument): V2IgnoredValidations => ({
  'cluster-validation-ids': cluster.ignored_cluster_validations ?? '[]',
  'host-validation-ids': cluster.ignored_host_validations ?? '[]',
});

function namesIn(text: string | undefined, subject: string): string[] {
  if (text === undefined || text === '') return [];
  try {
    const names: unknown = JSON.parse(text);
    if (Array.isArray(names) && names.every((name) => typeof name === 'string')) return names;
  } catch {
    // Said below: broken JSON and a document of another shape need the same remedy.
  }
  throw new RefusalError({
    code: 'invalid-input',
    reason: `${subject} must be the text of a JSON array of validation ids, such as '["ntp-synced"]'.`,
    subject,
  });
}
