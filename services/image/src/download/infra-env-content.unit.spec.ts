import { inMemoryEventStore } from '@muster/adapter-in-memory';
import { toStoredData } from '@muster/contracts';
import { musterEventStore } from '@muster/nest-kit';
import { type JsonObject, NO_STREAM, type Requests, RequestTimedOut } from '@muster/ports';
import type { RefusalError } from '@muster/problems';
import { manualClock } from '@muster/testing';
import { InfraEnvContents } from './infra-env-content';

const ID = '11111111-1111-4111-8111-111111111111';
const STREAM = `infraEnv-${ID}` as const;

async function storeWithInfraEnv() {
  const store = inMemoryEventStore();
  const metadata = { commandId: 'c', correlationId: 'c', actor: 'user', occurredAt: '2026-01-01T00:00:00.000Z' };
  const data = toStoredData({
    type: 'InfraEnvRegistered',
    data: { infraEnvId: ID, settings: {}, pullSecretSet: true },
  }) as JsonObject;
  await store.append(STREAM, NO_STREAM, [{ id: '1', type: 'InfraEnvRegistered', data, metadata }]);
  return store;
}

describe('the content of an infra-env', () => {
  it('reads each event of the infra-env once, and has the kernel arguments of the last one', async () => {
    const store = inMemoryEventStore();
    let read = 0;
    const { readStream } = store;
    store.readStream = async function* (stream, afterRevision) {
      for await (const page of readStream(stream, afterRevision)) {
        read += page.length;
        yield page;
      }
    };
    const append = async (revision: number, kernelArguments: string): Promise<void> => {
      const event =
        revision === NO_STREAM
          ? ({
              type: 'InfraEnvRegistered',
              data: { infraEnvId: ID, settings: { kernelArguments }, pullSecretSet: true },
            } as const)
          : ({
              type: 'InfraEnvSettingsRevised',
              data: { changes: { kernelArguments }, pullSecretReplaced: false },
            } as const);
      const metadata = { commandId: 'c', correlationId: 'c', actor: 'user', occurredAt: '2026-01-01T00:00:00.000Z' };
      const data = toStoredData(event) as JsonObject;
      await store.append(STREAM, revision, [{ id: `${revision}`, type: event.type, data, metadata }]);
    };
    const answers = { request: async () => ({ ok: { ignition: '', generatedAt: '' } }) } as unknown as Requests;
    const contents = new InfraEnvContents(musterEventStore(store), answers, manualClock());
    const appending = (value: string): string => JSON.stringify([{ operation: 'append', value }]);

    await append(NO_STREAM, appending('one'));
    await append(0, appending('two'));
    expect((await contents.of(ID, 'full-iso', false)).appendKargs).toEqual(['two']);
    await contents.of(ID, 'full-iso', false);
    expect(read).toBe(2);
    await append(1, appending('three'));
    expect((await contents.of(ID, 'full-iso', false)).appendKargs).toEqual(['three']);
    expect(read).toBe(3);
  });

  it('is rendered once for all machines that boot concurrently, and again after a failure', async () => {
    const store = await storeWithInfraEnv();
    let isAway = true;
    const asked: string[] = [];
    const requests = {
      request: async (subject: string) => {
        asked.push(subject);
        if (isAway) throw new Error('the ignition service is away');
        return { ok: { ignition: '', generatedAt: '', archive: '' } };
      },
    } as unknown as Requests;
    const contents = new InfraEnvContents(musterEventStore(store), requests, manualClock());
    const askAtOnce = () => Promise.allSettled(Array.from({ length: 100 }, () => contents.of(ID, 'minimal-iso', true)));

    const refused = await askAtOnce();
    expect(new Set(refused.map(({ status }) => status))).toEqual(new Set(['rejected']));
    isAway = false;
    asked.splice(0);
    const made = await askAtOnce();
    expect(new Set(made.map(({ status }) => status))).toEqual(new Set(['fulfilled']));
    // The document and the network ramdisk.
    expect(asked).toHaveLength(2);
  });

  it('of a disconnected image states why its first request is not answered in time', async () => {
    const store = await storeWithInfraEnv();
    const requests = {
      request: async (subject: string) => {
        throw new RequestTimedOut(subject, 1);
      },
    } as unknown as Requests;
    const contents = new InfraEnvContents(musterEventStore(store), requests, manualClock());
    const reasonOf = (isoType: string): Promise<string> =>
      contents.of(ID, isoType, false).then(
        () => '',
        (error: RefusalError) => `${error.refusal.code}: ${error.refusal.reason}`,
      );
    const hint =
      'The first download of a disconnected image needs the installer of the release, which may be downloaded for minutes. Retry later.';
    expect(await reasonOf('disconnected-iso')).toBe(`busy: The service ignition does not answer. ${hint}`);
    expect(await reasonOf('full-iso')).not.toContain(hint);
  });
});
