import { InventoryService } from '@muster/contracts';
import type { CommandContext, StoredReply } from '@muster/event-sourcing';
import { Handles, type InputOf, type OutputOf, READ_REPORT, type ReadReport } from '@muster/nest-kit';
import { RefusalError } from '@muster/problems';
import { Controller, Inject } from '@nestjs/common';
import { Reports } from './reports';

const { method } = InventoryService;

/** Generation of a host that does not exist. */
const FIRST_GENERATION = 1;

/** Message handlers for reports of hosts. */
@Controller()
export class InventoryController {
  constructor(
    private readonly reports: Reports,
    @Inject(READ_REPORT) private readonly readReport: ReadReport,
  ) {}

  @Handles(method.recordReport)
  async record(
    { hostKey, type, data = {}, ...attachments }: InputOf<typeof method.recordReport>,
    context: CommandContext,
  ): Promise<StoredReply> {
    return { stored: await this.reports.record(hostKey, type, data, attachments, context) };
  }

  @Handles(method.clearReport)
  async clear(
    { hostKey, stepType, generation }: InputOf<typeof method.clearReport>,
    context: CommandContext,
  ): Promise<StoredReply> {
    return { stored: await this.reports.clear(hostKey, stepType, generation, context) };
  }

  /** Parses an output without recording it. The reply contains no secrets. */
  @Handles(method.readReport)
  async read(request: InputOf<typeof method.readReport>): Promise<OutputOf<typeof method.readReport>> {
    const result = await this.readReport({ ...request, generation: FIRST_GENERATION });
    if (result.kind === 'refused') throw new RefusalError(result.refusal);
    const { type, data } = result.report.event;
    return { type, data: { ...data } };
  }
}
