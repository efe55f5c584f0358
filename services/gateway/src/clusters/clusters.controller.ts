import {
  type ClusterDocument,
  ListClusterHostsQuery,
  ListClustersQuery,
  RegisterClusterBody,
  RegisterDisconnectedClusterBody,
  ReviseClusterBody,
  ShowClusterQuery,
  toClusterChanges,
  toClusterSettings,
  toFirstNetworks,
  toOperatorBundles,
  V2_CLUSTER,
  V2_HOST,
} from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { IDS } from '@muster/nest-kit';
import type { Ids } from '@muster/ports';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { AnswersNothing, AnswersText } from '../api-document/answers.decorator';
import { Accepts, type Caller } from '../auth/caller';
import { Ownership, seesEverything } from '../auth/ownership';
import { Context, isRepeatable, newResourceId, CurrentCaller, WithDeleted } from '../auth/request.decorators';
import { Commands } from '../bus/commands';
import { ReleaseChoice } from '../catalogue/release-choice';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { type JsonAnswer, jsonPieces } from '../http/file-answers';
import { SendsAgentVersion } from '../http/headers';
import { checkPullSecret, IdPipe } from '../http/request.pipes';
import { ClusterViews } from '../views/cluster-views';

@Controller('v2/clusters')
export class ClustersController {
  constructor(
    private readonly clusters: ClusterViews,
    private readonly ownership: Ownership,
    @Inject(IDS) private readonly ids: Ids,
    private readonly commands: Commands,
    private readonly releases: ReleaseChoice,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Get()
  @AnswersText('List the clusters visible to the caller.', Type.Array(V2_CLUSTER))
  @Accepts('userAuth', 'watcherAuth')
  async listClusters(
    @Query() query: ListClustersQuery,
    @CurrentCaller() caller: Caller,
    @WithDeleted() withDeleted: boolean,
  ): Promise<JsonAnswer> {
    const isWanted = toFilter(query);
    const filter = (cluster: ClusterDocument): boolean => isWanted(cluster) && this.ownership.shows(caller, cluster);
    const options = { withHosts: query.with_hosts ?? false, withDeleted, isReader: this.readerOf(caller) };
    return jsonPieces(await this.clusters.list(filter, options));
  }

  private readerOf(caller: Caller): ((cluster: ClusterDocument) => Promise<boolean>) | undefined {
    if (seesEverything(caller, 'write')) return undefined;
    return async (cluster) => !(await this.ownership.permitsWrite(caller, cluster));
  }

  @Post()
  @HttpCode(201)
  @AnswersText('Register a cluster.', V2_CLUSTER, { refersToOthers: true })
  @Accepts('userAuth')
  async registerCluster(
    @Body() body: RegisterClusterBody,
    @Context() context: CommandContext,
    @CurrentCaller() caller: Caller,
  ): Promise<JsonAnswer> {
    checkPullSecret(body.pull_secret);
    const clusterId = newResourceId(context, this.ids);
    await this.commands.execute(
      RegistrationService.method.registerCluster,
      {
        clusterId,
        kind: 'Cluster',
        settings: { ...this.ntpDefault(body), ...toClusterSettings(body), ...this.releases.ofCluster(body, caller) },
        owner: { userName: context.user ?? '', orgId: context.org ?? '', emailDomain: '' },
        pullSecret: body.pull_secret,
        operatorBundles: toOperatorBundles(body.operator_bundles),
        openshiftClusterId: '',
        imported: false,
        requestedArchitecture: this.releases.architectureOf(body),
      },
      context,
    );
    return this.clusters.show(clusterId, { withHosts: isRepeatable(context) });
  }

  /** Hosts need an NTP source. Without one in the request, the default of the service applies. */
  private ntpDefault(body: RegisterClusterBody): { readonly additionalNtpSource?: string } {
    const { ntpDefaultServer } = this.config;
    return !ntpDefaultServer || body.additional_ntp_source || body.ntp_sources
      ? {}
      : { additionalNtpSource: ntpDefaultServer };
  }

  /** The hosts of this cluster do not connect to this service. It stores only the input of their image. */
  @Post('disconnected')
  @HttpCode(201)
  @AnswersText('Register a cluster whose hosts do not connect to this service.', V2_CLUSTER)
  @Accepts('userAuth')
  async registerDisconnectedCluster(
    @Body() body: RegisterDisconnectedClusterBody,
    @Context() context: CommandContext,
    @CurrentCaller() caller: Caller,
  ): Promise<JsonAnswer> {
    const clusterId = newResourceId(context, this.ids);
    await this.commands.execute(
      RegistrationService.method.registerCluster,
      {
        clusterId,
        kind: 'DisconnectedCluster',
        settings: { name: body.name, ...this.releases.ofCluster(body, caller) },
        owner: { userName: context.user ?? '', orgId: context.org ?? '', emailDomain: '' },
        pullSecret: '',
        openshiftClusterId: '',
        imported: false,
      },
      context,
    );
    return this.clusters.show(clusterId, { withHosts: isRepeatable(context) });
  }

  @Get(':cluster_id')
  @SendsAgentVersion()
  @AnswersText('Show a cluster.', V2_CLUSTER)
  @Accepts('userAuth', 'agentAuth', 'watcherAuth')
  async showCluster(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Query() query: ShowClusterQuery,
    @WithDeleted() withDeleted: boolean,
    @CurrentCaller() caller: Caller,
  ): Promise<JsonAnswer> {
    const options = { withHosts: !query['exclude-hosts'], withDeleted, isReader: this.readerOf(caller) };
    return jsonPieces(await this.clusters.text(clusterId, options));
  }

  @Patch(':cluster_id')
  @HttpCode(201)
  @AnswersText('Update the settings of a cluster. Absent fields do not change.', V2_CLUSTER)
  @Accepts('userAuth')
  async reviseCluster(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Body() body: ReviseClusterBody,
    @Context() context: CommandContext,
  ): Promise<JsonAnswer> {
    // Empty means unchanged, because clients send every field of their form.
    const pullSecret = body.pull_secret || undefined;
    if (pullSecret) checkPullSecret(pullSecret);
    await this.commands.execute(
      RegistrationService.method.reviseCluster,
      {
        clusterId,
        changes: toClusterChanges(body),
        firstNetworks: toFirstNetworks(body),
        pullSecret,
        operatorBundles: toOperatorBundles(body.operator_bundles),
      },
      context,
    );
    return this.clusters.show(clusterId);
  }

  @Delete(':cluster_id')
  @HttpCode(204)
  @AnswersNothing('Delete a cluster that is not being installed.')
  @Accepts('userAuth')
  async deregisterCluster(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Context() context: CommandContext,
  ): Promise<void> {
    await this.commands.execute(RegistrationService.method.deregisterCluster, { clusterId }, context);
  }

  @Get(':cluster_id/hosts')
  @AnswersText('List the hosts of a cluster.', Type.Array(V2_HOST))
  @Accepts('userAuth', 'agentAuth')
  async listClusterHosts(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Query() query: ListClusterHostsQuery,
  ): Promise<JsonAnswer> {
    const hosts = await this.clusters.hostsOf(
      clusterId,
      ({ role, status }) => (!query.role || role === query.role) && (!query.status || status === query.status),
      { inventory: query['with-inventory'] ?? false, connectivity: query['with-connectivity'] ?? false },
    );
    return jsonPieces(hosts);
  }
}

function toFilter(query: ListClustersQuery): (cluster: ClusterDocument) => boolean {
  const { owner } = query;
  const openshiftClusterId = query.openshift_cluster_id?.toLowerCase();
  // No cluster of this service has a subscription, so a filter by subscription matches none.
  const bySubscription = (query.ams_subscription_ids ?? []).length > 0;
  return (cluster) =>
    !bySubscription &&
    (!openshiftClusterId || cluster.openshift_cluster_id === openshiftClusterId) &&
    (!owner || cluster.user_name === owner);
}
