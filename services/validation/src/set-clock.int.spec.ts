import { randomUUID } from 'node:crypto';
import { ValidationService } from '@muster/contracts';
import { callService, type RunningService } from '@muster/nest-kit';
import { isoTime, type JsonObject } from '@muster/ports';
import {
  clusterRegistered,
  eventually,
  hostEvent,
  hostKey,
  hostRegistered,
  infraEnvRegistered,
  manualClock,
  type SampleEvent,
} from '@muster/testing';
import { openTestPlatform, type TestPlatform } from '@muster/testing/platform';
import { startValidation } from './main';

const SILENT = { log: () => undefined, error: () => undefined, warn: () => undefined };
const HOUR_MS = 3_600_000;

describe('a clock of the machine that is set back by an hour', () => {
  const clock = manualClock();
  const key = hostKey(1);
  let platform: TestPlatform;
  let service: RunningService;
  beforeAll(async () => {
    platform = await openTestPlatform({
      ids: { uuid: () => randomUUID() },
      clock,
      publishesEvents: true,
      environment: { VALIDATION_FLAPPING_TURNS: '4', VALIDATION_FLAPPING_QUIET: '1s' },
    });
    service = await startValidation(platform, SILENT);
  });
  afterAll(async () => {
    await service.close();
    await platform.close();
  });

  const revisions = new Map<string, number>();
  const append = async ({ streamId, event: { type, data } }: SampleEvent): Promise<void> => {
    const revision = revisions.get(streamId) ?? -1;
    revisions.set(streamId, revision + 1);
    const occurredAt = isoTime(clock.nowMs());
    const metadata = { commandId: randomUUID(), correlationId: 'c', actor: 'test', occurredAt };
    const event = { id: randomUUID(), type, data: data as unknown as JsonObject, metadata };
    await platform.eventStore.append(streamId, revision, [event]);
  };
  const status = async (): Promise<string | undefined> => {
    const context = { commandId: randomUUID(), correlationId: 'c', actor: 'test' };
    const request = { subjectId: key };
    const { outcomes } = await callService(platform.requests, ValidationService.method.readOutcomes, request, context);
    return outcomes.find(({ id }) => id === 'connected')?.status;
  };
  const fallSilent = hostEvent(key, 'HostFellSilent', { lastSeenAt: '' });
  const comeBack = hostEvent(key, 'HostReturned', {});

  it('does not prolong the quiet time of a flapping validation', async () => {
    for (const event of [infraEnvRegistered(), clusterRegistered(), hostRegistered(key)]) await append(event);
    for (const event of [fallSilent, comeBack, fallSilent, comeBack, fallSilent]) {
      await append(event);
      const expected = event === fallSilent ? 'failure' : 'success';
      await eventually('the change is recorded', async () => (await status()) === expected);
    }
    await append(comeBack);
    const context = { commandId: randomUUID(), correlationId: 'c', actor: 'test' };
    const request = { position: await platform.eventStore.head(), subjectId: key };
    await callService(platform.requests, ValidationService.method.awaitEvaluation, request, context);
    expect(await status()).toBe('failure');
    clock.set(clock.nowMs() - HOUR_MS);
    await eventually('the validation is stable', async () => {
      clock.advance(10);
      return (await status()) === 'success';
    });
  });
});
