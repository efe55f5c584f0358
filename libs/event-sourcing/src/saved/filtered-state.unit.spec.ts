import { setImmediate as nextTurn } from 'node:timers/promises';
import { inMemoryStateStore } from '@muster/adapter-in-memory';
import type { SavedState, StateChange } from '@muster/ports';
import fc from 'fast-check';
import { BloomFilter } from './bloom-filter';
import { FilteredState } from './filtered-state';

const put = (key: string): StateChange => ({
  table: 'hosts',
  key,
  row: { key, value: Buffer.from(key), fields: [] },
});
const remove = (key: string): StateChange => ({ table: 'hosts', key, row: undefined });

/** A state store whose saves end in a later turn, and the reads that reached it. */
async function openCounted(): Promise<{ readonly inner: SavedState; readonly reads: string[] }> {
  const state = await (
    await inMemoryStateStore()
  ).open({
    name: 'sample',
    tables: [{ name: 'hosts', fields: [], indexes: [] }],
  });
  const reads: string[] = [];
  const inner: SavedState = {
    ...state,
    get: (table, key) => {
      reads.push(key);
      return state.get(table, key);
    },
    save: async (changes, onSaved) => {
      const all = [...changes];
      await nextTurn();
      await nextTurn();
      await state.save(all, onSaved);
    },
  };
  return { inner, reads };
}

const nothing = (): void => undefined;

describe('saved state with filters', () => {
  it('reads the file for the first absent key and for present keys only', async () => {
    const { inner, reads } = await openCounted();
    await inner.save([put('a'), put('b')], nothing);
    const state = new FilteredState(inner);
    expect(state.get('hosts', 'x')).toBeUndefined();
    await nextTurn();
    expect(state.get('hosts', 'y')).toBeUndefined();
    expect(state.get('hosts', 'a')).toEqual(Buffer.from('a'));
    expect(reads).toEqual(['x', 'a']);
  });

  it('finds a row whose save ran during the first read of an absent key', async () => {
    const { inner } = await openCounted();
    const state = new FilteredState(inner);
    const saved = state.save([put('a')], nothing);
    expect(state.get('hosts', 'x')).toBeUndefined();
    await saved;
    await nextTurn();
    expect(state.get('hosts', 'a')).toEqual(Buffer.from('a'));
  });

  it('returns the same rows as the file after any reads and saves', async () => {
    const key = fc.constantFrom(...'abcdef');
    const change = fc.oneof(key.map(put), key.map(remove));
    const step = fc.oneof(
      fc.record({ save: fc.array(change, { maxLength: 4 }), isAwaited: fc.boolean() }),
      fc.record({ get: key }),
      fc.constant('turn' as const),
    );
    await fc.assert(
      fc.asyncProperty(fc.array(change), fc.array(step, { maxLength: 25 }), async (before, steps) => {
        const { inner } = await openCounted();
        await inner.save(before, nothing);
        const state = new FilteredState(inner);
        let last: Promise<unknown> = Promise.resolve();
        for (const one of steps) {
          if (one === 'turn') await nextTurn();
          else if ('get' in one) expect(state.get('hosts', one.get)).toEqual(inner.get('hosts', one.get));
          else {
            // One save at a time, as consumers do.
            await last;
            last = state.save(one.save, nothing);
            if (one.isAwaited) await last;
          }
        }
        await last;
      }),
    );
  });
});

describe('a Bloom filter', () => {
  it('has all its texts and few others', () => {
    const filter = new BloomFilter();
    const idOf = (n: number): string => `7d8a4e62-0b1c-4f3d-9a5e-${n.toString(16).padStart(12, '0')}`;
    for (let n = 0; n < 20_000; n += 1) filter.add(idOf(n));
    const found = (from: number): number =>
      Array.from({ length: 20_000 }, (_, n) => idOf(from + n)).filter((id) => filter.has(id)).length;
    expect(found(0)).toBe(20_000);
    expect(found(20_000)).toBeLessThan(20);
  });
});
