import { join } from 'node:path';
import { sqliteEventStore } from '@muster/adapter-sqlite';
import type { RecordedEvent } from '@muster/ports';
import type { ClusterSpec } from './scenario';

/** Three hosts that are control plane and workers. */
export const COMPACT: ClusterSpec = {
  name: 'sturdy',
  controlPlaneCount: 3,
  machines: [{}, {}, {}],
  machineNetwork: '192.168.120.0/24',
  vips: { api: '192.168.120.100', ingress: '192.168.120.101' },
};

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
