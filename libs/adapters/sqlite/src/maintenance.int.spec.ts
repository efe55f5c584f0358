import { statSync } from 'node:fs';
import { join } from 'node:path';
import { NO_STREAM } from '@muster/ports';
import { collectPages, eventToAppend, temporaryDirectory } from '@muster/testing';
import { openDatabase } from './database';
import { sqliteEventStore } from './event-store';
import { backUpSqliteStore, sqliteStoreStats, verifySqliteStore } from './maintenance';

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
    const { events, streams, bytes, types } = sqliteStoreStats(file);
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
    expect(verifySqliteStore(file, () => undefined).join('\n')).toMatch(expected);
  });

  it('copies a store that is in use to a private file with the same events', async () => {
    const store = sqliteEventStore({ file });
    const target = `${file}.backup`;
    backUpSqliteStore(file, target);
    await store.append('sample-1', 2, numbered(1));
    const copy = sqliteEventStore({ file: target });
    expect(await collectPages(copy.readAll(-1))).toEqual((await collectPages(store.readAll(-1))).slice(0, 4));
    expect(statSync(target).mode & 0o777).toBe(0o600);
    expect(() => backUpSqliteStore(file, target)).toThrow('EEXIST');
    await store.close();
    await copy.close();
  });
});
