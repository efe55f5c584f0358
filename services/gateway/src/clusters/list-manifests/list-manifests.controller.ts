import { Controller, Get } from '@nestjs/common';
import { list, ListManifestsQuery } from '@muster/assisted-api';
import { IgnitionService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Answers } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id, QueryOf } from '../../http/parameters.decorators';
import { presentManifest, V2_MANIFEST, type V2Manifest } from '../manifests';

@Controller('v2/clusters/:cluster_id/manifests')
export class ListManifestsController {
  constructor(private readonly commands: Commands) {}

  @Get()
  @Answers('Lists the manifests that a cluster is installed with.', list(V2_MANIFEST), { isEarlyAtTimes: true })
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
