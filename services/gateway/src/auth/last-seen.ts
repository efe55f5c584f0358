import { BoundedMap } from '@muster/event-sourcing';
import { Injectable } from '@nestjs/common';
import { type HostKey, hostKeyOf } from '@muster/contracts';

/** Hosts whose last sign of life is remembered; beyond it the one that spoke longest ago is forgotten. */
const REMEMBERED_HOSTS_MAX = 100_000;

interface Sign {
  readonly atMs: number;
  readonly clockSeconds: number;
}

/**
 * When agents last spoke through this process. In memory only: a heartbeat is no fact. Of several gateways each knows the
 * requests it answered, so what a reader sees may lag behind by some polls, never behind what is stored.
 */
@Injectable()
export class LastSeen {
  private readonly signs = new BoundedMap<HostKey, Sign>(REMEMBERED_HOSTS_MAX);

  /** `clockSeconds` is what the machine's own clock says, 0 when it does not say: then what it said last stands. */
  note(infraEnvId: string, hostId: string, nowMs: number, clockSeconds = 0): void {
    const key = hostKeyOf(infraEnvId, hostId);
    const known = this.signs.get(key)?.clockSeconds ?? 0;
    this.signs.set(key, { atMs: nowMs, clockSeconds: clockSeconds || known });
  }

  /** Whether the host has spoken through this process. */
  knows(infraEnvId: string, hostId: string): boolean {
    return this.signs.get(hostKeyOf(infraEnvId, hostId)) !== undefined;
  }

  /** Seconds since the epoch by the machine's own clock; undefined when it did not say. */
  clockOf(infraEnvId: string, hostId: string): number | undefined {
    return this.signs.get(hostKeyOf(infraEnvId, hostId))?.clockSeconds || undefined;
  }

  /** The later of what is stored (ISO 8601) and what was heard here. */
  since(infraEnvId: string, hostId: string, stored: string): string {
    const heard = this.signs.get(hostKeyOf(infraEnvId, hostId))?.atMs;
    return heard === undefined || heard <= Date.parse(stored) ? stored : new Date(heard).toISOString();
  }
}
