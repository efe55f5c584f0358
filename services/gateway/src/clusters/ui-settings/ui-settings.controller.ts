import { Controller, Get, Header, HttpCode, Put } from '@nestjs/common';
import { DOCUMENT_MAX_CHARACTERS, text } from '@muster/assisted-api';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts, OnlyRoles } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id, TextBody } from '../../http/parameters.decorators';
import { ClusterViews } from '../../views/cluster-views';

/** Text that a console keeps with a cluster; nobody here reads it. Both bodies are one JSON string. */
@Controller('v2/clusters/:cluster_id/ui-settings')
export class UiSettingsController {
  constructor(
    private readonly commands: Commands,
    private readonly clusters: ClusterViews,
  ) {}

  @Get()
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Answers('Shows the text that a console keeps with the cluster.', text())
  @OnlyRoles('admin', 'user')
  @Accepts('userAuth')
  async show(@Id('cluster_id') clusterId: string): Promise<string> {
    return JSON.stringify((await this.clusters.document(clusterId))._ui_settings);
  }

  @Put()
  @HttpCode(200)
  @Header('Content-Type', 'application/json; charset=utf-8')
  @Answers('Replaces the text that a console keeps with the cluster.', text())
  @OnlyRoles('admin', 'user')
  @Accepts('userAuth')
  async keep(
    @Id('cluster_id') clusterId: string,
    @TextBody(DOCUMENT_MAX_CHARACTERS) uiSettings: string,
    @Context() context: CommandContext,
  ): Promise<string> {
    await this.commands.execute(
      RegistrationService.method.reviseCluster,
      { clusterId, changes: { uiSettings } },
      context,
    );
    return JSON.stringify(uiSettings);
  }
}
