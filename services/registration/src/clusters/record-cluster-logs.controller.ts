import { RegistrationService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { storedOrThrow } from '../aggregates/aggregate';
import { Aggregates } from '../aggregates/aggregates';

@Controller()
export class RecordClusterLogsController {
  constructor(private readonly aggregates: Aggregates) {}

  @Handles(RegistrationService.method.recordClusterLogs)
  async handle(
    @Payload() request: InputOf<typeof RegistrationService.method.recordClusterLogs>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof RegistrationService.method.recordClusterLogs>> {
    const { body, logsType, hostId, logsState } = request;
    const report = body
      ? ({ kind: 'collected', logsType, hostId, body } as const)
      : ({ kind: 'state', logsState } as const);
    const result = await this.aggregates.clusters.handle(
      request.clusterId,
      { type: 'RecordLogs', at: this.aggregates.now(), report },
      context,
    );
    return { stored: storedOrThrow(result) };
  }
}
