import { closeSync, openSync, statSync, writeSync } from 'node:fs';
import { join } from 'node:path';
import { inMemoryObjectStore } from '@muster/adapter-in-memory';
import { NO_STREAM } from '@muster/ports';
import { collectPages, eventToAppend, temporaryDirectory } from '@muster/testing';
import Database from 'libsql';
import { SqliteCompaction } from './compaction';
import { openDatabase } from './database';
import { sqliteEventStore } from './event-store';
import { verifySqliteStore } from './maintenance';
import { sqliteSealedStorage } from './sealed-storage';
import { sqliteSmallObjects } from './small-objects';
import { copySqliteFile } from './written-databases';

const PAGE_BYTES = 4_096;
const DAMAGED_BYTES = 8 * PAGE_BYTES;
const EVENTS = 2_000;
const ROWS = 500;

/** Overwrites pages in the middle of the file. */
function damage(file: string): void {
  const start = Math.ceil(statSync(file).size / PAGE_BYTES / 2) * PAGE_BYTES;
  const descriptor = openSync(file, 'r+');
  writeSync(descriptor, Buffer.alloc(DAMAGED_BYTES, 0xff), 0, DAMAGED_BYTES, start);
  closeSync(descriptor);
}

describe('a file with damaged pages', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());
  const path = (name: string): string => join(directory.path, name);
  const refusal = (file: string) => `Database ${file}: the database is damaged. Restore it from a backup.`;

  describe('of the event store', () => {
    const file = path('events.sqlite');
    beforeAll(async () => {
      const store = sqliteEventStore({ file });
      await store.append(
        'sample-1',
        NO_STREAM,
        Array.from({ length: EVENTS }, () => eventToAppend()),
      );
      await store.close();
      damage(file);
    });

    it('is named by every read', async () => {
      const store = sqliteEventStore({ file });
      await expect(collectPages(store.readAll(-1))).rejects.toThrow(refusal(file));
      await expect(collectPages(store.readStream('sample-1'))).rejects.toThrow(refusal(file));
      await store.close();
    });

    it('is named by a backup', () => {
      expect(() => copySqliteFile('events', file, path('copy.sqlite'), () => undefined)).toThrow(refusal(file));
    });

    it('is verified as far as it can be read', async () => {
      const progress: number[] = [];
      const faults = await verifySqliteStore(file, (verified) => progress.push(verified));
      expect(faults).toEqual(
        expect.arrayContaining([
          expect.stringMatching(/^The file is damaged: /),
          expect.stringMatching(/^Positions \d+ to \d+: the events are on damaged pages and cannot be read\.$/),
        ]),
      );
      expect(progress.at(-1)).toBeGreaterThan(EVENTS / 2);
      expect(progress.at(-1)).toBeLessThan(EVENTS);
    });

    it('is named by a compaction', () => {
      const compaction = new SqliteCompaction(file);
      expect(() => compaction.read('sample-1')).toThrow(refusal(file));
      compaction.close();
    });
  });

  it('is named by a read of small objects', async () => {
    const file = path('objects.sqlite');
    const open = () => sqliteSmallObjects({ file, others: inMemoryObjectStore() });
    const objects = open();
    for (let n = 0; n < ROWS; n += 1) await objects.put(Buffer.from(`${n}`.repeat(500)), PAGE_BYTES);
    await objects.close();
    damage(file);
    const damaged = open();
    const list = async (): Promise<void> => {
      for await (const { digest } of damaged.list()) await damaged.get(digest);
    };
    await expect(list()).rejects.toThrow(refusal(file));
    await damaged.close();
  });

  it('is named by a read of sealed values', async () => {
    const file = path('sealed.sqlite');
    const sealed = sqliteSealedStorage(file);
    const values = Array.from({ length: ROWS }, (_, n): [string, Buffer] => [`${n}`, Buffer.alloc(500)]);
    await sealed.create('scope', new Map(values));
    await sealed.close();
    damage(file);
    const damaged = sqliteSealedStorage(file);
    const readAll = Promise.all(values.map(([name]) => damaged.read('scope', name)));
    await expect(readAll).rejects.toThrow(refusal(file));
    await damaged.close();
  });
});

it('a compaction prepares its statements once, because each one keeps memory until it is collected', async () => {
  const directory = temporaryDirectory();
  const file = join(directory.path, 'events.sqlite');
  const store = sqliteEventStore({ file });
  await store.append('sample-1', NO_STREAM, [eventToAppend({ more: 'x'.repeat(1_000) }), eventToAppend()]);
  await store.close();
  const compaction = new SqliteCompaction(file);
  const prepared = jest.spyOn(Database.prototype, 'prepare');
  expect([...compaction.streams('sample-')]).toEqual(['sample-1']);
  expect(compaction.read('sample-1')).toHaveLength(2);
  expect(compaction.replace([{ position: 1, data: undefined }])).toBeDefined();
  expect(prepared).not.toHaveBeenCalled();
  prepared.mockRestore();
  compaction.close();
  directory.remove();
});

it('a damaged event is named by the search for unused bodies', async () => {
  const directory = temporaryDirectory();
  const file = join(directory.path, 'events.sqlite');
  const store = sqliteEventStore({ file });
  const digest = `sha256:${'a'.repeat(64)}`;
  await store.append('sample-1', NO_STREAM, [eventToAppend({ digest, more: 'x'.repeat(1_000) }), eventToAppend()]);
  await store.close();
  const database = openDatabase(file);
  database.exec(`UPDATE events SET body = '["a"' WHERE position = 2`);
  database.close();
  const compaction = new SqliteCompaction(file);
  expect(compaction.replace([{ position: 1, data: undefined }])).toBeDefined();
  expect(() => compaction.unusedBodies(() => undefined)).toThrow(
    `The event store ${file} is damaged: table events, position 2: `,
  );
  compaction.close();
  directory.remove();
});

it('the close of a compaction does not replace the error that ended it', () => {
  const directory = temporaryDirectory();
  const file = join(directory.path, 'events.sqlite');
  const compaction = new SqliteCompaction(file);
  compaction.forgetBodies();
  const checkpoint = jest.spyOn(Database.prototype, 'pragma').mockImplementation(() => {
    throw new Database.SqliteError('database or disk is full', 'SQLITE_FULL');
  });
  const work = (): void => {
    try {
      throw new Error('the reason');
    } finally {
      compaction.close();
    }
  };
  expect(work).toThrow('the reason');
  expect(checkpoint).toHaveBeenCalledWith('wal_checkpoint(TRUNCATE)');
  checkpoint.mockRestore();
  // The stored changes are in the write-ahead log, and the connection has no lock.
  openDatabase(file).close();
  expect(() => compaction.countStreams('')).toThrow(/not open/);
  directory.remove();
});
