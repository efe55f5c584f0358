import {
  type InfraEnvDocument,
  ListInfraEnvsQuery,
  RegisterInfraEnvBody,
  ReviseInfraEnvBody,
  toInfraEnvChanges,
  toInfraEnvDocuments,
  toInfraEnvSettings,
  V2_INFRA_ENV,
  type V2InfraEnv,
} from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import { defaultImageType } from '@muster/domain';
import type { CommandContext } from '@muster/event-sourcing';
import { IDS } from '@muster/nest-kit';
import type { Ids } from '@muster/ports';
import { Body, Controller, Delete, Get, HttpCode, Inject, Param, Patch, Post, Query, Req } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import type { FastifyRequest } from 'fastify';
import { Answers, AnswersNothing, AnswersText } from '../api-document/answers.decorator';
import { Accepts, type Caller, FiltersList } from '../auth/caller';
import { Ownership } from '../auth/ownership';
import { Context, newResourceId, CurrentCaller } from '../auth/request.decorators';
import { Commands } from '../bus/commands';
import { ReleaseChoice } from '../catalogue/release-choice';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import { type JsonAnswer, jsonPieces } from '../http/file-answers';
import { checkPullSecret, IdPipe } from '../http/request.pipes';
import { ClusterViews } from '../views/cluster-views';
import { InfraEnvViews } from '../views/infra-env-views';

@Controller('v2/infra-envs')
export class InfraEnvsController {
  constructor(
    private readonly infraEnvs: InfraEnvViews,
    private readonly ownership: Ownership,
    @Inject(IDS) private readonly ids: Ids,
    private readonly commands: Commands,
    private readonly releases: ReleaseChoice,
    private readonly clusters: ClusterViews,
    @Inject(GATEWAY_CONFIG) private readonly config: GatewayConfig,
  ) {}

  @Get()
  @AnswersText('List the infra-envs visible to the caller.', Type.Array(V2_INFRA_ENV), { refersToOthers: true })
  @Accepts('userAuth', 'watcherAuth')
  @FiltersList('clusterId')
  async listInfraEnvs(
    @Query() query: ListInfraEnvsQuery,
    @Req() request: FastifyRequest,
    @CurrentCaller() caller: Caller,
  ): Promise<JsonAnswer> {
    const wanted = { clusterId: query.cluster_id?.toLowerCase(), owner: query.owner };
    const isVisible = (infraEnv: InfraEnvDocument): boolean => this.ownership.shows(caller, infraEnv);
    return jsonPieces(await this.infraEnvs.list(wanted, isVisible, request));
  }

  @Post()
  @HttpCode(201)
  @Answers('Register an infra-env: a discovery image and the hosts that boot from it.', V2_INFRA_ENV, {
    refersToOthers: true,
  })
  @Accepts('userAuth')
  async registerInfraEnv(
    @Body() body: RegisterInfraEnvBody,
    @Context() context: CommandContext,
    @Req() request: FastifyRequest,
  ): Promise<V2InfraEnv> {
    checkPullSecret(body.pull_secret);
    const settings = toInfraEnvSettings(body);
    const cluster = settings.clusterId ? await this.clusters.document(settings.clusterId) : undefined;
    const version = body.openshift_version || cluster?.openshift_version || '';
    const infraEnvId = newResourceId(context, this.ids);
    await this.commands.execute(
      RegistrationService.method.registerInfraEnv,
      {
        infraEnvId,
        settings: {
          ...settings,
          ...this.ntpDefault(body),
          ...this.releases.ofInfraEnv(version, body.cpu_architecture, settings.imageType || defaultImageType(cluster)),
        },
        owner: { userName: context.user ?? '', orgId: context.org ?? '', emailDomain: '' },
        pullSecret: body.pull_secret,
        ...toInfraEnvDocuments(body),
      },
      context,
    );
    return this.infraEnvs.show(infraEnvId, request);
  }

  /** As for clusters. An empty text means no additional sources, as in assisted-service v2. */
  private ntpDefault(body: RegisterInfraEnvBody): { readonly additionalNtpSources?: string } {
    const { ntpDefaultServer } = this.config;
    const isGiven = body.ntp_sources || (body.additional_ntp_sources ?? undefined) !== undefined;
    return isGiven || !ntpDefaultServer ? {} : { additionalNtpSources: ntpDefaultServer };
  }

  @Get(':infra_env_id')
  @Answers('Show an infra-env.', V2_INFRA_ENV)
  @Accepts('userAuth', 'agentAuth', 'urlAuth', 'imageAuth', 'imageURLAuth')
  showInfraEnv(@Param('infra_env_id', IdPipe) infraEnvId: string, @Req() request: FastifyRequest): Promise<V2InfraEnv> {
    return this.infraEnvs.show(infraEnvId, request);
  }

  @Patch(':infra_env_id')
  @HttpCode(201)
  @Answers('Update the settings of an infra-env. Absent fields do not change.', V2_INFRA_ENV)
  @Accepts('userAuth')
  async reviseInfraEnv(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Body() body: ReviseInfraEnvBody,
    @Context() context: CommandContext,
    @Req() request: FastifyRequest,
  ): Promise<V2InfraEnv> {
    // Empty means unchanged, as in the v2 API.
    const pullSecret = body.pull_secret || undefined;
    if (pullSecret) checkPullSecret(pullSecret);
    const { cpu_architecture: architecture, type } = await this.infraEnvs.document(infraEnvId);
    const changes = toInfraEnvChanges(body);
    if (changes.openshiftVersion) {
      const chosen = this.releases.ofInfraEnv(changes.openshiftVersion, architecture, changes.imageType || type);
      changes.openshiftVersion = chosen.openshiftVersion;
    }
    const input = { infraEnvId, changes, pullSecret, ...toInfraEnvDocuments(body) };
    await this.commands.execute(RegistrationService.method.reviseInfraEnv, input, context);
    return this.infraEnvs.show(infraEnvId, request);
  }

  @Delete(':infra_env_id')
  @HttpCode(204)
  @AnswersNothing('Delete an infra-env that has no hosts.')
  @Accepts('userAuth')
  async deregisterInfraEnv(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Context() context: CommandContext,
  ): Promise<void> {
    await this.commands.execute(RegistrationService.method.deregisterInfraEnv, { infraEnvId }, context);
  }

  @Post(':infra_env_id/regenerate-signing-key')
  @HttpCode(204)
  @AnswersNothing('Rotate the image signing key; previously issued image URLs stop working.')
  @Accepts('userAuth')
  async regenerateSigningKey(
    @Param('infra_env_id', IdPipe) infraEnvId: string,
    @Context() context: CommandContext,
  ): Promise<void> {
    await this.commands.execute(RegistrationService.method.rotateSigningKey, { infraEnvId }, context);
  }
}
