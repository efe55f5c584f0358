import { InventoryService } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import { Controller } from '@nestjs/common';
import { Ctx, Payload } from '@nestjs/microservices';
import { RecordReport } from './record-report';

@Controller()
export class RecordReportController {
  constructor(private readonly recordReport: RecordReport) {}

  @Handles(InventoryService.method.recordReport)
  async handle(
    @Payload() request: InputOf<typeof InventoryService.method.recordReport>,
    @Ctx() context: CommandContext,
  ): Promise<OutputOf<typeof InventoryService.method.recordReport>> {
    return { stored: await this.recordReport.handle(request, context) };
  }
}
