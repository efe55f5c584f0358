import { Readable } from 'node:stream';
import { inMemoryEventStore, inMemoryObjectAreas } from '@muster/adapter-in-memory';
import type { ClusterDocument, HostDocument } from '@muster/assisted-api';
import type { StoredObject } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { eventually } from '@muster/testing';
import { CLUSTER_ID, clusterDocument, HOST_ID, hostDocument } from '../sample-documents.fixture.spec';
import { StoredLogs } from './stored-logs';

const QUOTA = 1_000;
const TWO_HOURS_MS = 7_200_000;
const DELETED_CLUSTER = '0000dead-0000-4000-8000-000000000000';

describe('stored logs', () => {
  const areas = inMemoryObjectAreas();
  let digests: { [source: string]: string } = {};
  let nowMs = Date.now();
  let isCaughtUp = true;
  const cluster = (): ClusterDocument =>
    ({ ...clusterDocument().document, _log_digests: digests }) as unknown as ClusterDocument;
  const storedLogs = (): StoredLogs =>
    new StoredLogs(
      areas,
      { logsBytesPerClusterMax: QUOTA } as never,
      inMemoryEventStore() as never,
      { nowMs: () => nowMs },
      { passed: async () => isCaughtUp } as never,
      {
        document: async (id: string) => {
          if (id === CLUSTER_ID) return cluster();
          throw new RefusalError({ code: 'not-found', reason: 'There is no such cluster.' });
        },
      } as never,
      { documentsOfCluster: async () => [hostDocument().document as unknown as HostDocument] } as never,
    );

  let logs: StoredLogs;
  beforeEach(async () => {
    digests = {};
    nowMs = Date.now();
    isCaughtUp = true;
    logs = storedLogs();
    for (const name of await areas.names()) {
      const area = await areas.area(name);
      for await (const { digest } of area.list()) await area.remove(digest);
    }
  });

  const upload = (source: string, text: string): Promise<void> =>
    logs.replace(CLUSTER_ID, source, Readable.from([Buffer.from(text)]), async ({ digest }: StoredObject) => {
      digests = { ...digests, [source]: digest };
    });
  const held = async (name = CLUSTER_ID): Promise<readonly string[]> => {
    const area = await areas.area(name);
    const texts: string[] = [];
    for await (const { digest } of area.list()) texts.push(String(await area.get(digest)));
    return texts.sort();
  };
  const quotaRefusal = { refusal: { code: 'insufficient-storage', reason: expect.stringContaining('1000 bytes') } };

  it('removes a body that is replaced', async () => {
    await upload('controller', 'first');
    await upload('controller', 'second');
    expect(await held()).toEqual(['second']);
    await upload('controller', 'second');
    expect(await held()).toEqual(['second']);
  });

  it('keeps a replaced body that another source uploaded as well', async () => {
    await upload('controller', 'the same');
    await upload(HOST_ID, 'the same');
    await upload('controller', 'another');
    expect(await held()).toEqual(['another', 'the same']);
  });

  it('removes a body whose event was refused, except when the same bytes were uploaded before', async () => {
    await upload('controller', 'kept');
    const refuse = async (): Promise<never> => {
      throw new RefusalError({ code: 'already-exists', reason: 'not now' });
    };
    for (const text of ['kept', 'refused'])
      await expect(logs.replace(CLUSTER_ID, 'controller', Readable.from([Buffer.from(text)]), refuse)).rejects.toThrow(
        'not now',
      );
    expect(await held()).toEqual(['kept']);
  });

  it('refuses an upload over the quota of the cluster, and does not count the replaced body', async () => {
    await upload('controller', 'a'.repeat(900));
    await expect(upload(HOST_ID, 'b'.repeat(101))).rejects.toMatchObject(quotaRefusal);
    await upload('controller', 'c'.repeat(1_000));
    await expect(upload(HOST_ID, 'd')).rejects.toMatchObject(quotaRefusal);
    expect(await held()).toEqual(['c'.repeat(1_000)]);
  });

  it('reads the list of bodies once for the hosts that upload within ten seconds, and counts those of other processes later', async () => {
    const area = await areas.area(CLUSTER_ID);
    const list = jest.spyOn(area, 'list');
    for (let n = 0; n < 5; n += 1) await upload(`host-${n}`, `${n}`.repeat(100));
    expect(list).toHaveBeenCalledTimes(1);
    list.mockRestore();
    await storedLogs().replace(
      CLUSTER_ID,
      'controller',
      Readable.from([Buffer.from('e'.repeat(400))]),
      async () => undefined,
    );
    nowMs += 10_000;
    await expect(upload(HOST_ID, 'f'.repeat(101))).rejects.toMatchObject(quotaRefusal);
    await upload(HOST_ID, 'f'.repeat(100));
  });

  it('enforces the quota on concurrent uploads', async () => {
    const texts = ['x', 'y', 'z'].map((letter) => letter.repeat(600));
    await Promise.allSettled(texts.map((text, index) => upload(index === 0 ? 'controller' : HOST_ID, text)));
    expect((await held()).join('').length).toBeLessThanOrEqual(QUOTA);
  });

  it('removes old bodies without a reference', async () => {
    await upload('controller', 'referenced');
    await (await areas.area(CLUSTER_ID)).put(Buffer.from('orphan'), 100);
    await (await areas.area(DELETED_CLUSTER)).put(Buffer.from('of a deleted cluster'), 100);
    await logs.sweep();
    expect(await held()).toEqual(['orphan', 'referenced']);
    nowMs += TWO_HOURS_MS;
    isCaughtUp = false;
    await logs.sweep();
    expect(await held(DELETED_CLUSTER)).toEqual(['of a deleted cluster']);
    isCaughtUp = true;
    await logs.sweep();
    expect(await held()).toEqual(['referenced']);
    expect(await held(DELETED_CLUSTER)).toEqual([]);
  });

  it('removes old bodies without a reference at the start of the service', async () => {
    const area = await areas.area(DELETED_CLUSTER);
    await area.put(Buffer.from('of a deleted cluster'), QUOTA);
    nowMs += TWO_HOURS_MS;
    logs.onApplicationBootstrap();
    await eventually('the orphan is removed', async () => (await held(DELETED_CLUSTER)).length === 0);
    logs.onApplicationShutdown();
  });
});
