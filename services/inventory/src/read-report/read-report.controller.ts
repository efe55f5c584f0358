import { InventoryService } from '@muster/contracts';
import { Handles, type InputOf, type OutputOf } from '@muster/nest-kit';
import type { JsonObject } from '@muster/ports';
import { Controller } from '@nestjs/common';
import { Payload } from '@nestjs/microservices';
import { RecordReport } from '../record-report/record-report';

/** Epoch of hosts that exist nowhere. */
const FIRST_EPOCH = 1;

/** What a report says, for those who only want to know; what goes to the vault stays out of it. */
@Controller()
export class ReadReportController {
  constructor(private readonly recordReport: RecordReport) {}

  @Handles(InventoryService.method.readReport)
  handle(
    @Payload() request: InputOf<typeof InventoryService.method.readReport>,
  ): OutputOf<typeof InventoryService.method.readReport> {
    const { type, data } = this.recordReport.read({ ...request, epoch: FIRST_EPOCH }).event;
    return { type, data: data as unknown as JsonObject };
  }
}
