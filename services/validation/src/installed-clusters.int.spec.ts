import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { sqliteStateStore } from '@muster/adapter-sqlite';
import { parseEvent, ValidationService } from '@muster/contracts';
import { FilteredState, SavedStates } from '@muster/event-sourcing';
import { clusterSubject, FactsView } from '@muster/evaluation';
import { callService, type RunningService } from '@muster/nest-kit';
import type { JsonObject, RecordedEvent } from '@muster/ports';
import {
  CLUSTER_ID,
  clusterEvent,
  clusterRegistered,
  eventually,
  hostEntered,
  hostKey,
  hostRegistered,
  infraEnvRegistered,
  inventoryReported,
  type SampleEvent,
} from '@muster/testing';
import { openTestPlatform, type TestPlatform } from '@muster/testing/platform';
import { startValidation } from './main';

jest.mock('node:v8', () => {
  const v8 = jest.requireActual<typeof import('node:v8')>('node:v8');
  const { inThisRealm } = jest.requireActual<typeof import('@muster/testing')>('@muster/testing');
  return { ...v8, deserialize: (bytes: Uint8Array) => inThisRealm(v8.deserialize(bytes)) };
});

const SILENT = { log: () => undefined, error: () => undefined, warn: () => undefined };
const KEYS = [1, 2, 3].map(hostKey);

describe('the validation of an installed cluster', () => {
  let platform: TestPlatform;
  let states: SavedStates;
  let service: RunningService;

  beforeAll(async () => {
    platform = await openTestPlatform({ storage: 'disk', ids: { uuid: () => randomUUID() }, publishesEvents: true });
    const store = sqliteStateStore({ file: join(platform.directory, 'state.sqlite') });
    states = new SavedStates(store, platform.eventStore, (error) => expect(error).toBeUndefined());
    service = await startValidation({ ...platform, states }, SILENT);
  });

  afterAll(async () => {
    await service.close();
    await states.close();
    await platform.close();
  });

  const context = () => ({ commandId: randomUUID(), correlationId: 'c', actor: 'test' });
  const stored = async (streamId: RecordedEvent['streamId']): Promise<RecordedEvent[]> => {
    const events: RecordedEvent[] = [];
    for await (const page of platform.eventStore.readStream(streamId)) events.push(...page);
    return events;
  };
  const append = async (...facts: readonly SampleEvent[]): Promise<void> => {
    for (const { streamId, event } of facts) {
      const metadata = { ...context(), occurredAt: new Date().toISOString() };
      const data = event.data as unknown as JsonObject;
      const { length } = await stored(streamId);
      await platform.eventStore.append(streamId, length - 1, [{ id: randomUUID(), type: event.type, data, metadata }]);
    }
  };
  const evaluated = async (subjectId = ''): Promise<void> => {
    const request = { position: await platform.eventStore.head(), subjectId };
    await callService(platform.requests, ValidationService.method.awaitEvaluation, request, context());
  };

  beforeAll(async () => {
    await append(infraEnvRegistered(), clusterRegistered());
    for (const key of KEYS) await append(hostRegistered(key), inventoryReported(key), hostEntered(key, 'installed'));
    await append(clusterEvent('ClusterEnteredStatus', { status: 'installed', from: '', transition: 't', at: '' }));
    await evaluated();
    await service.close();
    service = await startValidation({ ...platform, states }, SILENT);
    await evaluated();
  });

  it('reads no saved outcomes to learn whether newer ones were stored', async () => {
    const read = jest.spyOn(FilteredState.prototype, 'get');
    await evaluated(CLUSTER_ID);
    const tables = read.mock.calls.map(([table]) => table);
    read.mockRestore();
    expect(tables).toContain('clusters');
    expect(tables).not.toContain('outcomes');
  });

  it('reads its hosts before it evaluates one of them', async () => {
    const load = jest.spyOn(FactsView.prototype, 'loadHostsOf');
    const { combinedOf } = FactsView.prototype;
    const wereRead: boolean[] = [];
    jest.spyOn(FactsView.prototype, 'combinedOf').mockImplementation(function (this: FactsView, cluster) {
      wereRead.push(cluster.combined !== undefined);
      return combinedOf.call(this, cluster);
    });
    const changes = { ntpSources: 'ntp.example.com' };
    const event = parseEvent('infraEnv', 'InfraEnvSettingsRevised', { changes });
    await append({ streamId: infraEnvRegistered().streamId, event });
    await eventually('the hosts are evaluated', async () => {
      await evaluated();
      return wereRead.length > 0;
    });
    expect(wereRead).not.toContain(false);
    expect(load.mock.calls.map(([id]) => id)).toContain(CLUSTER_ID);
  });

  it('ends with the cluster, of which no outcomes are saved from then on', async () => {
    const subject = clusterSubject(CLUSTER_ID);
    const opened = jest.spyOn(SavedStates.prototype, 'open');
    await service.close();
    service = await startValidation({ ...platform, states }, SILENT);
    const { state } = await (opened.mock.results[0]?.value as ReturnType<SavedStates['open']>);
    opened.mockRestore();
    expect(state.get('outcomes', subject)).toBeDefined();
    await append(clusterEvent('ClusterDeregistered', {}));
    await evaluated();
    await states.save();
    expect(state.get('outcomes', subject)).toBeUndefined();
  });
});
