import type { SavedState, StateChange, StateConsumer, StateStore } from '@muster/ports';

const HOSTS: StateConsumer = {
  name: 'sample',
  tables: [
    { name: 'hosts', fields: ['cluster_id', 'rank', 'open'], indexes: [['cluster_id'], ['open']] },
    { name: 'clusters', fields: [], indexes: [] },
  ],
};

type Fields = readonly [clusterId?: string, rank?: number, open?: boolean];

const bytes = (text: string): Uint8Array => Buffer.from(text);
const put = (key: string, fields: Fields = [], value = key, table = 'hosts'): StateChange => ({
  table,
  key,
  row: { key, value: bytes(value), fields: [0, 1, 2].map((n) => fields[n]) },
});
const remove = (key: string, table = 'hosts'): StateChange => ({ table, key, row: undefined });

/** Opens a state store for one test. `reopen`: opens the store again as the next process does. Undefined when nothing is saved. */
export type OpenStateStore = () => Promise<{
  readonly store: StateStore;
  reopen?(): Promise<StateStore>;
  close(): Promise<void>;
}>;

/** Tests the contract of every StateStore. Call it at the top level of a spec. */
export const stateStoreContract = (name: string, open: OpenStateStore): void => {
  describe(`${name} meets the contract of state stores`, () => {
    let opened: Awaited<ReturnType<OpenStateStore>>;
    let state: SavedState;
    const save = (...changes: readonly StateChange[]): Promise<void> => state.save(changes, () => undefined);
    const textOf = (key: string, table = 'hosts'): string | undefined => {
      const value = state.get(table, key);
      return value && Buffer.from(value).toString();
    };
    const keys = (query: Parameters<SavedState['find']>[1]): readonly string[] =>
      state.find('hosts', query).map(({ key }) => key);

    beforeEach(async () => {
      opened = await open();
      state = await opened.store.open(HOSTS);
    });
    afterEach(() => opened.close());

    it('has no rows before the first save', () => {
      expect(state.get('hosts', 'a')).toBeUndefined();
      expect(state.find('hosts', { where: {} })).toEqual([]);
      expect(state.lastKey('hosts')).toBeUndefined();
    });

    it('returns the saved rows, with the last of several changes', async () => {
      await save(put('a', [], 'first'), put('a', [], 'second'), put('b'), remove('b'), remove('never'));
      expect(textOf('a')).toBe('second');
      expect(textOf('b')).toBeUndefined();
      expect(state.lastKey('hosts')).toBe('a');
    });

    it('separates tables and consumers', async () => {
      const other = await opened.store.open({ ...HOSTS, name: 'other' });
      await save(put('a', [], 'of hosts'), put('a', [], 'of clusters', 'clusters'));
      expect(textOf('a', 'clusters')).toBe('of clusters');
      expect(other.get('hosts', 'a')).toBeUndefined();
      await state.clear(['hosts']);
      expect(textOf('a')).toBeUndefined();
      expect(textOf('a', 'clusters')).toBe('of clusters');
    });

    it('runs onSaved when the changes can be read', async () => {
      let seen: string | undefined;
      await state.save([put('a')], () => (seen = textOf('a')));
      expect(seen).toBe('a');
    });

    it('saves all changes or none', async () => {
      function* failing(): Generator<StateChange> {
        yield put('a');
        throw new Error('no more');
      }
      await expect(state.save(failing(), () => undefined)).rejects.toThrow('no more');
      await save(put('b'));
      expect(keys({ where: {} })).toEqual(['b']);
    });

    it('opens another consumer and clears tables after the save that runs', async () => {
      let isOpen: Promise<SavedState> | undefined;
      let isCleared: Promise<void> | undefined;
      function* interrupted(): Generator<StateChange> {
        yield put('a');
        isOpen = opened.store.open({ ...HOSTS, name: 'later' });
        isCleared = state.clear(['clusters']);
        yield put('b', [], 'b', 'clusters');
      }
      await state.save(interrupted(), () => undefined);
      await isCleared;
      expect((await isOpen)?.get('hosts', 'a')).toBeUndefined();
      expect([textOf('a'), textOf('b', 'clusters')]).toEqual(['a', undefined]);
    });

    it('finds and counts rows by their fields, by value and type', async () => {
      await save(put('d', ['c1', 2, true]), put('a', ['c1', 1, false]), put('b', ['c2', 1]), put('c', ['1']));
      expect(keys({ where: { cluster_id: 'c1' } })).toEqual(['a', 'd']);
      expect(keys({ where: { cluster_id: ['c2', 'c1', 'c1'], rank: 1 } })).toEqual(['a', 'b']);
      expect(keys({ where: { open: true } })).toEqual(['d']);
      expect(keys({ where: { open: [true, false] } })).toEqual(['a', 'd']);
      expect(keys({ where: { open: 1 } })).toEqual([]);
      expect(keys({ where: { cluster_id: 1 } })).toEqual([]);
      expect(keys({ where: { cluster_id: [1, 'c2'] } })).toEqual(['b']);
      expect(keys({ where: { cluster_id: [] } })).toEqual([]);
      expect(state.count('hosts', { where: { rank: [1, 2] } })).toBe(3);
      await save(put('a', ['c2']));
      expect(keys({ where: { cluster_id: 'c1' } })).toEqual(['d']);
    });

    it('lists the keys, page by page', async () => {
      await save(put('b'), put('a'), put('c'), put('d'));
      await save(put('é'), put('e'));
      expect(state.keysAfter('hosts', undefined, 4)).toEqual(['a', 'b', 'c', 'd']);
      expect(state.keysAfter('hosts', 'd', 4)).toEqual(['e', 'é']);
    });

    it('finds only rows after a key', async () => {
      await save(put('d', ['c1']), put('a', ['c1']), put('b', ['c2']), put('c', ['c1']));
      expect(keys({ where: {}, after: 'a', limit: 2 })).toEqual(['b', 'c']);
      expect(keys({ where: { cluster_id: ['c1', 'c3'] }, after: 'a' })).toEqual(['c', 'd']);
      expect(keys({ where: {}, after: 'd' })).toEqual([]);
    });

    it('orders by key or by a field, page by page', async () => {
      await save(put('a', ['', 2]), put('b', ['', 1]), put('c'), put('d', ['', 2]));
      expect(keys({ where: {}, orderBy: { descending: true }, limit: 2 })).toEqual(['d', 'c']);
      expect(keys({ where: {}, orderBy: { field: 'rank' } })).toEqual(['c', 'b', 'a', 'd']);
      const descending = { field: 'rank', descending: true };
      expect(state.find('hosts', { where: {}, orderBy: descending, offset: 1, limit: 2 })).toEqual([
        { key: 'd', order: 2 },
        { key: 'b', order: 1 },
      ]);
    });

    it('returns the saved rows to the next process, and no rows of another shape', async () => {
      await save(put('a', ['c1']), put('x', [], 'x', 'clusters'));
      if (!opened.reopen) return;
      const store = await opened.reopen();
      const tables = HOSTS.tables.map((table) => (table.name === 'hosts' ? { ...table, indexes: [] } : table));
      state = await store.open({ ...HOSTS, tables });
      expect([...state.createdTables]).toEqual(['hosts']);
      expect(textOf('a')).toBeUndefined();
      expect(textOf('x', 'clusters')).toBe('x');
    });
  });
};
