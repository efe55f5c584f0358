import { statSync } from 'node:fs';
import { join } from 'node:path';
import { keepJsonText, NO_STREAM, type RecordedEvent } from '@muster/ports';
import {
  collectPages,
  eventStoreContract,
  eventToAppend,
  eventually,
  manualClock,
  temporaryDirectory,
  threadFromSource,
} from '@muster/testing';
import { openDatabase } from './database';
import { EventPages, PAGE_EVENTS } from './event-pages';
import { sqliteEventStore } from './event-store';
import { type SqliteWriter, writerHere, writerThread } from './writer';

describe.each([
  ['sqliteEventStore', writerHere],
  ['sqliteEventStore with a writer thread', () => writerThread(threadFromSource(join(__dirname, 'writer.entry.ts')))],
])('', (name, openWriter) => {
  let writer: SqliteWriter;
  beforeAll(() => void (writer = openWriter()));
  afterAll(() => writer.close());

  eventStoreContract(name, async () => {
    const directory = temporaryDirectory();
    const file = join(directory.path, 'events.db');
    let store = sqliteEventStore({ file, writer });
    return {
      store,
      reopen: async () => {
        await store.close();
        store = sqliteEventStore({ file, writer });
        return store;
      },
      close: async () => {
        await store.close();
        directory.remove();
      },
    };
  });
});

describe('sqliteEventStore', () => {
  const directory = temporaryDirectory();
  const file = join(directory.path, 'events.db');
  afterAll(() => directory.remove());

  it('requires the disk to write a commit before it is acknowledged', () => {
    const database = openDatabase(join(directory.path, 'settings.db'));
    expect(database.prepare('PRAGMA journal_mode').get()).toMatchObject({ journal_mode: 'wal' });
    expect(database.prepare('PRAGMA synchronous').get()).toMatchObject({ synchronous: 2 });
    database.close();
  });

  it('creates a file readable by the owner only, and leaves one file after it was closed', async () => {
    const alone = join(directory.path, 'alone.db');
    const store = sqliteEventStore({ file: alone });
    await store.append('sample-1', NO_STREAM, [eventToAppend()]);
    await store.close();
    expect(statSync(alone).mode & 0o777).toBe(0o600);
    expect(statSync(`${alone}-wal`, { throwIfNoEntry: false })?.size ?? 0).toBe(0);
  });

  it('delivers what this process appends without a query for more', async () => {
    const store = sqliteEventStore({ file: join(directory.path, 'subscribed.db') });
    await store.append('sample-1', NO_STREAM, [eventToAppend()]);
    const delivered: number[] = [];
    const subscription = store.subscribe(
      -1,
      async (page) => void delivered.push(...page.map(({ revision }) => revision)),
      (error) => {
        throw error;
      },
    );
    await eventually('the first event', () => delivered.length === 1);
    const query = jest.spyOn(EventPages.prototype, 'after');
    for (const revision of [0, 1, 2]) {
      await store.append('sample-1', revision, [eventToAppend()]);
      await eventually('the next event', () => delivered.length === revision + 2);
    }
    expect(query).not.toHaveBeenCalled();
    // A read that is not a subscription asks for the end.
    await collectPages(store.readAll(-1));
    expect(query).toHaveBeenCalled();
    query.mockRestore();
    await subscription.close();
    await store.close();
  });

  it('takes the recording time from its clock', async () => {
    const store = sqliteEventStore({
      file: join(directory.path, 'clock.db'),
      clock: manualClock(Date.UTC(2030, 1, 2, 3, 4, 5, 6)),
    });
    await store.append('sample-1', NO_STREAM, [eventToAppend()]);
    const [stored] = await collectPages(store.readAll(-1));
    expect(stored?.recordedAt).toBe('2030-02-02T03:04:05.006Z');
    await store.close();
  });

  it('stores the text of the data that was written before, and any id and type', async () => {
    const written = join(directory.path, 'written.db');
    const store = sqliteEventStore({ file: written });
    const events = [
      { ...eventToAppend({ n: 1 }), id: 'a "quoted"\\ id' },
      { ...eventToAppend({ n: 2 }), type: 'Écrit\n' },
    ];
    keepJsonText(events[1]?.data ?? {}, '{"n":3}');
    await store.append('sample-1', NO_STREAM, events);
    await store.close();
    const reopened = sqliteEventStore({ file: written });
    expect(await collectPages(reopened.readAll(-1))).toMatchObject([events[0], { ...events[1], data: { n: 3 } }]);
    await reopened.close();
  });

  it('notifies a subscription of events of another process, and both processes see one order', async () => {
    const here = sqliteEventStore({ file });
    const elsewhere = sqliteEventStore({ file });
    const seen: unknown[] = [];
    const errors: Error[] = [];
    const subscription = here.subscribe(
      await here.head(),
      async (page) => void seen.push(...page),
      (error) => errors.push(error),
    );
    await elsewhere.append('sample-shared', NO_STREAM, [eventToAppend()]);
    expect(await here.append('sample-shared', NO_STREAM, [eventToAppend()])).toEqual({
      kind: 'conflict',
      actualRevision: 0,
    });
    await eventually('the event of the other writer arrives', () => seen.length === 1);
    await here.append('sample-shared', 0, [eventToAppend()]);
    await eventually('the event of this process arrives', () => seen.length === 2);
    expect(await collectPages(elsewhere.readAll(-1))).toEqual(seen);
    await subscription.close();
    expect(errors).toEqual([]);
    await Promise.all([here.close(), elsewhere.close()]);
  });

  it('delivers events of another process that could not be read when it looked for them first', async () => {
    const shared = join(directory.path, 'unreadable.db');
    const [here, there] = [sqliteEventStore({ file: shared }), sqliteEventStore({ file: shared })];
    const delivered: number[] = [];
    const subscription = here.subscribe(
      -1,
      async (page) => void delivered.push(...page.map(({ revision }) => revision)),
      (error) => {
        throw error;
      },
    );
    const looks = jest.spyOn(EventPages.prototype, 'head').mockImplementationOnce(() => {
      throw new Error('disk I/O error');
    });
    await there.append('sample-1', NO_STREAM, [eventToAppend()]);
    await eventually('the event is delivered', () => delivered.length === 1);
    expect(looks.mock.results[0]?.type).toBe('throw');
    looks.mockRestore();
    await subscription.close();
    await Promise.all([here.close(), there.close()]);
  });

  it('shares decoded events between readers', async () => {
    const store = sqliteEventStore({ file: join(directory.path, 'sharing.db') });
    await store.append('sample-1', NO_STREAM, [eventToAppend(), eventToAppend()]);
    const [one, two] = [await collectPages(store.readAll(-1)), await collectPages(store.readAll(1))];
    expect(two[0]).toBe(one[1]);
    await store.append('sample-1', 1, [eventToAppend()]);
    const three = await collectPages(store.readAll(0));
    expect(three).toHaveLength(3);
    expect(three[0]).toBe(one[0]);
    await store.close();
  });

  it('reads many streams at the same time in several turns of the event loop', async () => {
    const store = sqliteEventStore({ file: join(directory.path, 'streams.db') });
    for (let n = 0; n < 20; n += 1) await store.append(`sample-${n}`, NO_STREAM, [eventToAppend()]);
    // The time passes with each reading of the clock.
    let nowMs = 0;
    const clock = jest.spyOn(performance, 'now').mockImplementation(() => (nowMs += 1));
    let turn = 0;
    const countTurns = (): void => {
      turn += 1;
      counting = setImmediate(countTurns);
    };
    let counting = setImmediate(countTurns);
    const readIn = await Promise.all(
      Array.from({ length: 20 }, async (_, n) => {
        const events = await collectPages(store.readStream(`sample-${n}`));
        expect(events).toHaveLength(1);
        return turn;
      }),
    );
    clearImmediate(counting);
    clock.mockRestore();
    const perTurn = readIn.map((one) => readIn.filter((other) => other === one).length);
    expect(Math.max(...perTurn)).toBeLessThanOrEqual(4);
    await store.close();
  });

  it('reads long events in several parts, from any position', async () => {
    const long = join(directory.path, 'long.db');
    const store = sqliteEventStore({ file: long });
    const text = 'x'.repeat(200_000);
    for (let n = 0; n < 3; n += 1)
      await store.append(
        `sample-${n}`,
        NO_STREAM,
        Array.from({ length: 40 }, () => eventToAppend({ text })),
      );
    await store.close();
    for (const after of [-1, 70]) {
      const reopened = sqliteEventStore({ file: long });
      const decoded = jest.spyOn(JSON, 'parse');
      const parts: number[] = [];
      const positions: number[] = [];
      for await (const part of reopened.readAll(after)) {
        parts.push(part.length);
        positions.push(...part.map(({ position }) => position));
      }
      const first = Math.max(after, 0) + 1;
      const expected = Array.from({ length: 121 - first }, (_, index) => first + index);
      expect(positions).toEqual(expected);
      expect(decoded).toHaveBeenCalledTimes(expected.length);
      decoded.mockRestore();
      const readers = [reopened.readAll(after), reopened.readAll(90), reopened.readAll(after)].map(collectPages);
      const [one = [], , three = []] = await Promise.all(readers);
      expect([one, three].map((events) => events.map(({ position }) => position))).toEqual([expected, expected]);
      for await (const part of reopened.readStream('sample-1')) parts.push(part.length);
      await reopened.close();
      expect(Math.max(...parts)).toBeLessThanOrEqual(32);
      expect(parts.reduce((sum, length) => sum + length)).toBe(expected.length + 40);
    }
  });

  it.each([
    ['bytes that are not text', "UPDATE events SET body = CAST(X'5b22ff' AS TEXT) WHERE position = 2"],
    ['incomplete text', `UPDATE events SET body = '["a"' WHERE position = 2`],
    ['another document', `UPDATE events SET body = '{}' WHERE position = 2`],
  ])('throws with the store, the table and the position for a row with %s', async (_, damage) => {
    const directory = temporaryDirectory();
    const file = join(directory.path, 'events.db');
    const store = sqliteEventStore({ file });
    await store.append('sample-1', NO_STREAM, [eventToAppend(), eventToAppend()]);
    await store.append('sample-2', NO_STREAM, [eventToAppend()]);
    await store.close();
    const database = openDatabase(file);
    database.exec(damage);
    database.close();
    const damaged = sqliteEventStore({ file });
    const named = `The event store ${file} is damaged: table events, position 2: `;
    await expect(collectPages(damaged.readAll(-1))).rejects.toThrow(named);
    await expect(collectPages(damaged.readStream('sample-1'))).rejects.toThrow(named);
    expect(await collectPages(damaged.readStream('sample-2'))).toHaveLength(1);
    await damaged.close();
    directory.remove();
  });
});

describe('EventPages', () => {
  const directory = temporaryDirectory();
  const database = openDatabase(join(directory.path, 'pages.db'));
  afterAll(() => {
    database.close();
    directory.remove();
  });

  it('keeps several pages of short events, and of long events the last one', () => {
    const keptOf = (charactersPerPage: number): readonly boolean[] => {
      const pages = new EventPages(database, 'pages.db');
      for (const page of [0, 1, 2])
        pages.add(
          Array.from({ length: PAGE_EVENTS }, (_, index) => eventAt(page * PAGE_EVENTS + index + 1)),
          charactersPerPage,
        );
      return [0, 1, 2].map((page) => pages.kept(page * PAGE_EVENTS) !== undefined);
    };
    expect(keptOf(PAGE_EVENTS * 1_000)).toEqual([true, true, true]);
    expect(keptOf(PAGE_EVENTS * 100_000)).toEqual([false, false, true]);
  });
});

const eventAt = (position: number): RecordedEvent => ({
  ...eventToAppend({ position }),
  streamId: 'counter-1',
  revision: position - 1,
  position,
  recordedAt: new Date(0).toISOString(),
});
