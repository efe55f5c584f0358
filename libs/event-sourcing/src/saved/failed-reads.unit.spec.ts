import { inMemoryEventStore, inMemoryStateStore } from '@muster/adapter-in-memory';
import type { ReadModelChange, SavedFold } from '@muster/ports';
import { FilteredState } from './filtered-state';
import { keptReadModels } from './kept-read-models';
import { SAVE_LIMITS, SavedStates } from './saved-states';

const TABLES = ['hosts', 'clusters'].map((name) => ({ name, fields: [], indexes: [] }));
const FOLDS: readonly SavedFold[] = [{ name: 'views', version: 1, tables: TABLES }];
const put = (collection: string, key: string, n: number): ReadModelChange => ({
  kind: 'put',
  collection,
  key,
  document: { n },
});

describe('a commit of which a saved document cannot be read', () => {
  afterEach(() => jest.restoreAllMocks());

  it('changes nothing, so that it can be repeated', async () => {
    const states = new SavedStates(inMemoryStateStore(), inMemoryEventStore(), () => undefined, SAVE_LIMITS);
    const readModels = await keptReadModels(states, FOLDS);
    await readModels.commit('views', 0, [put('hosts', 'h', 0), put('clusters', 'c', 0)]);
    await states.save();
    // Documents that were not read are not cached.
    const { get } = FilteredState.prototype;
    const reads = jest.spyOn(FilteredState.prototype, 'get').mockImplementation(function (
      this: FilteredState,
      ...given
    ) {
      if (given[0] === 'clusters') throw new Error('disk I/O error');
      return get.apply(this, given);
    });
    const changes = [put('hosts', 'h', 1), put('hosts', 'i', 1), put('clusters', 'c', 1)];
    await expect(readModels.commit('views', 1, changes)).rejects.toThrow('disk I/O error');
    reads.mockRestore();
    expect(await readModels.get('hosts', 'h')).toEqual({ n: 0 });
    expect(await readModels.get('hosts', 'i')).toBeUndefined();
    expect(await readModels.checkpoint('views')).toBe(0);
    await readModels.commit('views', 1, changes);
    expect(await readModels.get('hosts', 'h')).toEqual({ n: 1 });
    expect(await readModels.get('clusters', 'c')).toEqual({ n: 1 });
    await states.close();
  });
});
