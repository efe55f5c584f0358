import { type HostKey, InventoryService } from '@muster/contracts';
import { callService, REQUESTS, CLOCK } from '@muster/nest-kit';
import type { Clock, Requests } from '@muster/ports';
import { Inject, Injectable, Logger } from '@nestjs/common';
import { Aggregates } from '../aggregates/aggregates';

/** A clock that moved by less is the same clock: network time and delay are in the measurement. */
const OFFSET_CHANGE_SECONDS_MIN = 30;

/** How far hosts' clocks are from this one's. Every poll measures; only a change is told. */
@Injectable()
export class HostClocks {
  private readonly logger = new Logger('registration');
  private readonly offsets = new Map<HostKey, { readonly epoch: number; readonly seconds: number }>();

  constructor(
    @Inject(REQUESTS) private readonly requests: Requests,
    @Inject(CLOCK) private readonly clock: Clock,
    private readonly aggregates: Aggregates,
  ) {}

  forget(key: HostKey): void {
    this.offsets.delete(key);
  }

  /** `timestampSeconds`: the host's clock as it asked; 0 when it did not say. Never delays or fails the poll. */
  measured(key: HostKey, epoch: number, timestampSeconds: number): void {
    if (timestampSeconds === 0) return;
    const seconds = Math.round(timestampSeconds - this.clock.nowMs() / 1_000);
    const known = this.offsets.get(key);
    if (known?.epoch === epoch && Math.abs(known.seconds - seconds) < OFFSET_CHANGE_SECONDS_MIN) return;
    this.offsets.set(key, { epoch, seconds });
    const report = {
      hostKey: key,
      stepType: 'clock-offset',
      output: JSON.stringify({ offset_seconds: seconds }),
      exitCode: 0,
      error: '',
      epoch,
    };
    callService(this.requests, InventoryService.method.recordReport, report, this.aggregates.ownContext()).catch(
      (error: Error) => {
        this.offsets.delete(key);
        this.logger.warn(`clock of ${key}: ${error.message}`);
      },
    );
  }
}
