import { hostKeyOf, RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { storedOrThrow } from '../aggregates/aggregate';
import { Aggregates } from '../aggregates/aggregates';

@Controller()
export class ReportHostProgressController {
  constructor(private readonly aggregates: Aggregates) {}

  @Handles(RegistrationService.method.reportHostProgress)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.reportHostProgress>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.reportHostProgress>> {
    const key = hostKeyOf(request.infraEnvId, request.hostId);
    const { state } = await this.aggregates.hosts.load(key);
    const cluster = state.clusterId ? (await this.aggregates.clusters.load(state.clusterId)).state : undefined;
    const result = await this.aggregates.hosts.handle(
      key,
      {
        type: 'ReportProgress',
        at: this.aggregates.now(),
        stage: request.stage,
        info: request.progressInfo,
        controlPlaneCount: cluster?.settings.controlPlaneCount ?? 3,
        isKubeApi: false,
      },
      context,
    );
    return { stored: storedOrThrow(result) };
  }
}
