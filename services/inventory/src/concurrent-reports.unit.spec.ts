import { inMemoryEventStore, inMemoryObjectStore, inMemorySecrets } from '@muster/adapter-in-memory';
import { MUSTER_CODEC } from '@muster/contracts';
import { typedEventStore } from '@muster/event-sourcing';
import type { Requests } from '@muster/ports';
import { collectPages, manualClock, SAMPLE_HOST_KEY, seededIds } from '@muster/testing';
import { Reports } from './reports';

const NO_REQUESTS: Requests = {
  request: () => Promise.reject(new Error('nothing is requested')),
  publish: () => undefined,
  subscribe: () => ({ unsubscribe: () => undefined }),
  close: () => Promise.resolve(),
};

describe('two large connectivity reports of one host', () => {
  const store = inMemoryEventStore({ isSoleWriter: true });
  const reports = new Reports(
    typedEventStore(store, MUSTER_CODEC),
    inMemoryObjectStore(),
    inMemorySecrets(),
    manualClock(),
    seededIds(),
    NO_REQUESTS,
  );

  /** A report about as many hosts as need several appends. */
  const record = (name: string, hostCount: number, latencyMs: number) =>
    reports.record(
      SAMPLE_HOST_KEY,
      'ConnectivityReported',
      {
        generation: 1,
        fingerprint: name,
        peers: Array.from({ length: hostCount }, (_, n) => ({
          hostId: `host-${n}`,
          nearAddresses: [],
          farAddresses: Array.from({ length: 64 }, (__, at) => `fd00:1234:5678:9abc:def0:1234:5678:${at}`),
          latencyMs,
          packetLossPercent: 0,
        })),
        vanishedPeers: [],
        collisions: [],
        mtuMeasured: false,
        mtuFailures: [],
      },
      { body: '', secretName: '', secret: '' },
      { commandId: name, correlationId: 'c', actor: 'agent:test' },
    );

  it('leave the later one in force when they arrive together', async () => {
    const [older, later] = [record('older', 200, 20), record('later', 150, 50)];
    const [olderStored, laterStored] = await Promise.all([older, later]);
    const events = await collectPages(store.readStream(`inventory-${SAMPLE_HOST_KEY}`));
    expect(events.at(-1)?.data).toMatchObject({ fingerprint: 'later' });
    expect(laterStored.revision).toBe(events.length - 1);
    expect(olderStored.revision).toBeLessThan(laterStored.revision);

    const latencies = new Map<unknown, unknown>();
    for (const { data } of events) {
      const { peers, vanishedPeers } = data as unknown as {
        peers: readonly { hostId: string; latencyMs: number }[];
        vanishedPeers: readonly string[];
      };
      for (const { hostId, latencyMs } of peers) latencies.set(hostId, latencyMs);
      for (const hostId of vanishedPeers) latencies.delete(hostId);
    }
    expect(latencies.size).toBe(150);
    expect(new Set(latencies.values())).toEqual(new Set([50]));
  });
});
