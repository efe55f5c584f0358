import type { HostKey } from '@muster/contracts';
import { DeadlineScheduler } from '@muster/event-sourcing';
import { PLATFORM, type Platform } from '@muster/nest-kit';
import { Inject, Injectable, type OnApplicationShutdown } from '@nestjs/common';
import { CONFIG, type RegistrationConfig } from '../config';
import { Aggregates } from '../aggregates/aggregates';
import { RegistrationView } from './registration-view';

/** Signs of life, in memory only. What is stored is the edge: a host fell silent, a host returned. */
@Injectable()
export class Presence implements OnApplicationShutdown {
  private readonly seenAtMs = new Map<HostKey, number>();
  private readonly scheduler: DeadlineScheduler;

  constructor(
    @Inject(PLATFORM) private readonly platform: Platform,
    @Inject(CONFIG) private readonly config: RegistrationConfig,
    private readonly aggregates: Aggregates,
    private readonly view: RegistrationView,
  ) {
    this.scheduler = new DeadlineScheduler(platform.clock, ({ key }) => void this.check(key as HostKey));
    this.scheduler.start();
  }

  /** A request came from the host's agent. */
  async seen(key: HostKey): Promise<void> {
    const isFirst = !this.seenAtMs.has(key);
    this.seenAtMs.set(key, this.platform.clock.nowMs());
    if (isFirst) this.expect(key);
    if (this.view.host(key)?.state.isSilent) {
      await this.aggregates.hosts.handle(
        key,
        { type: 'Return', at: this.aggregates.now() },
        this.aggregates.ownContext(),
      );
    }
  }

  /** After a start every open host gets a full period of grace before its silence counts. */
  expectAfterStart(key: HostKey): void {
    if (this.seenAtMs.has(key)) return;
    this.seenAtMs.set(key, this.platform.clock.nowMs());
    this.expect(key);
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

  private expect(key: HostKey): void {
    const seen = this.seenAtMs.get(key);
    if (seen !== undefined) this.scheduler.set(key, [{ name: 'silence', atMs: seen + this.allowedMs(key) }]);
  }

  private allowedMs(key: HostKey): number {
    const extra = this.view.host(key)?.state.isBootstrap ? this.config.bootstrapExtraDisconnectionMs : 0;
    return this.config.maxDisconnectionMs + extra;
  }

  /** The deadline of the last known sign of life: there may have been newer ones since. */
  private async check(key: HostKey): Promise<void> {
    const seen = this.seenAtMs.get(key);
    if (seen === undefined) return;
    if (seen + this.allowedMs(key) > this.platform.clock.nowMs()) return this.expect(key);
    this.seenAtMs.delete(key);
    const lastSeenAt = new Date(seen).toISOString();
    await this.aggregates.hosts.handle(
      key,
      { type: 'FallSilent', at: this.aggregates.now(), lastSeenAt },
      this.aggregates.ownContext(),
    );
  }
}
