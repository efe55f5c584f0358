import { inMemoryEventStore, inMemoryObjectStore, inMemorySecrets } from '@muster/adapter-in-memory';
import { MUSTER_CODEC } from '@muster/contracts';
import { eventSubject, typedEventStore } from '@muster/event-sourcing';
import type { JsonValue, Requests } from '@muster/ports';
import { manualClock, SAMPLE_HOST_KEY, seededIds } from '@muster/testing';
import { Reports } from './reports';

describe('the reports of a host', () => {
  let deliver: (body: JsonValue) => void;
  let reads: number;
  let reports: Reports;
  let commands = 0;

  beforeEach(() => {
    reads = 0;
    const store = inMemoryEventStore({ isSoleWriter: true });
    const counted = typedEventStore(
      {
        ...store,
        readStream: (...given) => {
          reads += 1;
          return store.readStream(...given);
        },
      },
      MUSTER_CODEC,
    );
    const requests: Requests = {
      request: () => Promise.reject(new Error('nothing is requested')),
      publish: () => undefined,
      subscribe: (subject, onMessage) => {
        deliver = (body) => void onMessage({ subject: eventSubject('host'), body, headers: {} });
        return { unsubscribe: () => expect(subject).toBe(eventSubject('host')) };
      },
      close: () => Promise.resolve(),
    };
    reports = new Reports(counted, inMemoryObjectStore(), inMemorySecrets(), manualClock(), seededIds(), requests);
    reports.onApplicationBootstrap();
  });
  afterEach(() => reports.onApplicationShutdown());

  /** Another offset is a change, so the state of the host is needed. */
  const report = async (offsetSeconds: number): Promise<void> => {
    const context = { commandId: `command-${(commands += 1)}`, correlationId: 'c', actor: 'agent:test' };
    const nothing = { body: '', secretName: '', secret: '' };
    await reports.record(SAMPLE_HOST_KEY, 'ClockOffsetMeasured', { generation: 1, offsetSeconds }, nothing, context);
  };
  const enters = (status: string): JsonValue => ({
    type: 'HostEnteredStatus',
    streamId: `host-${SAMPLE_HOST_KEY}`,
    data: { status },
  });

  it('stay in memory while it may send more', async () => {
    await report(100);
    deliver(enters('known'));
    deliver({ type: 'HostDeregistered', streamId: 'host-other', data: {} });
    await report(200);
    expect(reads).toBe(0);
  });

  it.each<[string, JsonValue]>([
    ['installed', enters('installed')],
    ['added to a cluster', enters('added-to-existing-cluster')],
    ['deleted', { type: 'HostDeregistered', streamId: `host-${SAMPLE_HOST_KEY}`, data: {} }],
  ])('leave memory when it is %s, and are read again for a later one', async (_case, event) => {
    await report(100);
    deliver(event);
    await report(200);
    expect(reads).toBe(1);
  });
});
