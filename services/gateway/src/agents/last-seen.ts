import { Injectable } from '@nestjs/common';
import { type HostKey, hostKeyOf } from '@muster/contracts';

/** Hosts whose last sign of life is remembered; beyond it the one that spoke longest ago is forgotten. */
const REMEMBERED_HOSTS_MAX = 100_000;

/**
 * When agents last spoke through this process. In memory only: a heartbeat is no fact. Of several gateways each knows the
 * requests it answered, so what a reader sees may lag behind by some polls, never behind what is stored.
 */
@Injectable()
export class LastSeen {
  private readonly atMs = new Map<HostKey, number>();

  note(infraEnvId: string, hostId: string, nowMs: number): void {
    const key = hostKeyOf(infraEnvId, hostId);
    this.atMs.delete(key);
    this.atMs.set(key, nowMs);
    if (this.atMs.size <= REMEMBERED_HOSTS_MAX) return;
    const [oldest] = this.atMs.keys();
    if (oldest !== undefined) this.atMs.delete(oldest);
  }

  /** The later of what is stored (ISO 8601) and what was heard here. */
  since(infraEnvId: string, hostId: string, stored: string): string {
    const heard = this.atMs.get(hostKeyOf(infraEnvId, hostId));
    return heard === undefined || heard <= Date.parse(stored) ? stored : new Date(heard).toISOString();
  }
}
