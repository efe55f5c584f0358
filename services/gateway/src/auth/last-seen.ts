import { BoundedMap } from '@muster/event-sourcing';
import { Injectable } from '@nestjs/common';
import { type HostKey, hostKeyOf } from '@muster/contracts';

/** Number of hosts whose last poll is stored. Above it, the host with the oldest poll is removed. */
const REMEMBERED_HOSTS_MAX = 100_000;

interface Sign {
  readonly atMs: number;
  readonly clockSeconds: number;
  /** ISO 8601 UTC with milliseconds, as stored times. Written when it is read, because most polls are never shown. */
  at?: string;
}

/**
 * Times of the last polls that this process answered. They are kept in memory, because heartbeats are not events. With
 * several gateways each one stores the polls that it answered, so a response may show a time that is some polls old,
 * but never older than the stored time.
 */
@Injectable()
export class LastSeen {
  private readonly signs = new BoundedMap<HostKey, Sign>(REMEMBERED_HOSTS_MAX);

  /**
   * `clockSeconds`: time of the host's clock, seconds since the epoch. 0 when the request has none; then the previous
   * value stays.
   */
  note(infraEnvId: string, hostId: string, nowMs: number, clockSeconds = 0): void {
    const key = hostKeyOf(infraEnvId, hostId);
    const known = this.signs.peek(key)?.clockSeconds ?? 0;
    this.signs.set(key, { atMs: nowMs, clockSeconds: clockSeconds || known });
  }

  /** Returns the time of the last request of the host that this process answered, milliseconds since the Unix epoch. */
  seenMs(infraEnvId: string, hostId: string): number | undefined {
    return this.signs.peek(hostKeyOf(infraEnvId, hostId))?.atMs;
  }

  /** Whether this process has answered a poll of the host. */
  knows(infraEnvId: string, hostId: string): boolean {
    return this.signs.peek(hostKeyOf(infraEnvId, hostId)) !== undefined;
  }

  /** Returns the time of the host's clock, seconds since the epoch; undefined when the host reported none. */
  clockOf(infraEnvId: string, hostId: string): number | undefined {
    return this.signs.peek(hostKeyOf(infraEnvId, hostId))?.clockSeconds || undefined;
  }

  /** Returns the later of the stored time (ISO 8601) and the last poll that this process answered. */
  since(infraEnvId: string, hostId: string, stored: string): string {
    const sign = this.signs.peek(hostKeyOf(infraEnvId, hostId));
    if (!sign) return stored;
    sign.at ??= new Date(sign.atMs).toISOString();
    // Times in ISO 8601 of the same length are in the order of their texts.
    return sign.at > stored ? sign.at : stored;
  }
}
