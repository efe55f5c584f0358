import { Controller, Delete, HttpCode } from '@nestjs/common';
import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { AnswersNothing } from '../../api-document/answers.decorator';
import { Accepts } from '../../auth/accepts.decorator';
import { Context } from '../../auth/command-context.decorator';
import { Commands } from '../../bus/commands';
import { Id } from '../../http/parameters.decorators';

@Controller('v2/clusters/:cluster_id')
export class DeregisterClusterController {
  constructor(private readonly commands: Commands) {}

  @Delete()
  @HttpCode(204)
  @AnswersNothing('Deletes a cluster that is not being installed.')
  @Accepts('userAuth')
  async handle(@Id('cluster_id') clusterId: string, @Context() context: CommandContext): Promise<void> {
    await this.commands.execute(RegistrationService.method.deregisterCluster, { clusterId }, context);
  }
}
