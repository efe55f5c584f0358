import { copyFileSync, existsSync, mkdirSync, rmSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { inMemoryObjectStore } from '@muster/adapter-in-memory';
import { NO_STREAM } from '@muster/ports';
import { collectPages, eventToAppend, temporaryDirectory } from '@muster/testing';
import { DatabaseUnusable, openDatabase } from './database';
import { openDurableDatabase } from './durable-database';
import { sqliteEventStore } from './event-store';
import {
  sqliteStoreStats,
  type StatementWork,
  vacuumSqliteFile,
  verifySqliteFile,
  verifySqliteStore,
} from './maintenance';
import { sqliteSealedStorage } from './sealed-storage';
import { sqliteSmallObjects } from './small-objects';
import { copySqliteFile } from './written-databases';

const silent = (): void => undefined;
/** All values in the order of the rows, as hexadecimal bytes. */
function rowsOf(file: string, table: 'objects' | 'sealed'): readonly unknown[] {
  const database = openDurableDatabase(file, '');
  const columns = table === 'objects' ? 'digest, stored_at_ms, hex(body)' : 'hex(scope), hex(name), hex(bytes)';
  const rows = database.prepare(`SELECT ${columns} FROM ${table}`).raw().all();
  database.close();
  return rows;
}
const numbered = (count: number) => Array.from({ length: count }, (_, n) => eventToAppend({ n }));

describe('maintenance of an event store', () => {
  const directory = temporaryDirectory();
  let file: string;
  let files = 0;
  beforeEach(async () => {
    file = join(directory.path, `events-${(files += 1)}.db`);
    const store = sqliteEventStore({ file });
    await store.append('sample-1', NO_STREAM, numbered(3));
    await store.append('sample-2', NO_STREAM, [eventToAppend({ text: 'x'.repeat(1_000) }, 'LongHappened')]);
    await store.close();
  });
  afterAll(() => directory.remove());

  it('counts events, streams and bytes, the largest type first', () => {
    const progress: number[] = [];
    const { events, streams, bytes, types } = sqliteStoreStats(file, (counted) => progress.push(counted));
    expect(progress).toEqual([4]);
    expect({ events, streams }).toEqual({ events: 4, streams: 2 });
    expect(types.map(({ type, events: count }) => [type, count])).toEqual([
      ['LongHappened', 1],
      ['SampleHappened', 3],
    ]);
    expect(bytes).toBe(types.reduce((sum, one) => sum + one.bytes, 0));
  });

  it('finds the last events missing when the write-ahead log of a killed process was removed', async () => {
    const store = sqliteEventStore({ file });
    await store.append('sample-1', 2, numbered(2));
    // The files of a process that ends now.
    for (const suffix of ['', '-wal', '-head']) copyFileSync(`${file}${suffix}`, `${file}.killed${suffix}`);
    await expect(verifySqliteStore(file, silent)).resolves.toEqual([]);
    await store.close();
    expect(existsSync(`${file}-head`)).toBe(false);
    rmSync(`${file}.killed-wal`);
    const faults = await verifySqliteStore(`${file}.killed`, silent);
    expect(faults).toEqual(['Positions 5 to 6: the events are missing.']);
  });

  it('finds the last events of one process missing after another one was closed', async () => {
    const [killed, closed, reader] = [1, 2, 3].map(() => sqliteEventStore({ file }));
    await killed?.append('sample-3', NO_STREAM, numbered(1));
    await reader?.close();
    expect(existsSync(`${file}-head`)).toBe(true);
    await closed?.append('sample-4', NO_STREAM, numbered(1));
    await closed?.close();
    await killed?.append('sample-3', 0, numbered(1));
    for (const suffix of ['', '-head']) copyFileSync(`${file}${suffix}`, `${file}.killed${suffix}`);
    await expect(verifySqliteStore(`${file}.killed`, silent)).resolves.toEqual(['Position 7: the event is missing.']);
    await killed?.close();
  });

  it('finds no event missing that was refused or rolled back', async () => {
    const store = sqliteEventStore({ file, maxBytes: 64 * 1024 });
    await store.append('sample-3', NO_STREAM, numbered(1));
    const large = [eventToAppend({ text: 'x'.repeat(200_000) })];
    await expect(store.append('sample-4', NO_STREAM, large)).rejects.toThrow('is full');
    expect(await store.append('sample-3', NO_STREAM, numbered(1))).toMatchObject({ kind: 'conflict' });
    await expect(verifySqliteStore(file, silent)).resolves.toEqual([]);
    await store.close();
  });

  it('counts events whose type cannot be read', () => {
    const database = openDatabase(file);
    database.exec(`UPDATE events SET body = '["a"' WHERE position = 1`);
    database.exec("UPDATE events SET body = CAST(X'5b2261222c22ff225d' AS TEXT) WHERE position = 2");
    database.close();
    const { events, types } = sqliteStoreStats(file, silent);
    expect(events).toBe(4);
    expect(types.map(({ type, events: count }) => [type, count])).toEqual([
      ['LongHappened', 1],
      ['SampleHappened', 1],
      ['unreadable, see "store verify"', 2],
    ]);
  });

  it('returns no fault for a valid store', async () => {
    const progress: number[] = [];
    expect(await verifySqliteStore(file, (verified) => progress.push(verified))).toEqual([]);
    expect(progress).toEqual([4]);
  });

  it.each([
    ['a missing event', 'DELETE FROM events WHERE position = 2', /Position 3: sample-1 has revision 2; expected 1/],
    [
      'the missing last event of a stream',
      'DELETE FROM events WHERE position = 3',
      /^Position 3: the event is missing/,
    ],
    ['missing last events', 'DELETE FROM events WHERE position > 2', /^Positions 3 to 4: the events are missing/],
    [
      'a missing stream',
      'PRAGMA foreign_keys = OFF; DELETE FROM streams WHERE id = 2',
      /Position 4: the name of the stream .* missing/,
    ],
    ['incomplete text', `UPDATE events SET body = '["a"' WHERE position = 1`, /Position 1: .* cannot be read/],
    [
      'bytes that are not text',
      "UPDATE events SET body = CAST(X'5b22ff' AS TEXT) WHERE position = 1",
      /Position 1: .* not UTF-8/,
    ],
    [
      'a text that is valid, but not the stored one',
      `UPDATE events SET body = replace(body, '"n":0', '"n":1') WHERE position = 1`,
      /^Position 1: the text of the event differs from what was stored\.$/,
    ],
    ['a name that is not text', "UPDATE streams SET name = CAST(X'73ff' AS TEXT) WHERE id = 1", /name of the stream/],
    ['a missing member', `UPDATE events SET body = '["a","b",1,{}]' WHERE position = 1`, /Position 1: a member/],
  ])('returns a fault for %s, also of a copy', async (_what, damage, expected) => {
    const database = openDatabase(file);
    database.exec(damage);
    database.close();
    const faults = await verifySqliteStore(file, silent);
    expect(faults.join('\n')).toMatch(expected);
    copySqliteFile('events', file, `${file}.copy`, silent);
    expect(await verifySqliteStore(`${file}.copy`, silent)).toEqual(faults);
  });

  it.each([
    ['stats', sqliteStoreStats],
    ['verify', verifySqliteStore],
    ['a copy', (path: string) => copySqliteFile('events', path, `${path}.copy`, silent)],
  ])('refuses an empty file, which %s does not change', async (_command, read) => {
    truncateSync(file);
    await expect((async () => read(file, silent))()).rejects.toThrow(
      `Database ${file}: the file is empty: it was truncated`,
    );
    expect(statSync(file).size).toBe(0);
  });

  it('copies bodies and sealed values in pages, also with names that are not text', async () => {
    const rows = 1_001;
    const [objects, sealed] = [`${file}.objects`, `${file}.sealed`];
    const store = sqliteSmallObjects({ file: objects, others: inMemoryObjectStore() });
    const bodies = Array.from({ length: rows }, (_, n) => Buffer.from(`body ${n}`));
    await Promise.all(bodies.map((body) => store.put(body, 100)));
    const storage = sqliteSealedStorage(sealed);
    await storage.create('scope', new Map(bodies.map((body, n) => [`name-${n}`, body])));
    // Rows that are not in the file yet, only in its write-ahead log, and a name with damaged bytes at the end of a page.
    const damaged = openDurableDatabase(sealed, '');
    damaged.exec(
      "UPDATE sealed SET name = CAST(X'6eff' AS TEXT) WHERE name = (SELECT name FROM sealed ORDER BY name LIMIT 1 OFFSET 999)",
    );
    damaged.close();
    const progress: number[] = [];
    for (const [kind, path] of [
      ['objects', objects],
      ['sealed', sealed],
    ] as const) {
      copySqliteFile(kind, path, `${path}.copy`, (copied) => progress.push(copied));
      expect(rowsOf(`${path}.copy`, kind)).toEqual(rowsOf(path, kind));
    }
    expect(progress).toEqual([1_000, rows, 1_000, rows]);
    await store.close();
    await storage.close();
  });

  it('copies a store that is in use to a private file with the same events', async () => {
    const store = sqliteEventStore({ file });
    const target = `${file}.backup`;
    const progress: number[] = [];
    copySqliteFile('events', file, target, (copied) => progress.push(copied));
    expect(progress).toEqual([4]);
    expect(existsSync(`${target}-wal`)).toBe(false);
    expect(await verifySqliteStore(target, silent)).toEqual([]);
    await store.append('sample-1', 2, numbered(1));
    const copy = sqliteEventStore({ file: target });
    expect(await collectPages(copy.readAll(-1))).toEqual((await collectPages(store.readAll(-1))).slice(0, 4));
    expect(statSync(target).mode & 0o777).toBe(0o600);
    await store.close();
    await copy.close();
  });

  it('refuses to overwrite a file, and leaves no part of a copy that failed', () => {
    const target = `${file}.refused`;
    writeFileSync(target, 'kept');
    const refused = new DatabaseUnusable(target, 'the file exists. Name a new file.');
    expect(() => copySqliteFile('events', file, target, silent)).toThrow(refused);
    const absent = join(directory.path, 'absent', 'copy');
    expect(() => copySqliteFile('events', file, absent, silent)).toThrow(
      `Database ${absent}: the file cannot be opened`,
    );
    const failing = (): never => {
      throw new Error('stopped');
    };
    expect(() => copySqliteFile('events', file, `${file}.part`, failing)).toThrow('stopped');
    expect(existsSync(`${file}.part`) || existsSync(`${file}.part.partial`)).toBe(false);
  });

  it('reports what a statement has done while it runs', async () => {
    const bodies = sqliteSmallObjects({ file: `${file}.objects`, others: inMemoryObjectStore() });
    await Promise.all(Array.from({ length: 500 }, (_, n) => bodies.put(Buffer.alloc(50_000, `${n} `), 50_000)));
    await bodies.close();
    const { setInterval: realInterval } = globalThis;
    const everyMillisecond = jest
      .spyOn(globalThis, 'setInterval')
      .mockImplementation((report) => realInterval(report, 1));
    const reports: StatementWork[] = [];
    const { after } = await vacuumSqliteFile(`${file}.objects`, (work) => reports.push(work));
    // The whole file is in the copy and in the log before the last part.
    expect(reports.at(-1)?.bytes?.written).toBeGreaterThan(after);
    expect(reports.at(-1)?.bytes?.read).toBeGreaterThan(after);
    expect(reports.map(({ ms }) => ms)).toEqual(reports.map(({ ms }) => ms).sort((left, right) => left - right));
    reports.length = 0;
    expect(await verifySqliteFile('objects', `${file}.objects`, (work) => reports.push(work))).toEqual([]);
    expect(reports.length).toBeGreaterThan(0);
    everyMillisecond.mockRestore();
  });

  it('names the target of a copy when it cannot be written', () => {
    const target = `${file}.unwritable`;
    // SQLite cannot end its transaction, because it cannot remove its journal.
    const journal = `${target}.partial-journal`;
    const replaceJournal = (): void => {
      rmSync(journal);
      mkdirSync(journal);
    };
    expect(() => copySqliteFile('events', file, target, replaceJournal)).toThrow(
      `Database ${target}: the disk failed to read or write. Check its health and free space.`,
    );
  });

  it('names the original when its rows are not valid in the tables of a copy', () => {
    const database = openDatabase(file);
    database.exec('DROP INDEX events_by_stream; UPDATE events SET revision = 0');
    database.close();
    expect(() => copySqliteFile('events', file, `${file}.invalid`, silent)).toThrow(
      `Database ${file}: a row is not valid: the database is damaged. Restore it from a backup.`,
    );
  });

  it.each([
    ['stats', sqliteStoreStats],
    ['verify', verifySqliteStore],
  ])('explains a file that is not a database to %s', async (_command, read) => {
    writeFileSync(`${file}.text`, 'not a database, but long enough to be looked at as one '.repeat(20));
    await expect((async () => read(`${file}.text`, silent))()).rejects.toThrow(/this is not a SQLite database/);
  });
});
