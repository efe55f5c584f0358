import { existsSync, mkdirSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { NO_STREAM } from '@muster/ports';
import { collectPages, eventToAppend, temporaryDirectory } from '@muster/testing';
import { DatabaseUnusable, openDatabase } from './database';
import { sqliteEventStore } from './event-store';
import { backUpSqliteStore, copySqliteFile, sqliteStoreStats, verifySqliteStore } from './maintenance';

const silent = (): void => undefined;
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

  it('returns no fault for a valid store', () => {
    const progress: number[] = [];
    expect(verifySqliteStore(file, (verified) => progress.push(verified))).toEqual([]);
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
    ['a name that is not text', "UPDATE streams SET name = CAST(X'73ff' AS TEXT) WHERE id = 1", /name of the stream/],
    ['a missing member', `UPDATE events SET body = '["a","b",1,{}]' WHERE position = 1`, /Position 1: a member/],
  ])('returns a fault for %s', (_what, damage, expected) => {
    const database = openDatabase(file);
    database.exec(damage);
    database.close();
    expect(verifySqliteStore(file, silent).join('\n')).toMatch(expected);
  });

  it('copies a store that is in use to a private file with the same events', async () => {
    const store = sqliteEventStore({ file });
    const target = `${file}.backup`;
    const progress: number[] = [];
    backUpSqliteStore(file, target, (copied) => progress.push(copied));
    expect(progress).toEqual([4]);
    expect(existsSync(`${target}-wal`)).toBe(false);
    expect(verifySqliteStore(target, silent)).toEqual([]);
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
    expect(() => backUpSqliteStore(file, target, silent)).toThrow(refused);
    const absent = join(directory.path, 'absent', 'copy');
    expect(() => backUpSqliteStore(file, absent, silent)).toThrow(`Database ${absent}: the file cannot be opened`);
    const failing = (): never => {
      throw new Error('stopped');
    };
    expect(() => backUpSqliteStore(file, `${file}.part`, failing)).toThrow('stopped');
    expect(existsSync(`${file}.part`) || existsSync(`${file}.part.partial`)).toBe(false);
  });

  it('names the target of a copy when it cannot be written', () => {
    const target = `${file}.unwritable`;
    // SQLite cannot end its transaction, because it cannot remove its journal.
    const journal = `${target}.partial-journal`;
    const replaceJournal = (): void => {
      rmSync(journal);
      mkdirSync(journal);
    };
    expect(() => backUpSqliteStore(file, target, replaceJournal)).toThrow(
      `Database ${target}: the disk failed to read or write. Check its health and free space.`,
    );
    copySqliteFile(file, target);
    expect(() => copySqliteFile(file, target)).toThrow(`Database ${target}: output file already exists`);
  });

  it.each([
    ['stats', sqliteStoreStats],
    ['verify', verifySqliteStore],
  ])('explains a file that is not a database to %s', (_command, read) => {
    writeFileSync(`${file}.text`, 'not a database, but long enough to be looked at as one '.repeat(20));
    expect(() => read(`${file}.text`, silent)).toThrow(/this is not a SQLite database/);
  });
});
