import { parseHostKey } from '@muster/contracts';
import type { CommandContext } from '@muster/event-sourcing';
import { type InputOf, OBJECT_STORE, SECRETS } from '@muster/nest-kit';
import type { ObjectStore, Secrets } from '@muster/ports';
import type { InventoryService } from '@muster/contracts';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';
import { CONFIG, type InventoryConfig } from '../config';
import { isNews } from '../reports/inventory.decider';
import type { Report, ReportReader } from '../reports/report';
import { reportReaders } from '../reports/report-readers.table';
import { Reports } from '../reports/reports';
import { ShapeError } from '../shapes/shape';

type Request = InputOf<typeof InventoryService.method.recordReport>;

/**
 * Takes one step's output. 1. It is read by the model of its step, or refused with the place that is wrong. 2. What is
 * known already changes nothing. 3. Secrets are sealed and the body is stored. 4. The fact is appended, which refers to them.
 */
@Injectable()
export class RecordReport {
  private readonly readers: ReadonlyMap<string, ReportReader>;

  constructor(
    @Inject(OBJECT_STORE) private readonly objectStore: ObjectStore,
    @Inject(SECRETS) private readonly secrets: Secrets,
    @Inject(CONFIG) config: InventoryConfig,
    private readonly reports: Reports,
  ) {
    this.readers = reportReaders(config);
  }

  async handle(
    request: Request,
    context: CommandContext,
  ): Promise<{ readonly position: number; readonly revision: number }> {
    const { state, position, revision } = await this.reports.load(request.hostKey);
    const report = this.read(request);
    if (!isNews(report.event, state)) return { position, revision };
    await this.keep(request.hostKey, report);
    return this.reports.command(request.hostKey, { type: 'RecordReport', event: report.event }, context);
  }

  /** What it would be recorded as. Throws RefusalError when it cannot be read. */
  read(request: Pick<Request, 'stepType' | 'hostKey' | 'output' | 'exitCode' | 'error' | 'epoch'>): Report {
    const reader = this.readers.get(request.stepType);
    if (!reader)
      throw new RefusalError({
        code: 'invalid-input',
        reason: `Step type "${request.stepType.slice(0, 100)}" has no report.`,
        subject: 'stepType',
        allowed: [...this.readers.keys()],
      });
    if (Buffer.byteLength(request.output) > reader.maxBytes)
      throw new RefusalError({
        code: 'too-large',
        reason: `The output of ${request.stepType} is larger than the allowed ${reader.maxBytes} bytes.`,
        subject: 'output',
      });
    try {
      return reader.read(request);
    } catch (error) {
      if (!(error instanceof ShapeError)) throw error;
      throw new RefusalError({
        code: 'invalid-input',
        reason: `The output of ${request.stepType} cannot be read: ${error.message}.`,
        subject: error.path,
      });
    }
  }

  private async keep(hostKey: string, { body, secret }: Report): Promise<void> {
    if (secret) await this.secrets.seal(parseHostKey(hostKey).infraEnvId, secret.name, Buffer.from(secret.plaintext));
    if (!body) return;
    const bytes = Buffer.from(body.text);
    await this.objectStore.put(bytes, bytes.length);
  }
}
