import { Controller, Get } from '@nestjs/common';
import { ListManifestsQuery } from '@muster/assisted-api';
import { IgnitionService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id, QueryOf } from '../../http/parameters.decorators';
import { presentManifest, type V2Manifest } from '../manifests';

@Controller('v2/clusters/:cluster_id/manifests')
export class ListManifestsController {
  constructor(private readonly commands: Commands) {}

  @Get()
  @Accepts('userAuth')
  async handle(
    @Id('cluster_id') clusterId: string,
    @QueryOf(ListManifestsQuery) query: ListManifestsQuery,
    @Context() context: CommandContext,
  ): Promise<readonly V2Manifest[]> {
    const { manifests } = await this.commands.ask(
      IgnitionService.method.listManifests,
      { clusterId, includeSystemGenerated: query.include_system_generated ?? false },
      context,
    );
    return manifests.map(presentManifest);
  }
}
