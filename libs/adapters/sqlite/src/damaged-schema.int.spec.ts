import { join } from 'node:path';
import { inMemoryObjectStore } from '@muster/adapter-in-memory';
import type { SavedState, StateConsumer, StateStore } from '@muster/ports';
import { temporaryDirectory } from '@muster/testing';
import Database from 'libsql';
import { explain } from './database';
import { sqliteEventStore } from './event-store';
import { verifySqliteFile } from './maintenance';
import { sqliteSealedStorage } from './sealed-storage';
import { sqliteSmallObjects } from './small-objects';
import { sqliteStateStore } from './state-store';
import { copySqliteFile, type StoredFile } from './written-databases';

const SAMPLE: StateConsumer = { name: 'sample', tables: [{ name: 'rows', fields: ['zone'], indexes: [['zone']] }] };
const row = (key: string) => ({ table: 'rows', key, row: { key, value: Buffer.from(key), fields: ['north'] } });

describe('a saved state whose schema or index is damaged', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());
  const discarded: string[] = [];
  let file: string;
  let files = 0;
  const open = async (): Promise<{ readonly store: StateStore; readonly state: SavedState }> => {
    const store = sqliteStateStore({ file, onDiscarded: (reason) => discarded.push(reason) });
    return { store, state: await store.open(SAMPLE) };
  };
  /** Each list of statements has a connection of its own, so that it reads the schema again. */
  const execute = (...statements: readonly string[]): void => {
    for (const sql of statements) {
      const database = new Database(file);
      database.exec(`PRAGMA writable_schema = ON; ${sql}`);
      database.close();
    }
  };
  beforeEach(async () => {
    file = join(directory.path, `state-${(files += 1)}.sqlite`);
    discarded.length = 0;
    const { store, state } = await open();
    await state.save([row('a')], () => undefined);
    await store.close();
  });

  const INDEX = "name = 'sample__rows__0'";
  it.each<[string, readonly string[], (state: SavedState) => unknown]>([
    [
      'an index without one of its rows',
      [
        `CREATE TABLE hidden AS SELECT * FROM sqlite_schema WHERE ${INDEX}; DELETE FROM sqlite_schema WHERE ${INDEX};`,
        "INSERT INTO sample__rows VALUES ('b', X'', 0, 'south');",
        'INSERT INTO sqlite_schema SELECT * FROM hidden;',
      ],
      (state) => state.save([{ table: 'rows', key: 'b', row: undefined }], () => undefined),
    ],
    [
      'a column with another name',
      ["UPDATE sqlite_schema SET sql = replace(sql, 'checksum', 'cHeckzum') WHERE name = 'sample__rows';"],
      async (state) => state.get('rows', 'a'),
    ],
  ])('as %s is reported, and the next start replaces the file', async (_, statements, use) => {
    execute(...statements);
    const { store, state } = await open();
    await expect(use(state)).rejects.toThrow(/is damaged: .* Restart Muster/);
    await store.close();
    expect(discarded).toEqual([]);
    const next = await open();
    expect(discarded).toHaveLength(1);
    expect(next.state.keysAfter('rows', undefined, 10)).toEqual([]);
    await next.store.close();
  });
});

describe('a file whose schema is damaged', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());
  const objectsIn = (file: string) => sqliteSmallObjects({ file, others: inMemoryObjectStore() });

  it.each<[StoredFile, (file: string) => { close(): Promise<void> }, string, string]>([
    ['events', (file) => sqliteEventStore({ file }), 'events', 'checksum'],
    ['events', (file) => sqliteEventStore({ file }), 'events', 'revision'],
    ['objects', objectsIn, 'objects', 'stored_at_ms'],
    ['sealed', sqliteSealedStorage, 'sealed', 'bytes'],
  ])('as the one of the %s is named with its remedy by every use', async (kind, open, table, column) => {
    const file = join(directory.path, `${kind}-${column}.sqlite`);
    await open(file).close();
    const database = new Database(file);
    const sql = `replace(replace(sql, '${column} ', 'damaged '), ' ${column})', ' damaged)')`;
    database.exec(`PRAGMA writable_schema = ON; UPDATE sqlite_schema SET sql = ${sql} WHERE tbl_name = '${table}'`);
    database.close();
    const refusal = `Database ${file}: the database is damaged. Restore it from a backup.`;
    expect(() => open(file)).toThrow(refusal);
    expect(() => copySqliteFile(kind, file, `${file}.copy`, () => undefined)).toThrow(refusal);
    await expect(verifySqliteFile(kind, file)).rejects.toThrow(refusal);
  });
});

it.each([
  [779, 'SQLITE_CORRUPT', 'the database is damaged. Restore it from a backup.'],
  [8_458, 'SQLITE_IOERR', 'the disk failed to read or write. Check its health and free space.'],
  [1_294, 'SQLITE_CANTOPEN', 'the file cannot be opened. Check its path and permissions.'],
])('an error with the extended code %d, which the driver does not know, is explained as %s', (extended, code, text) => {
  const error = new Database.SqliteError('text of SQLite', `UNKNOWN_SQLITE_ERROR_${extended}`);
  expect(explain('/a', error)).toMatchObject({ code, message: `Database /a: ${text}` });
});
