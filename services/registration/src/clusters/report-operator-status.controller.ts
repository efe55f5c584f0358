import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { storedOrThrow } from '../aggregates/aggregate';
import { Aggregates } from '../aggregates/aggregates';

@Controller()
export class ReportOperatorStatusController {
  constructor(private readonly aggregates: Aggregates) {}

  @Handles(RegistrationService.method.reportOperatorStatus)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.reportOperatorStatus>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.reportOperatorStatus>> {
    const at = this.aggregates.now();
    const result = await this.aggregates.clusters.handle(
      request.clusterId,
      {
        type: 'ReportOperatorStatus',
        at,
        name: request.name,
        status: request.status,
        statusInfo: request.statusInfo,
        version: request.version,
      },
      context,
    );
    return { stored: storedOrThrow(result) };
  }
}
