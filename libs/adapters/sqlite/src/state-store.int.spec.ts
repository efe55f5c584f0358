import fs, { readFileSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { type SavedState, type StateChange, type StateConsumer, StateDamaged, type StateStore } from '@muster/ports';
import { stateStoreContract, temporaryDirectory, threadFromSource } from '@muster/testing';
import Database from 'libsql';
import { openDatabase } from './database';
import { sqliteStateStore } from './state-store';
import { type SqliteWriter, writerHere, writerThread } from './writer';

const threadOf = (): SqliteWriter => writerThread(threadFromSource(join(__dirname, 'writer.entry.ts')));

describe.each([
  ['sqliteStateStore', writerHere],
  ['sqliteStateStore with a writer thread', threadOf],
])('', (name, openWriter) => {
  let writer: SqliteWriter;
  beforeAll(() => void (writer = openWriter()));
  afterAll(() => writer.close());

  stateStoreContract(name, async () => {
    const directory = temporaryDirectory();
    const file = join(directory.path, 'state.sqlite');
    let store = sqliteStateStore({ file, writer });
    return {
      store,
      reopen: async () => {
        await store.close();
        store = sqliteStateStore({ file, writer });
        return store;
      },
      close: async () => {
        await store.close();
        directory.remove();
      },
    };
  });
});

const SAMPLE: StateConsumer = { name: 'sample', tables: [{ name: 'rows', fields: [], indexes: [] }] };
const WITH_FIELD: StateConsumer = { name: 'sample', tables: [{ name: 'rows', fields: ['id'], indexes: [] }] };
const LARGE = Buffer.alloc(100_000, 'x');

interface Opened {
  readonly store: StateStore;
  readonly state: SavedState;
}

describe('sqliteStateStore', () => {
  const directory = temporaryDirectory();
  const opened: StateStore[] = [];
  const discarded: string[] = [];
  const damaged: Error[] = [];
  const open = async (file: string): Promise<Opened> => {
    const store = sqliteStateStore({
      file,
      onDiscarded: (reason) => discarded.push(reason),
      onDamaged: (error) => damaged.push(error),
    });
    opened.push(store);
    return { store, state: await store.open(SAMPLE) };
  };
  const save = async (file: string): Promise<void> => {
    const { store, state } = await open(file);
    const changes = ['a', 'b', 'c'].map((key) => ({ table: 'rows', key, row: { key, value: LARGE, fields: [] } }));
    await state.save(changes, () => undefined);
    await store.close();
  };
  beforeEach(() => {
    discarded.splice(0);
    damaged.splice(0);
  });
  afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())));
  afterAll(() => directory.remove());

  it('fails a save of several parts when the first of them cannot be written', async () => {
    const refused = new Error('too many open files');
    const refuse = async (): Promise<never> => {
      throw refused;
    };
    const nothing = async (): Promise<void> => undefined;
    const writer: SqliteWriter = {
      open: () => ({ run: refuse, checkpoint: nothing, truncate: refuse, close: nothing }),
      close: nothing,
    };
    const store = sqliteStateStore({ file: join(directory.path, 'refused.sqlite'), writer });
    opened.push(store);
    const state = await store.open(SAMPLE);
    const changes = function* (): Generator<StateChange> {
      for (let n = 0; n < 20; n += 1) {
        for (const endMs = performance.now() + 2; performance.now() < endMs;);
        yield { table: 'rows', key: `${n}`, row: undefined };
      }
    };
    const unhandled: unknown[] = [];
    const note = (reason: unknown): void => void unhandled.push(reason);
    process.on('unhandledRejection', note);
    await expect(state.save(changes(), () => undefined)).rejects.toBe(refused);
    process.off('unhandledRejection', note);
    expect(unhandled).toEqual([]);
  });

  it('saves again after the state of before a save could not be read', async () => {
    const file = join(directory.path, 'hidden.sqlite');
    const { state } = await open(file);
    const change = { table: 'rows', key: 'a', row: { key: 'a', value: LARGE, fields: [] } };
    const other = new Database(file);
    other.exec('ALTER TABLE declarations RENAME TO hidden');
    await expect(state.save([change], () => undefined)).rejects.toThrow('declarations');
    other.exec('ALTER TABLE hidden RENAME TO declarations');
    await state.save([change], () => undefined);
    expect(state.get('rows', 'a')).toHaveLength(LARGE.length);
    other.close();
  });

  it('creates a file readable by the owner only', async () => {
    const file = join(directory.path, 'alone.sqlite');
    await save(file);
    expect(statSync(file).mode & 0o777).toBe(0o600);
  });

  it('replaces a file that is not a database', async () => {
    const file = join(directory.path, 'text.sqlite');
    writeFileSync(file, 'not a database, but long enough to be looked at as one '.repeat(20));
    expect((await open(file)).state.get('rows', 'a')).toBeUndefined();
    expect(discarded).toHaveLength(1);
  });

  it('replaces a database of another program', async () => {
    const file = join(directory.path, 'events.sqlite');
    openDatabase(file).close();
    expect((await open(file)).state.get('rows', 'a')).toBeUndefined();
    expect(discarded).toHaveLength(1);
  });

  it.each([
    ['the second half', (file: string) => truncateSync(file, Math.floor(statSync(file).size / 2 / 4096) * 4096)],
    [
      'a byte of a value',
      (file: string) => {
        const content = readFileSync(file);
        content[content.lastIndexOf('xxxx')] = 'y'.charCodeAt(0);
        writeFileSync(file, content);
      },
    ],
  ])('reports a file without %s as damaged, and replaces it at the next start', async (_what, damage) => {
    const file = join(directory.path, `damaged-${discarded.length}-${_what.length}.sqlite`);
    await save(file);
    damage(file);
    const { state, store } = await open(file);
    const readAll = (): void => ['a', 'b', 'c'].forEach((key) => state.get('rows', key));
    if (discarded.length === 0) {
      expect(readAll).toThrow(/is damaged: .* Restart Muster/);
      expect(damaged).toEqual([expect.any(StateDamaged)]);
    }
    await store.close();
    const next = await open(file);
    expect(next.state.get('rows', 'a')).toBeUndefined();
    expect(discarded).toHaveLength(1);
  });

  it('replaces a file that ends within a page, because SQLite reads the rest of the page as zeros', async () => {
    const whole = join(directory.path, 'whole.sqlite');
    await save(whole);
    const content = readFileSync(whole);
    const ends = Array.from({ length: content.length / 4096 }, (_, page) => (page + 0.5) * 4096);
    for (const end of ends) {
      const file = join(directory.path, `torn-${end}.sqlite`);
      writeFileSync(file, content.subarray(0, end));
      await open(file);
    }
    expect(discarded).toHaveLength(ends.length);
    expect(ends.length).toBeGreaterThan(2);
  });

  it.each([
    ['emptied', async ({ state }: Opened) => state.clear(['rows'])],
    ['saved', async ({ state }: Opened) => state.save([{ table: 'rows', key: 'b', row: undefined }], () => undefined)],
    ['opened with other fields', async ({ store }: Opened) => store.open(WITH_FIELD)],
  ])(
    'reports a file without its second half as damaged when a table is %s, and replaces it at the next start',
    async (what, use) => {
      const file = join(directory.path, `damaged-${what.length}.sqlite`);
      await save(file);
      truncateSync(file, Math.floor(statSync(file).size / 2 / 4096) * 4096);
      const found = await open(file);
      await expect(use(found)).rejects.toThrow(/is damaged: .* Restart Muster/);
      expect(discarded).toEqual([]);
      await found.store.close().catch(() => undefined);
      const next = await open(file);
      expect(next.state.get('rows', 'a')).toBeUndefined();
      expect(discarded).toEqual([expect.stringContaining('could not be read or written')]);
    },
  );

  it('returns the rows of before from every read until the save is answered, and then all new ones', async () => {
    const writer = threadOf();
    const store = sqliteStateStore({ file: join(directory.path, 'snapshot.sqlite'), writer });
    const state = await store.open(SAMPLE);
    const valuesOf = (): Set<string | undefined> =>
      new Set(['a', 'b', 'c'].map((key) => state.get('rows', key)?.toString().slice(0, 1)));
    for (let round = 0; round < 20; round += 1) {
      const value = Buffer.alloc(20_000, String(round % 10));
      const before = valuesOf();
      let isSaved = false;
      const changes = ['a', 'b', 'c'].map((key) => ({ table: 'rows', key, row: { key, value, fields: [] } }));
      const saved = state.save(changes, () => (isSaved = true));
      for (; !isSaved; await new Promise((resolve) => setImmediate(resolve))) expect(valuesOf()).toEqual(before);
      expect([...valuesOf()].map(String)).toEqual([`${Buffer.from([48 + (round % 10)])}`]);
      await saved;
    }
    await store.close();
    await writer.close();
  });

  it('does not fail a save that is stored when the size of the write-ahead log cannot be read', async () => {
    const { state } = await open(join(directory.path, 'unknown-log.sqlite'));
    await state.save([], () => undefined);
    let isSaved = false;
    const size = jest.spyOn(fs, 'statSync').mockImplementation(() => {
      throw new Error('EIO: i/o error, stat');
    });
    try {
      const changes = [{ table: 'rows', key: 'a', row: { key: 'a', value: LARGE, fields: [] } }];
      await expect(state.save(changes, () => (isSaved = true))).resolves.toBeUndefined();
      expect(size).toHaveBeenCalled();
    } finally {
      size.mockRestore();
    }
    expect(isSaved).toBe(true);
    expect(state.get('rows', 'a')).toHaveLength(LARGE.length);
  });

  it('keeps its write-ahead log bounded', async () => {
    const file = join(directory.path, 'log.sqlite');
    const { state } = await open(file);
    const value = Buffer.alloc(4_000_000, 'x');
    for (let round = 0; round < 20; round += 1)
      await state.save([{ table: 'rows', key: 'a', row: { key: 'a', value, fields: [] } }], () => undefined);
    expect(statSync(`${file}-wal`).size).toBeLessThan(32_000_000);
  });

  it('prepares the same statement for lists of all lengths', async () => {
    const store = sqliteStateStore({ file: join(directory.path, 'statements.sqlite') });
    opened.push(store);
    const state = await store.open({ name: 'sample', tables: [{ name: 'rows', fields: ['id'], indexes: [] }] });
    const rows = Array.from({ length: 300 }, (_, id) => ({
      key: String(id),
      value: LARGE.subarray(0, 1),
      fields: [id],
    }));
    await state.save(
      rows.map((row) => ({ table: 'rows', key: row.key, row })),
      () => undefined,
    );
    const prepared = jest.spyOn(Database.prototype, 'prepare');
    const counts = rows.map((_, length) =>
      state.count('rows', { where: { id: rows.map((__, id) => id).slice(0, length) } }),
    );
    expect(counts).toEqual(rows.map((_, length) => length));
    // One for a single value, and one for all other lists.
    expect(prepared).toHaveBeenCalledTimes(2);
    prepared.mockRestore();
  });

  it('keeps the file after a query that SQLite refuses', async () => {
    const file = join(directory.path, 'refused.sqlite');
    const store = sqliteStateStore({ file, onDiscarded: (reason) => discarded.push(reason) });
    opened.push(store);
    const state = await store.open({ name: 'sample', tables: [{ name: 'rows', fields: ['id'], indexes: [] }] });
    const ids = Array.from({ length: 40_000 }, (_, id) => id);
    expect(state.find('rows', { where: { id: ids } })).toEqual([]);
    expect(() => state.find('rows', { where: {}, limit: 0.5 })).toThrow(/datatype mismatch/);
    await store.close();
    await open(file);
    expect(discarded).toEqual([]);
  });
});
