import { join } from 'node:path';
import { inMemoryObjectStore } from '@muster/adapter-in-memory';
import type { SavedState, StateConsumer, StateStore } from '@muster/ports';
import { temporaryDirectory } from '@muster/testing';
import Database from 'libsql';
import { sqliteSmallObjects } from './small-objects';
import { sqliteStateStore } from './state-store';

const SAMPLE: StateConsumer = { name: 'sample', tables: [{ name: 'rows', fields: ['zone'], indexes: [['zone']] }] };
const NOT_UTF8 = "CAST(X'6bff31' AS TEXT)";

/** The driver ends the process when it converts bytes that are not UTF-8. */
describe('a text that is not UTF-8', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());
  const execute = (file: string, sql: string): void => {
    const database = new Database(file);
    database.exec(sql);
    database.close();
  };

  describe('in a saved state', () => {
    const discarded: string[] = [];
    const damaged: Error[] = [];
    let file: string;
    let files = 0;
    const open = async (): Promise<{ readonly store: StateStore; readonly state: SavedState }> => {
      const store = sqliteStateStore({
        file,
        onDiscarded: (reason) => discarded.push(reason),
        onDamaged: (error) => damaged.push(error),
      });
      return { store, state: await store.open(SAMPLE) };
    };
    beforeEach(async () => {
      file = join(directory.path, `state-${(files += 1)}.sqlite`);
      [discarded.length, damaged.length] = [0, 0];
      const { store, state } = await open();
      const rows = [
        { key: 'a', value: Buffer.from('1'), fields: ['north'] },
        { key: 'b', value: Buffer.from('2'), fields: [true] },
        { key: 'c', value: Buffer.from('3'), fields: [''] },
      ];
      await state.save(
        rows.map((row) => ({ table: 'rows', key: row.key, row })),
        () => undefined,
      );
      await store.close();
    });

    it.each<[string, string, (state: SavedState) => unknown]>([
      ['a key, in a query', 'key', (state) => state.find('rows', { where: { zone: 'north' } })],
      ['a key, in the list of keys', 'key', (state) => state.keysAfter('rows', undefined, 10)],
      ['the last key', 'key', (state) => state.lastKey('rows')],
      ['a field', 'f_zone', (state) => state.find('rows', { where: {}, orderBy: { field: 'zone' } })],
    ])('as %s is reported, and the next start replaces the file', async (_, column, read) => {
      execute(file, `DELETE FROM sample__rows WHERE key <> 'a'; UPDATE sample__rows SET ${column} = ${NOT_UTF8}`);
      const { store, state } = await open();
      expect(() => read(state)).toThrow(/is damaged: .*UTF-8.* Restart Muster/);
      expect(damaged).toHaveLength(1);
      await store.close();
      const next = await open();
      expect(discarded).toHaveLength(1);
      expect(next.state.keysAfter('rows', undefined, 10)).toEqual([]);
      await next.store.close();
    });

    it('as the declaration of a table empties the table', async () => {
      execute(file, `UPDATE declarations SET declared = ${NOT_UTF8}`);
      const { store, state } = await open();
      expect(state.createdTables).toEqual(new Set(['rows']));
      expect(state.keysAfter('rows', undefined, 10)).toEqual([]);
      await store.close();
    });

    it('leaves the values of other fields as they are', async () => {
      const { store, state } = await open();
      expect(state.find('rows', { where: {}, orderBy: { field: 'zone' } })).toEqual([
        { key: 'c', order: '' },
        { key: 'a', order: 'north' },
        { key: 'b', order: true },
      ]);
      expect(state.lastKey('rows')).toBe('c');
      await store.close();
    });
  });

  it('as the digest of a small object is named by the list', async () => {
    const file = join(directory.path, 'objects.sqlite');
    const objects = sqliteSmallObjects({ file, others: inMemoryObjectStore() });
    await objects.put(Buffer.from('body'), 100);
    execute(file, `UPDATE objects SET digest = ${NOT_UTF8}`);
    const listing = async (): Promise<void> => {
      for await (const _ of objects.list());
    };
    await expect(listing()).rejects.toThrow(`Database ${file}: the database is damaged. Restore it from a backup.`);
    await objects.close();
  });
});
