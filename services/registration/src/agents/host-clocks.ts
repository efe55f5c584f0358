import type { HostKey } from '@muster/contracts';
import { hasClockMoved } from '@muster/inventory';
import { CLOCK } from '@muster/nest-kit';
import type { Clock } from '@muster/ports';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Aggregates } from '../aggregates/aggregates';
import { Reports } from './reports';

/** The offset of each host's clock. Every poll measures it; a change is reported. */
@Injectable()
export class HostClocks {
  private readonly logger = new Logger('registration');
  private readonly offsets = new Map<HostKey, { readonly epoch: number; readonly seconds: number }>();

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly aggregates: Aggregates,
    private readonly reports: Reports,
  ) {}

  forget(key: HostKey): void {
    this.offsets.delete(key);
  }

  /** `timestampSeconds`: time of the host at its poll; 0 when it is not known. Neither delays nor fails the poll. */
  measured(key: HostKey, epoch: number, timestampSeconds: number): void {
    if (timestampSeconds === 0) return;
    const seconds = Math.round(timestampSeconds - this.clock.nowMs() / 1_000);
    const known = this.offsets.get(key);
    if (known?.epoch === epoch && !hasClockMoved(known.seconds, seconds)) return;
    this.offsets.set(key, { epoch, seconds });
    this.report(key, epoch, seconds).catch((error: Error) => {
      this.offsets.delete(key);
      this.logger.warn(`The clock offset of host ${key} was not recorded: ${error.message}`);
    });
  }

  private async report(key: HostKey, epoch: number, seconds: number): Promise<void> {
    const output = JSON.stringify({ offset_seconds: seconds });
    const step = { hostKey: key, stepType: 'clock-offset', output, error: '', exitCode: 0, epoch };
    await this.reports.record(key, this.reports.read(step), this.aggregates.ownContext());
  }
}
