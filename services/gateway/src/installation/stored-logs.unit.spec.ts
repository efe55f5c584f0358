import { Readable } from 'node:stream';
import { inMemoryEventStore, inMemoryObjectAreas, inMemoryReadModels } from '@muster/adapter-in-memory';
import {
  type ClusterDocument,
  COLLECTIONS,
  DROPPED_LOGS,
  type DroppedLogsDocument,
  type HostDocument,
} from '@muster/assisted-api';
import { NO_STREAM, putOrRemove, type StoredObject } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { eventually, eventToAppend, seededIds } from '@muster/testing';
import { CLUSTER_ID, clusterDocument, HOST_ID, hostDocument, INFRA_ENV_ID } from '../sample-documents.fixture.spec';
import { StoredLogs } from './stored-logs';

const QUOTA = 1_000;
const TWO_HOURS_MS = 7_200_000;
const DELETED_CLUSTER = '0000dead-0000-4000-8000-000000000000';

describe('stored logs', () => {
  const areas = inMemoryObjectAreas();
  const eventStore = inMemoryEventStore();
  const readModels = inMemoryReadModels();
  const ids = seededIds();
  let digests: { [source: string]: string } = {};
  let nowMs = Date.now();
  let isCaughtUp = true;
  const cluster = (): ClusterDocument =>
    ({ ...clusterDocument().document, _log_digests: digests }) as unknown as ClusterDocument;
  const storedLogs = (): StoredLogs =>
    new StoredLogs(
      areas,
      { logsBytesPerClusterMax: QUOTA } as never,
      eventStore as never,
      { nowMs: () => nowMs },
      { passed: async () => isCaughtUp } as never,
      {
        document: async (id: string) => {
          if (id === CLUSTER_ID) return cluster();
          throw new RefusalError({ code: 'not-found', reason: 'There is no such cluster.' });
        },
      } as never,
      { documentsOfCluster: async () => [hostDocument().document as unknown as HostDocument] } as never,
      readModels,
      ids,
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

  const keyOf = (source: string): string => (source === HOST_ID ? `${INFRA_ENV_ID}.${HOST_ID}` : source);
  const upload = (source: string, text: string): Promise<void> =>
    logs.replace(CLUSTER_ID, keyOf(source), Readable.from([Buffer.from(text)]), async ({ digest }: StoredObject) => {
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

  it.each(['busy', 'unavailable', 'internal'] as const)('keeps a body whose event may exist (%s)', async (code) => {
    const refuse = async (): Promise<never> => {
      throw new RefusalError({ code, reason: 'no answer' });
    };
    const body = Readable.from([Buffer.from('kept')]);
    await expect(logs.replace(CLUSTER_ID, 'controller', body, refuse)).rejects.toThrow('no answer');
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

  describe('after all areas were visited', () => {
    const OTHER_CLUSTER = '0000cafe-0000-4000-8000-000000000000';
    const visited: string[] = [];
    let position = -1;
    beforeEach(async () => {
      nowMs += TWO_HOURS_MS;
      await logs.sweep();
      nowMs = Date.now();
      const opened = areas.area.bind(areas);
      jest.spyOn(areas, 'area').mockImplementation(async (name) => {
        const area = await opened(name);
        if (name !== 'marks') visited.push(name);
        return area;
      });
      visited.length = 0;
    });
    afterEach(() => jest.restoreAllMocks());

    /** Stores an event and what the projection of the views records for it. */
    const drop = async (clusterIds: readonly string[], complete_after = -1): Promise<void> => {
      const stored = await eventStore.append(`note-${ids.uuid()}`, NO_STREAM, [eventToAppend()]);
      position = stored.kind === 'appended' ? stored.position : position;
      const clusters = clusterIds.map((cluster_id) => ({ cluster_id, position }));
      const document: DroppedLogsDocument = { complete_after, clusters };
      await readModels.commit('views', position, [putOrRemove(COLLECTIONS.droppedLogs, DROPPED_LOGS, document)]);
    };
    const addOrphan = async (name: string, text: string): Promise<void> =>
      void (await (await areas.area(name)).put(Buffer.from(text), QUOTA));

    it('no area is visited while no logs are dropped', async () => {
      await addOrphan(OTHER_CLUSTER, 'unknown');
      visited.length = 0;
      await storedLogs().sweep();
      await storedLogs().sweep();
      expect(visited).toEqual([]);
    });

    it('an area with dropped logs is visited once, and again as long as a body in it is young', async () => {
      await addOrphan(DELETED_CLUSTER, 'old');
      nowMs += TWO_HOURS_MS;
      await drop([DELETED_CLUSTER]);
      await logs.sweep();
      expect(await held(DELETED_CLUSTER)).toEqual([]);
      nowMs = Date.now();
      await addOrphan(DELETED_CLUSTER, 'young');
      await drop([DELETED_CLUSTER]);
      await logs.sweep();
      expect(await held(DELETED_CLUSTER)).toEqual(['young']);
      nowMs += TWO_HOURS_MS;
      // Another process of the gateway, after a restart.
      await storedLogs().sweep();
      expect(await held(DELETED_CLUSTER)).toEqual([]);
      visited.length = 0;
      await storedLogs().sweep();
      expect(visited).toEqual([]);
    });

    it('every area is visited when dropped logs may be missing', async () => {
      await addOrphan(OTHER_CLUSTER, 'dropped earlier');
      nowMs += TWO_HOURS_MS;
      await drop([DELETED_CLUSTER]);
      await drop([DELETED_CLUSTER], position);
      await logs.sweep();
      expect(await held(OTHER_CLUSTER)).toEqual([]);
    });

    it('every area is visited when the event store was replaced by an earlier backup', async () => {
      await drop([]);
      await logs.sweep();
      await addOrphan(OTHER_CLUSTER, 'dropped earlier');
      nowMs += TWO_HOURS_MS;
      jest.spyOn(eventStore, 'head').mockResolvedValue(position - 1);
      await logs.sweep();
      expect(await held(OTHER_CLUSTER)).toEqual([]);
      visited.length = 0;
      await logs.sweep();
      expect(visited).toEqual([]);
    });

    it('the area of an upload is visited when the process was killed before its event', async () => {
      const killed = new Promise<never>(() => undefined);
      void logs.replace(CLUSTER_ID, 'controller', Readable.from([Buffer.from('interrupted')]), () => killed);
      await eventually('the body is stored', async () => (await held()).length === 1);
      await storedLogs().sweep();
      expect(await held()).toEqual(['interrupted']);
      nowMs = Date.now() + TWO_HOURS_MS;
      await storedLogs().sweep();
      expect(await held()).toEqual([]);
      // The upload might still run, until the longest one has ended.
      nowMs += 4 * 86_400_000;
      await storedLogs().sweep();
      visited.length = 0;
      await storedLogs().sweep();
      expect(visited).toEqual([]);
    });

    /** Uploads logs. Their event is stored, but the documents do not contain it before the returned function is called. */
    const uploadBefore = async (source: string, text: string): Promise<() => void> => {
      let digest = '';
      await logs.replace(CLUSTER_ID, source, Readable.from([Buffer.from(text)]), async (stored) => {
        digest = stored.digest;
      });
      return () => (digests = { ...digests, [source]: digest });
    };

    it('a replaced body is removed when the documents were late', async () => {
      await upload('controller', 'first');
      const project = await uploadBefore('controller', 'second');
      project();
      await drop([CLUSTER_ID]);
      nowMs += TWO_HOURS_MS;
      await logs.sweep();
      expect(await held()).toEqual(['second']);
    });

    it('the bodies of overlapping uploads of one source are removed, except for the last one', async () => {
      const uploads = ['first', 'second', 'third'].map((text) => uploadBefore('controller', text));
      for (const project of await Promise.all(uploads)) project();
      await drop([CLUSTER_ID]);
      await logs.sweep();
      expect(await held()).toEqual(['first', 'second', 'third']);
      nowMs += TWO_HOURS_MS;
      await logs.sweep();
      expect(await held()).toEqual(['third']);
    });

    it('the area of an upload is not visited after its event, nor after its refusal', async () => {
      await upload('controller', 'kept');
      await expect(upload(HOST_ID, 'b'.repeat(QUOTA))).rejects.toMatchObject(quotaRefusal);
      visited.length = 0;
      await storedLogs().sweep();
      expect(visited).toEqual([]);
      expect(await held()).toEqual(['kept']);
    });
  });
});
