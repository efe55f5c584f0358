import { BoundedMap } from '@muster/event-sourcing';
import { Inject, Injectable } from '@nestjs/common';
import { CLOCK } from '@muster/nest-kit';
import type { Clock } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { type GatewayConfig, GATEWAY_CONFIG } from '../config';

const MINUTE_MS = 60_000;
const SECOND_MS = 1_000;
/** Addresses and callers that are remembered; beyond it the oldest window is forgotten. */
const REMEMBERED_MAX = 50_000;

interface Window {
  readonly endsAtMs: number;
  count: number;
}

/** How often somebody asks. Refuses with `too-many-requests` and when to come back. */
@Injectable()
export class RequestRates {
  private readonly failures = new BoundedMap<string, Window>(REMEMBERED_MAX);
  private readonly requests = new BoundedMap<string, Window>(REMEMBERED_MAX);

  constructor(
    @Inject(CLOCK) private readonly clock: Clock,
    @Inject(GATEWAY_CONFIG)
    private readonly config: Pick<GatewayConfig, 'requestsPerSecondMax' | 'failedProofsPerMinuteMax'>,
  ) {}

  /**
   * Somebody at the address could not prove who he is. Throws RefusalError when that happens there too often; who can prove it is
   * let in all the same, as a whole site may come from one address.
   */
  countFailure(address: string): void {
    const { failedProofsPerMinuteMax } = this.config;
    if (failedProofsPerMinuteMax === 0) return;
    const window = this.windowOf(this.failures, address, MINUTE_MS);
    window.count += 1;
    if (window.count > failedProofsPerMinuteMax)
      throw this.tooMany(
        window,
        `More than ${failedProofsPerMinuteMax} tokens in a minute from this address are no good.`,
      );
  }

  /** Throws RefusalError when the caller asks more often than the setting allows. */
  count(caller: string): void {
    const { requestsPerSecondMax } = this.config;
    if (requestsPerSecondMax === 0) return;
    const window = this.windowOf(this.requests, caller, SECOND_MS);
    window.count += 1;
    if (window.count > requestsPerSecondMax)
      throw this.tooMany(window, `More than ${requestsPerSecondMax} requests in a second are not answered.`);
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
    return this.clock.nowMs();
  }
}
