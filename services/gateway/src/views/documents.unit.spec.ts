import { inMemoryReadModels } from '@muster/adapter-in-memory';
import { collectionOf, type ReadModelDocument, type ReadModelQuery, type ReadModels } from '@muster/ports';
import { findAll, ListOrder } from './documents';

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
const oldestFirst = new ListOrder<Host>('created_at');
const newestFirst = new ListOrder<Host>('created_at', true);

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
    expect(await idsOf(readModels, { order: oldestFirst })).toEqual([...older, ...newer]);
    expect(await idsOf(readModels, { order: newestFirst })).toEqual([...newer, ...older]);
  });

  it.each([[{}], [{ order: oldestFirst }]])(
    'contain each that stays, when others are removed meanwhile: %j',
    async (order) => {
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
    },
  );

  it('are put in order once, until a document of any page changes', async () => {
    let [reads, stored] = [0, hosts.map((document): Host => ({ ...document }))];
    const counted = (host: Host): Host => ({
      id: host.id,
      get created_at() {
        reads += 1;
        return host.created_at;
      },
    });
    const pageOf = (page: number): readonly ReadModelDocument<Host>[] =>
      stored.slice(page * 1_000, (page + 1) * 1_000).map((host) => ({ key: host.id, document: counted(host) }));
    const pages = [pageOf(0), pageOf(1), pageOf(2)];
    const find = (async ({ after }: ReadModelQuery) =>
      pages[after === undefined ? 0 : Math.ceil(Number(after) / 1_000)] ?? []) as ReadModels['find'];
    const before = await idsOf({ find }, { order: oldestFirst });
    expect(reads).toBe(HOSTS_COUNT);
    expect(await idsOf({ find }, { order: oldestFirst })).toEqual(before);
    expect(reads).toBe(HOSTS_COUNT);
    stored = stored.map((host) => (host.id === '002499' ? { ...host, created_at: '3' } : host));
    pages[2] = pageOf(2);
    expect(await idsOf({ find }, { order: oldestFirst })).toEqual([
      ...before.filter((id) => id !== '002499'),
      '002499',
    ]);
    const descending = await idsOf({ find }, { order: newestFirst });
    const withText = (text: string): readonly string[] =>
      stored.filter(({ created_at }) => created_at === text).map(({ id }) => id);
    expect(descending).toEqual(['3', '2', '1'].flatMap(withText));
  });
});
