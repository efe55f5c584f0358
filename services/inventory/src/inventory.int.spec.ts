import { join } from 'node:path';
import { randomUUID } from 'node:crypto';
import { connectNatsRequests } from '@muster/adapter-nats';
import { filesystemObjectStore, filesystemSecrets } from '@muster/adapter-filesystem';
import { inMemoryReadModels } from '@muster/adapter-in-memory';
import { sqliteEventStore } from '@muster/adapter-sqlite';
import { InventoryService } from '@muster/contracts';
import { callService, type Platform, type RunningService } from '@muster/nest-kit';
import type { RecordedEvent } from '@muster/ports';
import { type NatsServer, startNatsServer, temporaryDirectory } from '@muster/testing';
import { startInventory } from './main';
import { HOST_KEY, sampleInventory } from './reports/sample.outputs';

const [infraEnvId = ''] = HOST_KEY.split('.');
const SILENT = { log: () => undefined, error: () => undefined, warn: () => undefined };

describe('the inventory service on a bus, a store and a disk', () => {
  const directory = temporaryDirectory();
  let nats: NatsServer;
  let platform: Platform;
  let service: RunningService;

  beforeAll(async () => {
    nats = await startNatsServer();
    platform = {
      requests: await connectNatsRequests({ servers: nats.url, name: 'inventory-test' }),
      eventStore: sqliteEventStore({ file: join(directory.path, 'events.db') }),
      objectStore: await filesystemObjectStore({ directory: join(directory.path, 'objects') }),
      secrets: await filesystemSecrets({
        directory: join(directory.path, 'secrets'),
        masterKeyFile: join(directory.path, 'key'),
      }),
      readModels: inMemoryReadModels(),
      clock: { nowMs: () => Date.now() },
      ids: { uuid: () => randomUUID() },
      environment: {},
    };
    service = await startInventory(platform, SILENT);
  });

  afterAll(async () => {
    await service.close();
    await platform.requests.close();
    await platform.eventStore.close();
    await nats.stop();
    directory.remove();
  });

  const context = () => ({ commandId: randomUUID(), correlationId: 'c', actor: 'agent:test' });
  const record = (stepType: string, output: unknown, changes: object = {}, asked = context()) =>
    callService(
      platform.requests,
      InventoryService.method.recordReport,
      {
        hostKey: HOST_KEY,
        stepType,
        output: typeof output === 'string' ? output : JSON.stringify(output),
        exitCode: 0,
        error: '',
        epoch: 0,
        ...changes,
      },
      asked,
    );
  const stored = async (): Promise<RecordedEvent[]> => {
    const events: RecordedEvent[] = [];
    for await (const page of platform.eventStore.readStream(`inventory-${HOST_KEY}`)) events.push(...page);
    return events;
  };

  it('keeps the body first, then one event that refers to it, and nothing for a repetition', async () => {
    const first = await record('inventory', sampleInventory());
    const again = await record('inventory', sampleInventory());
    expect(again).toEqual(first);
    const [event, ...others] = await stored();
    expect(others).toEqual([]);
    expect(event).toMatchObject({
      type: 'InventoryReported',
      position: first.stored?.position,
      metadata: { actor: 'agent:test' },
    });
    const { digest, bytes } = event?.data.body as { digest: string; bytes: number };
    const body = await platform.objectStore.get(digest);
    expect(body?.length).toBe(bytes);
    expect(JSON.parse(body?.toString() ?? '')).toMatchObject({ hostname: 'node-1' });
  });

  it('knows after a restart what was reported before', async () => {
    const before = await stored();
    await service.close();
    service = await startInventory(platform, SILENT);
    await record(
      'inventory',
      sampleInventory({ cpu: { architecture: 'x86_64', count: 8, frequency: 1, flags: ['vmx'], model_name: 'cpu' } }),
    );
    expect(await stored()).toEqual(before);
  });

  it('clears a result so that it counts again', async () => {
    const speed = { path: '/dev/sda', io_sync_duration: 3 };
    await record('installation-disk-speed-check', speed);
    await callService(
      platform.requests,
      InventoryService.method.clearReport,
      { hostKey: HOST_KEY, stepType: 'installation-disk-speed-check', epoch: 0 },
      context(),
    );
    await record('installation-disk-speed-check', speed);
    expect((await stored()).slice(-3).map(({ type }) => type)).toEqual([
      'DiskSpeedMeasured',
      'ReportCleared',
      'DiskSpeedMeasured',
    ]);
  });

  it('seals the ignition of a cluster instead of storing it in the open', async () => {
    await record('api-vip-connectivity-check', { is_success: true, ignition: 'canary-ignition' });
    const [, hostId] = HOST_KEY.split('.');
    expect((await platform.secrets.open(infraEnvId, `worker-ignition-${hostId}`))?.toString()).toBe('canary-ignition');
    expect(JSON.stringify(await stored())).not.toContain('canary');
  });

  it.each([
    [
      'an output that is not of its model',
      'inventory',
      '{"cpu": 4}',
      {},
      { code: 'invalid-input', subject: 'inventory.cpu' },
    ],
    [
      'a step without a report',
      'logs-gather',
      '',
      {},
      { code: 'invalid-input', subject: 'stepType', allowed: expect.arrayContaining(['inventory']) },
    ],
    [
      'a key that names no host',
      'inventory',
      '{}',
      { hostKey: '../../etc' },
      { code: 'invalid-input', subject: 'hostKey' },
    ],
    ['an output that is too large', 'ntp-synchronizer', 'x'.repeat(64 * 1024 + 1), {}, { code: 'too-large' }],
  ])('refuses %s and stores nothing', async (_case, stepType, output, changes, refusal) => {
    const before = await stored();
    await expect(record(stepType, output, changes)).rejects.toMatchObject({ refusal });
    expect(await stored()).toEqual(before);
  });

  it('does a repeated command once', async () => {
    const asked = context();
    const sources = { ntp_sources: [{ source_name: 'a', source_state: 'synced' }] };
    const first = await record('ntp-synchronizer', sources, {}, asked);
    await record('ntp-synchronizer', { ntp_sources: [] });
    expect(await record('ntp-synchronizer', sources, {}, asked)).toEqual(first);
    expect((await stored()).at(-1)?.data).toMatchObject({ sources: [] });
  });
});
