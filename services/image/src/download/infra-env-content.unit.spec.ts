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

  describe('while the ignition service does not answer', () => {
    const KEPT_MS = 60_000;
    const outage = { code: 'busy', reason: 'The service ignition does not answer. Retry later.' };
    const open = async () => {
      const store = await storeWithInfraEnv();
      const clock = manualClock();
      let [isAway, asked, rendered] = [false, 0, 0];
      const requests = {
        request: async (subject: string) => {
          asked += 1;
          if (isAway) throw new RequestTimedOut(subject, 1);
          return { ok: { ignition: Buffer.from(`${(rendered += 1)}`).toString('base64'), generatedAt: '' } };
        },
      } as unknown as Requests;
      const contents = new InfraEnvContents(musterEventStore(store), requests, clock);
      const read = async () => Buffer.from((await contents.of(ID, 'full-iso', false)).config).toString();
      expect(await read()).toBe('1');
      isAway = true;
      asked = 0;
      return { store, clock, read, asked: () => asked, answer: () => (isAway = false) };
    };

    it('stays the same for an hour, so that booting machines can read it, and the service receives one request a minute', async () => {
      const { answer, asked, clock, read } = await open();
      for (let minutes = 1; minutes < 60; minutes += 1) {
        clock.advance(KEPT_MS);
        expect([await read(), await read()]).toEqual(['1', '1']);
      }
      // A request that is not answered in time is sent three times.
      expect(asked()).toBe(3 * 59);
      clock.advance(KEPT_MS);
      await expect(read()).rejects.toMatchObject({ refusal: outage });
      answer();
      expect(await read()).toBe('2');
    });

    it('is refused when the infra-env was changed meanwhile', async () => {
      const { clock, read, store } = await open();
      clock.advance(KEPT_MS);
      const metadata = { commandId: 'c', correlationId: 'c', actor: 'user', occurredAt: '2026-01-01T00:00:00.000Z' };
      const event = { type: 'InfraEnvSettingsRevised', data: { changes: {}, pullSecretReplaced: true } } as const;
      await store.append(STREAM, 0, [{ id: '2', type: event.type, data: toStoredData(event) as JsonObject, metadata }]);
      await expect(read()).rejects.toMatchObject({ refusal: outage });
    });
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
