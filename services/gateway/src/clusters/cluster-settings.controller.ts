import { DOCUMENT_MAX_CHARACTERS } from '@muster/assisted-api';
import { IgnitionService, RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { RefusalError } from '@muster/problems';
import { isObject, parseJson } from '@muster/schema';
import { Body, Controller, Get, Header, HttpCode, Param, Patch, Put } from '@nestjs/common';
import { Type } from '@sinclair/typebox';
import { Answers, AnswersNothing } from '../api-document/answers.decorator';
import { Accepts, type Caller, OnlyRoles } from '../auth/caller';
import { Ownership } from '../auth/ownership';
import { Context, CurrentCaller } from '../auth/request.decorators';
import { Commands } from '../bus/commands';
import { IdPipe, TextPipe } from '../http/request.pipes';
import { ClusterViews } from '../views/cluster-views';

@Controller('v2/clusters/:cluster_id')
export class ClusterSettingsController {
  constructor(
    private readonly commands: Commands,
    private readonly clusters: ClusterViews,
    private readonly ownership: Ownership,
  ) {}

  /** The response is a JSON string that contains the document. */
  @Get('install-config')
  @Header('content-type', 'application/json')
  @Answers('Get the install-config of a cluster as a string.', Type.String(), { mayBeNotReady: true })
  @Accepts('userAuth')
  async showInstallConfig(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Context() context: CommandContext,
    @CurrentCaller() caller: Caller,
  ): Promise<string> {
    const document = await this.clusters.document(clusterId);
    // With the pull secret a caller could act as a host, so readers get the document without it.
    const withoutSecrets = !(await this.ownership.permitsWrite(caller, document));
    const { content } = await this.commands.send(
      IgnitionService.method.renderInstallConfig,
      { clusterId, withoutSecrets },
      context,
    );
    return JSON.stringify(Buffer.from(content, 'base64').toString());
  }

  @Patch('install-config')
  @HttpCode(201)
  @AnswersNothing('Replace the overrides of the install-config of a cluster.')
  @Accepts('userAuth')
  async overrideInstallConfig(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Body(new TextPipe(DOCUMENT_MAX_CHARACTERS)) installConfigOverrides: string,
    @Context() context: CommandContext,
  ): Promise<void> {
    if (installConfigOverrides !== '' && !isObject(parseJson(installConfigOverrides))) {
      throw new RefusalError({
        code: 'invalid-input',
        reason: 'The install-config override must be the text of a JSON object. An empty text removes it.',
      });
    }
    const input = { clusterId, changes: {}, installConfigOverrides };
    await this.commands.execute(RegistrationService.method.reviseCluster, input, context);
  }

  /**
   * Settings of a web console. The service stores them without reading them. The request and the response are one JSON
   * string each.
   */
  @Get('ui-settings')
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Answers('Get the settings that a web console stores with a cluster.', Type.String())
  @OnlyRoles('admin', 'user')
  @Accepts('userAuth')
  async showUiSettings(@Param('cluster_id', IdPipe) clusterId: string): Promise<string> {
    return JSON.stringify(await this.clusters.uiSettings(clusterId));
  }

  @Put('ui-settings')
  @HttpCode(200)
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Answers('Replace the settings that a web console stores with a cluster.', Type.String())
  @OnlyRoles('admin', 'user')
  @Accepts('userAuth')
  async keepUiSettings(
    @Param('cluster_id', IdPipe) clusterId: string,
    @Body(new TextPipe(DOCUMENT_MAX_CHARACTERS)) uiSettings: string,
    @Context() context: CommandContext,
  ): Promise<string> {
    await this.commands.execute(
      RegistrationService.method.reviseCluster,
      { clusterId, changes: {}, uiSettings },
      context,
    );
    return JSON.stringify(uiSettings);
  }
}
