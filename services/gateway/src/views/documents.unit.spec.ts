import { inMemoryReadModels } from '@muster/adapter-in-memory';
import { collectionOf, type ReadModels } from '@muster/ports';
import { findAll } from './documents';

interface Host {
  readonly id: string;
  readonly created_at: string;
}
const HOSTS = collectionOf<Host>('hosts');
/** More than two pages. */
const HOSTS_COUNT = 2_500;
const hosts = Array.from({ length: HOSTS_COUNT }, (_, n): Host => {
  const id = String(n).padStart(6, '0');
  return { id, created_at: n < HOSTS_COUNT / 2 ? '2' : '1' };
});
const orderBy = { field: 'created_at' } as const;

describe('all documents of a query', () => {
  let readModels: ReadModels;
  beforeEach(async () => {
    readModels = inMemoryReadModels();
    const stored = hosts.map((document) => ({ kind: 'put', collection: HOSTS, key: document.id, document }) as const);
    await readModels.commit('views', 0, stored);
  });
  const idsOf = async (models: Pick<ReadModels, 'find'>, order?: object): Promise<readonly string[]> => {
    const ids: string[] = [];
    for await (const page of findAll(models, { collection: HOSTS, where: {}, ...order }))
      ids.push(...page.map(({ id }) => id));
    return ids;
  };

  it('are in the order of their keys, or of a field', async () => {
    const ids = hosts.map(({ id }) => id);
    const [older, newer] = [ids.slice(HOSTS_COUNT / 2), ids.slice(0, HOSTS_COUNT / 2)];
    expect(await idsOf(readModels)).toEqual(ids);
    expect(await idsOf(readModels, { orderBy })).toEqual([...older, ...newer]);
    expect(await idsOf(readModels, { orderBy: { ...orderBy, descending: true } })).toEqual([...newer, ...older]);
  });

  it.each([[{}], [{ orderBy }]])('contain each that stays, when others are removed meanwhile: %j', async (order) => {
    const left = [...hosts];
    /** Removes a document of the first page after each read. */
    const find: ReadModels['find'] = async (query) => {
      const found = await readModels.find(query);
      const [removed] = left.splice(0, 1);
      if (removed) await remove(removed.id);
      return found;
    };
    const remove = (key: string): Promise<void> =>
      readModels.commit('views', HOSTS_COUNT - left.length, [{ kind: 'remove', collection: HOSTS, key }]);
    const ids = new Set(await idsOf({ find }, order));
    expect(left.filter(({ id }) => !ids.has(id))).toEqual([]);
  });
});
