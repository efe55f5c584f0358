import { randomUUID } from 'node:crypto';
import { InventoryService } from '@muster/contracts';
import { createReportReader } from '@muster/inventory';
import { callService, type RunningService, sha256Digest } from '@muster/nest-kit';
import type { RecordedEvent } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { SAMPLE_HOST_KEY, sampleInventory } from '@muster/testing';
import { openTestPlatform, type TestPlatform } from '@muster/testing/platform';
import { startInventory } from './main';

const [infraEnvId = ''] = SAMPLE_HOST_KEY.split('.');
const SILENT = { log: () => undefined, error: () => undefined, warn: () => undefined };

describe('the inventory service with a real bus, store and disk', () => {
  let platform: TestPlatform;
  let service: RunningService;

  beforeAll(async () => {
    platform = await openTestPlatform({ storage: 'disk', ids: { uuid: () => randomUUID() } });
    service = await startInventory(platform, SILENT);
  });

  afterAll(async () => {
    await service.close();
    await platform.close();
  });

  const context = () => ({ commandId: randomUUID(), correlationId: 'c', actor: 'agent:test' });
  const readReport = createReportReader({ keepsVirtualInterfaces: false, digest: sha256Digest });
  const record = async (stepType: string, output: unknown, hostKey = SAMPLE_HOST_KEY, asked = context()) => {
    const text = typeof output === 'string' ? output : JSON.stringify(output);
    const result = readReport({
      hostKey: SAMPLE_HOST_KEY,
      stepType,
      output: text,
      exitCode: 0,
      error: '',
      generation: 0,
    });
    if (result.kind === 'refused') throw new RefusalError(result.refusal);
    const { event, body, secret } = result.report;
    const request = {
      hostKey,
      type: event.type,
      data: { ...event.data },
      body: body?.text ?? '',
      secretName: secret?.name ?? '',
      secret: secret?.plaintext ?? '',
    };
    return callService(platform.requests, InventoryService.method.recordReport, request, asked);
  };
  const read = (stepType: string, output: string) =>
    callService(
      platform.requests,
      InventoryService.method.readReport,
      { hostKey: SAMPLE_HOST_KEY, stepType, output, exitCode: 0, error: '' },
      context(),
    );
  const stored = async (): Promise<RecordedEvent[]> => {
    const events: RecordedEvent[] = [];
    for await (const page of platform.eventStore.readStream(`inventory-${SAMPLE_HOST_KEY}`)) events.push(...page);
    return events;
  };

  it('stores the body, then one event that refers to it, and nothing for a repeated report', async () => {
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

  it('recognises a repeated report after a restart', async () => {
    const before = await stored();
    await service.close();
    service = await startInventory(platform, SILENT);
    await record(
      'inventory',
      sampleInventory({ cpu: { architecture: 'x86_64', count: 8, frequency: 1, flags: ['vmx'], model_name: 'cpu' } }),
    );
    expect(await stored()).toEqual(before);
  });

  it('discards a report, so that an equal one is recorded again', async () => {
    const speed = { path: '/dev/sda', io_sync_duration: 3 };
    await record('installation-disk-speed-check', speed);
    await callService(
      platform.requests,
      InventoryService.method.clearReport,
      { hostKey: SAMPLE_HOST_KEY, stepType: 'installation-disk-speed-check', generation: 0 },
      context(),
    );
    await record('installation-disk-speed-check', speed);
    expect((await stored()).slice(-3).map(({ type }) => type)).toEqual([
      'DiskSpeedMeasured',
      'ReportCleared',
      'DiskSpeedMeasured',
    ]);
  });

  it('seals the Ignition config of a cluster', async () => {
    await record('api-vip-connectivity-check', { is_success: true, ignition: 'canary-ignition' });
    const [, hostId] = SAMPLE_HOST_KEY.split('.');
    expect((await platform.secrets.open(infraEnvId, `worker-ignition-${hostId}`))?.toString()).toBe('canary-ignition');
    expect(JSON.stringify(await stored())).not.toContain('canary');
  });

  it('parses an output without recording it', async () => {
    const before = await stored();
    const { type, data } = await read('inventory', JSON.stringify(sampleInventory({ hostname: 'other' })));
    expect(type).toBe('InventoryReported');
    expect(data).toMatchObject({ hardware: { hostname: 'other' } });
    expect(await stored()).toEqual(before);
  });

  it.each([
    ['an output that does not match its schema', 'inventory', '{"cpu": 4}', { subject: 'inventory.cpu' }],
    ['a step without a report', 'logs-gather', '', { allowed: expect.arrayContaining(['inventory']) }],
    ['an output that is too large', 'ntp-synchronizer', 'x'.repeat(64 * 1024 + 1), { code: 'too-large' }],
  ])('refuses to parse %s', async (_case, stepType, output, refusal) => {
    await expect(read(stepType, output)).rejects.toMatchObject({ refusal });
  });

  it('refuses to record a report for an invalid host key', async () => {
    await expect(record('ntp-synchronizer', {}, '../../etc')).rejects.toMatchObject({
      refusal: { code: 'invalid-input', subject: 'hostKey' },
    });
  });

  it('executes a repeated command once', async () => {
    const asked = context();
    const sources = { ntp_sources: [{ source_name: 'a', source_state: 'synced' }] };
    const first = await record('ntp-synchronizer', sources, SAMPLE_HOST_KEY, asked);
    await record('ntp-synchronizer', { ntp_sources: [] });
    expect(await record('ntp-synchronizer', sources, SAMPLE_HOST_KEY, asked)).toEqual(first);
    expect((await stored()).at(-1)?.data).toMatchObject({ sources: [] });
  });
});
