import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { sqliteEventStore } from '@muster/adapter-sqlite';
import type { RecordedEvent } from '@muster/ports';
import fc from 'fast-check';
import type { ClusterSpec } from './scenario';

/** Three hosts that are control plane and workers. */
export const COMPACT: ClusterSpec = {
  name: 'sturdy',
  controlPlaneCount: 3,
  machines: [{}, {}, {}],
  machineNetwork: '192.168.120.0/24',
  vips: { api: '192.168.120.100', ingress: '192.168.120.101' },
};

/** Chooses the moments of kills: MUSTER_PROPERTY_SEED, or a new seed for each run. */
export const KILLS_SEED = fc.readConfigureGlobal().seed ?? randomInt(2 ** 31);
/** An installation of the cluster above creates some more events. The last of them belong to the finalization. */
const EVENTS = 95;
const LOOK_AGAIN_MS = 50;

/** The number of events that can be read now. It may not decrease after an acknowledgement. */
export async function countOf(restUrl: string): Promise<number> {
  const response = await fetch(`${restUrl}/api/assisted-install/v2/events?limit=0&categories=user`);
  return Number(response.headers.get('event-count') ?? 0);
}

/**
 * Calls `kill` for each of the victims at a random moment of its equal part of the installation. Moments are counts of events, so that
 * they do not depend on the speed of the machine. Resolves after the last kill, or when the installation has ended.
 */
export async function killInTurn<Victim>(
  victims: readonly Victim[],
  restUrl: string,
  hasEnded: () => boolean,
  kill: (victim: Victim) => Promise<void>,
): Promise<void> {
  const part = Math.floor(EVENTS / victims.length);
  const offsets = fc.sample(fc.integer({ min: 1, max: part }), { numRuns: victims.length, seed: KILLS_SEED });
  for (const [index, victim] of victims.entries()) {
    const moment = index * part + (offsets[index] ?? 0);
    while ((await countOf(restUrl).catch(() => 0)) < moment) {
      if (hasEnded()) return;
      await new Promise((resolve) => setTimeout(resolve, LOOK_AGAIN_MS));
    }
    if (hasEnded()) return;
    await kill(victim);
  }
}

export async function eventsOf(dataDirectory: string): Promise<RecordedEvent[]> {
  const store = sqliteEventStore({ file: join(dataDirectory, 'events.sqlite') });
  const events: RecordedEvent[] = [];
  try {
    for await (const page of store.readAll(-1)) events.push(...page);
  } finally {
    await store.close();
  }
  return events;
}

/** Invariants under crashes and message loss: revisions of each stream have no gaps, no event is stored twice, the installation ends once. */
export function expectOneHistory(events: readonly RecordedEvent[], hostCount: number): void {
  const revisions = new Map<string, number>();
  for (const { streamId, revision } of events) {
    expect([streamId, revision]).toEqual([streamId, (revisions.get(streamId) ?? -1) + 1]);
    revisions.set(streamId, revision);
  }
  expect(new Set(events.map(({ id }) => id)).size).toBe(events.length);
  const entered = (type: string, status: string): string[] =>
    events.filter((event) => event.type === type && event.data.status === status).map(({ streamId }) => streamId);
  expect(entered('ClusterEnteredStatus', 'installed')).toHaveLength(1);
  expect(new Set(entered('HostEnteredStatus', 'installed')).size).toBe(hostCount);
  expect(events.filter(({ type }) => type === 'ClusterRegistered')).toHaveLength(1);
  expect(events.filter(({ type }) => type === 'HostRegistered')).toHaveLength(hostCount);
  expect(events.filter(({ type }) => type === 'ArtifactsPrepared')).toHaveLength(1);
}
