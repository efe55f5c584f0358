import { InventoryService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { Reports } from '../reports/reports';

/** A result no longer counts, so that its step runs again. */
@Controller()
export class ClearReportController {
  constructor(private readonly reports: Reports) {}

  @Handles(InventoryService.method.clearReport)
  async handle(
    @Payload() { hostKey, stepType, epoch }: InputOf<typeof InventoryService.method.clearReport>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof InventoryService.method.clearReport>> {
    await this.reports.load(hostKey);
    return { stored: await this.reports.command(hostKey, { type: 'ClearReport', stepType, epoch }, context) };
  }
}
