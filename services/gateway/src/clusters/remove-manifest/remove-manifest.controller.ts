import { Controller, Delete } from '@nestjs/common';
import { ManifestQuery } from '@muster/assisted-api';
import { IgnitionService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { AnswersNothing } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id, QueryOf } from '../../http/parameters.decorators';

@Controller('v2/clusters/:cluster_id/manifests')
export class RemoveManifestController {
  constructor(private readonly commands: Commands) {}

  /** One that is not there counts as removed. */
  @Delete()
  @AnswersNothing('Removes a manifest; one that is not there counts as removed.')
  @Accepts('userAuth')
  async handle(
    @Id('cluster_id') clusterId: string,
    @QueryOf(ManifestQuery) { folder = 'manifests', file_name: fileName }: ManifestQuery,
    @Context() context: CommandContext,
  ): Promise<void> {
    await this.commands.execute(IgnitionService.method.removeManifest, { clusterId, folder, fileName }, context);
  }
}
