import type { HostKey } from '@muster/contracts';
import { hostPermits } from '@muster/domain';
import { DeadlineScheduler } from '@muster/event-sourcing';
import { CLOCK } from '@muster/nest-kit';
import type { Clock } from '@muster/ports';
import { Inject, Injectable, Logger, type OnApplicationShutdown } from '@nestjs/common';
import { Aggregates } from '../aggregates/aggregates';
import { CONFIG, type RegistrationConfig } from '../config';
import { RegistrationView } from '../view/registration-view';

/** A silence that could not be stored (the store is away, say) is looked at again after this long. */
const RETRY_MS = 5_000;

/** Signs of life, in memory only. What is stored is the edge: a host fell silent, a host returned. */
@Injectable()
export class Presence implements OnApplicationShutdown {
  private readonly logger = new Logger('registration');
  private readonly seenAtMs = new Map<HostKey, number>();
  private readonly scheduler: DeadlineScheduler;

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
  ) {
    this.scheduler = new DeadlineScheduler(clock, ({ key }) => void this.check(key as HostKey));
  }

  /** Every host that should be polling gets a full period of grace before its silence counts. */
  start(): void {
    for (const { key, state } of this.view.allHosts())
      if (hostPermits('poll', state.status) && !state.isSilent && !this.seenAtMs.has(key)) this.note(key);
    this.scheduler.start();
  }

  /** A request came from the host's agent. */
  async seen(key: HostKey): Promise<void> {
    this.note(key);
    if (this.view.host(key)?.state.isSilent) await this.tell(key, { type: 'Return', at: this.aggregates.now() });
  }

  forget(key: HostKey): void {
    this.seenAtMs.delete(key);
    this.scheduler.set(key, []);
  }

  /** ISO time of the last sign of life, or undefined. */
  lastSeenAt(key: HostKey): string | undefined {
    const seen = this.seenAtMs.get(key);
    return seen === undefined ? undefined : new Date(seen).toISOString();
  }

  onApplicationShutdown(): void {
    this.scheduler.close();
  }

  private note(key: HostKey): void {
    const isFirst = !this.seenAtMs.has(key);
    const nowMs = this.clock.nowMs();
    this.seenAtMs.set(key, nowMs);
    // A poll moves nothing in the heap: when the deadline comes, the last sign of life is looked up.
    if (isFirst) this.look(key, nowMs + this.allowedMs(key));
  }

  private look(key: HostKey, atMs: number): void {
    this.scheduler.set(key, [{ name: 'silence', atMs }]);
  }

  private allowedMs(key: HostKey): number {
    const extra = this.view.host(key)?.state.isBootstrap ? this.config.bootstrapExtraDisconnectionMs : 0;
    return this.config.maxDisconnectionMs + extra;
  }

  private async check(key: HostKey): Promise<void> {
    const seen = this.seenAtMs.get(key);
    if (seen === undefined) return;
    const dueAtMs = seen + this.allowedMs(key);
    if (dueAtMs > this.clock.nowMs()) return this.look(key, dueAtMs);
    this.seenAtMs.delete(key);
    const [at, lastSeenAt] = [this.aggregates.now(), new Date(seen).toISOString()];
    try {
      await this.tell(key, { type: 'FallSilent', at, lastSeenAt });
      // It spoke while its silence was being stored.
      if (this.seenAtMs.has(key)) await this.tell(key, { type: 'Return', at: this.aggregates.now() });
    } catch (error) {
      this.logger.error(`silence of ${key}: ${String(error)}`);
      if (!this.seenAtMs.has(key)) this.seenAtMs.set(key, seen);
      this.look(key, this.clock.nowMs() + RETRY_MS);
    }
  }

  private async tell(key: HostKey, command: Parameters<Aggregates['hosts']['handle']>[1]): Promise<void> {
    await this.aggregates.hosts.handle(key, command, this.aggregates.ownContext(this.view.host(key)));
  }
}
