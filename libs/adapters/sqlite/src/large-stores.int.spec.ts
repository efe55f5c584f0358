import { join } from 'node:path';
import { NO_STREAM } from '@muster/ports';
import { eventToAppend, temporaryDirectory } from '@muster/testing';
import { SqliteCompaction } from './compaction';
import { openDatabase } from './database';
import { sqliteEventStore } from './event-store';
import { verifySqliteStore } from './maintenance';

/** An event has up to 256 KiB. */
const READ_EVENTS_MAX = 512;
const EVENTS = 2 * READ_EVENTS_MAX + 10;
const DIGEST = `sha256:${'a'.repeat(64)}`;

describe('a store with many events', () => {
  const directory = temporaryDirectory();
  const file = join(directory.path, 'events.sqlite');
  const progress: number[] = [];
  const rowsRead: number[] = [];

  beforeAll(async () => {
    const store = sqliteEventStore({ file });
    const events = Array.from({ length: EVENTS }, (_, n) =>
      eventToAppend(n === 0 ? { digest: DIGEST, text: 'x'.repeat(1_000) } : { n }),
    );
    await store.append('sample-1', NO_STREAM, events);
    await store.close();
    const database = openDatabase(file);
    const statement: unknown = Object.getPrototypeOf(database.prepare('SELECT 1'));
    database.close();
    const { all } = statement as { all(...given: unknown[]): unknown[] };
    jest.spyOn(statement as { all: typeof all }, 'all').mockImplementation(function (this: unknown, ...given) {
      const rows = all.apply(this, given);
      rowsRead.push(rows.length);
      return rows;
    });
  });
  beforeEach(() => [progress, rowsRead].forEach((list) => list.splice(0)));
  afterAll(() => {
    jest.restoreAllMocks();
    directory.remove();
  });
  const expectReadInParts = (): void => {
    expect(rowsRead.reduce((sum, rows) => sum + rows)).toBeGreaterThanOrEqual(EVENTS);
    expect(Math.max(...rowsRead)).toBeLessThanOrEqual(READ_EVENTS_MAX);
    expect(progress).toEqual([EVENTS]);
  };

  it('is verified without more of its events in memory than a feed has', async () => {
    expect(await verifySqliteStore(file, (verified) => progress.push(verified))).toEqual([]);
    expectReadInParts();
  });

  it('is searched for documents in the same way', () => {
    const compaction = new SqliteCompaction(file);
    compaction.replace([{ position: 1, data: { n: 0 } }]);
    expect(compaction.unusedBodies((searched) => progress.push(searched))).toEqual([DIGEST]);
    compaction.close();
    expectReadInParts();
  });
});
