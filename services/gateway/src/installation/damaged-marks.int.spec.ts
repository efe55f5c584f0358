import { mkdirSync, readdirSync, readFileSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { filesystemObjectAreas } from '@muster/adapter-filesystem';
import { inMemoryEventStore, inMemoryReadModels } from '@muster/adapter-in-memory';
import { COLLECTIONS, DROPPED_LOGS } from '@muster/assisted-api';
import { type ObjectStore, putOrRemove, Unavailable } from '@muster/ports';
import { RefusalError } from '@muster/problems';
import { seededIds, temporaryDirectory } from '@muster/testing';
import { StoredLogs } from './stored-logs';

const DELETED_CLUSTER = '0000dead-0000-4000-8000-000000000000';
const TWO_HOURS_MS = 7_200_000;
const FIVE_DAYS_MS = 5 * 86_400_000;

describe('stored logs with a damaged mark', () => {
  const directory = temporaryDirectory();
  const areas = filesystemObjectAreas({ directory: directory.path });
  const readModels = inMemoryReadModels();
  let nowMs = Date.now();
  const logs = new StoredLogs(
    areas,
    { logsBytesPerClusterMax: 1_000 } as never,
    inMemoryEventStore() as never,
    { nowMs: () => nowMs },
    { passed: async () => true } as never,
    {
      document: async () => {
        throw new RefusalError({ code: 'not-found', reason: 'There is no such cluster.' });
      },
    } as never,
    {} as never,
    readModels,
    seededIds(),
  );
  let marks: ObjectStore;
  beforeAll(async () => {
    marks = await areas.area('marks');
    await readModels.commit('views', 0, [
      putOrRemove(COLLECTIONS.droppedLogs, DROPPED_LOGS, { complete_after: -1, clusters: [] }),
    ]);
    await (await areas.area(DELETED_CLUSTER)).put(Buffer.from('orphan'), 100);
    await logs.sweep();
    await marks.put(Buffer.from(JSON.stringify({ cluster_id: DELETED_CLUSTER, upload: 'interrupted' })), 1_000);
    damageMarks();
  });
  afterAll(() => directory.remove());

  const markFiles = (): readonly string[] =>
    readdirSync(join(directory.path, 'marks', 'objects'), { recursive: true, withFileTypes: true })
      .filter((entry) => entry.isFile())
      .map(({ parentPath, name }) => join(parentPath, name));
  /** As after a fault of the disk. */
  const damageMarks = (): void => {
    for (const path of markFiles())
      if (readFileSync(path, 'utf8').includes('interrupted')) {
        writeFileSync(path, Buffer.alloc(50));
        utimesSync(path, nowMs / 1_000, nowMs / 1_000);
      }
  };
  const orphans = async (): Promise<number> => {
    let count = 0;
    for await (const _ of (await areas.area(DELETED_CLUSTER)).list()) count += 1;
    return count;
  };

  it('are not swept while the store is not available', async () => {
    const get = jest.spyOn(areas, 'area').mockResolvedValue({
      ...marks,
      get: () => Promise.reject(new Unavailable('S3 at storage', 'no answer')),
    });
    await expect(logs.sweep()).rejects.toThrow('S3 at storage is not available');
    get.mockRestore();
  });

  it('are swept in all areas, because the cluster of the mark is unknown', async () => {
    nowMs += TWO_HOURS_MS;
    await logs.sweep();
    expect(await orphans()).toBe(0);
    // The mark might be that of a running upload.
    expect(markFiles()).toHaveLength(2);
  });

  it('lose the mark when no upload can need it any more', async () => {
    nowMs += FIVE_DAYS_MS;
    await logs.sweep();
    expect(markFiles()).toHaveLength(1);
    expect(readFileSync(markFiles()[0] ?? '', 'utf8')).toMatch(/^\{"swept_to":-?\d+\}$/);
  });

  it('are swept in the other areas when one area cannot be read, and that one is visited again', async () => {
    const broken = '0000aaaa-0000-4000-8000-000000000000';
    for (const cluster of [broken, DELETED_CLUSTER]) {
      await (await areas.area(cluster)).put(Buffer.from(`orphan of ${cluster}`), 100);
      await marks.put(Buffer.from(JSON.stringify({ cluster_id: cluster, id: cluster })), 1_000);
    }
    nowMs += TWO_HOURS_MS;
    const open = areas.area.bind(areas);
    const area = jest.spyOn(areas, 'area').mockImplementation((name) => {
      return name === broken ? Promise.reject(new Error('EACCES: permission denied')) : open(name);
    });
    await logs.sweep();
    area.mockRestore();
    expect(await orphans()).toBe(0);
    expect(await areas.names()).toEqual(expect.arrayContaining([broken]));
    await logs.sweep();
    expect(await areas.names()).toEqual(['marks']);
  });

  it('are not looked for in a directory of the file system, such as lost+found', async () => {
    mkdirSync(join(directory.path, 'lost+found'));
    await marks.put(Buffer.from('{"upload":"unknown"}'), 1_000);
    const area = jest.spyOn(areas, 'area');
    await logs.sweep();
    expect(area.mock.calls).not.toContainEqual(['lost+found']);
    area.mockRestore();
  });
});
