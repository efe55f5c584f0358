import { BoundedMap } from '@muster/event-sourcing';
import { CLOCK } from '@muster/nest-kit';
import { type Clock, steadyClock } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { Inject, Injectable } from '@nestjs/common';
import { GATEWAY_CONFIG, type GatewayConfig } from '../config';
import type { Caller } from './caller';

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
/** Number of addresses and callers that are counted. Above it, the oldest window is removed. */
const REMEMBERED_MAX = 50_000;

interface Window {
  readonly endsAtMs: number;
  count: number;
}

/**
 * Limits request rates per caller. A refusal has the code `too-many-requests` and the time after which the caller may
 * retry.
 */
@Injectable()
export class RequestRates {
  private readonly failures = new BoundedMap<string, Window>(REMEMBERED_MAX);
  private readonly events = new BoundedMap<string, Window>(REMEMBERED_MAX);
  private readonly requests = new BoundedMap<string, Window>(REMEMBERED_MAX);
  private readonly steady: Clock;

  constructor(
    @Inject(CLOCK) clock: Clock,
    @Inject(GATEWAY_CONFIG)
    private readonly config: Pick<
      GatewayConfig,
      'requestsPerSecondMax' | 'failedProofsPerMinuteMax' | 'eventsPerMinuteMax'
    >,
  ) {
    this.steady = steadyClock(clock);
  }

  /**
   * Counts a failed authentication of an address. Callers with valid credentials from the same address are still
   * served, because a whole site may share one address.
   * @throws RefusalError `too-many-requests` above the limit.
   */
  countFailure(address: string): void {
    const { failedProofsPerMinuteMax } = this.config;
    if (failedProofsPerMinuteMax === 0) return;
    const window = this.windowOf(this.failures, address, MINUTE_MS);
    window.count += 1;
    if (window.count > failedProofsPerMinuteMax)
      throw this.tooMany(
        window,
        `Too many failed authentication attempts from this address (limit ${failedProofsPerMinuteMax} per minute).`,
      );
  }

  /** @throws RefusalError `too-many-requests` when the caller exceeds the limit of the setting. */
  count(caller: string): void {
    const { requestsPerSecondMax } = this.config;
    if (requestsPerSecondMax === 0) return;
    const window = this.windowOf(this.requests, caller, SECOND_MS);
    window.count += 1;
    if (window.count > requestsPerSecondMax)
      throw this.tooMany(window, `Too many requests (limit ${requestsPerSecondMax} per second).`);
  }

  /** @throws RefusalError `too-many-requests` when the token or user adds more events than the setting allows. */
  countEvent(caller: Caller): void {
    const { eventsPerMinuteMax } = this.config;
    if (eventsPerMinuteMax === 0) return;
    const window = this.windowOf(
      this.events,
      caller.scope ? Object.values(caller.scope).join() : caller.user,
      MINUTE_MS,
    );
    window.count += 1;
    if (window.count > eventsPerMinuteMax)
      throw this.tooMany(window, `Too many events from this token (limit ${eventsPerMinuteMax} per minute).`);
  }

  private windowOf(windows: BoundedMap<string, Window>, key: string, lengthMs: number): Window {
    const known = windows.get(key);
    if (known && known.endsAtMs > this.now()) return known;
    const window = { endsAtMs: this.now() + lengthMs, count: 0 };
    windows.set(key, window);
    return window;
  }

  private tooMany({ endsAtMs }: Window, reason: string): RefusalError {
    const seconds = Math.max(1, Math.ceil((endsAtMs - this.now()) / SECOND_MS));
    return new RefusalError({ code: 'too-many-requests', reason, retryAfterSeconds: seconds });
  }

  private now(): number {
    return this.steady.nowMs();
  }
}
