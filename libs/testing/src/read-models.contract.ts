import {
  type JsonObject,
  type ReadModelChange,
  type ReadModelDocument,
  type ReadModelQuery,
  type ReadModels,
  START_OF_STORE,
} from '@muster/ports';

export const put = (key: string, document: JsonObject, collection = 'hosts'): ReadModelChange => ({
  kind: 'put',
  collection,
  key,
  document,
});

export const remove = (key: string, collection = 'hosts'): ReadModelChange => ({ kind: 'remove', collection, key });

const HOSTS: readonly ReadModelDocument[] = [
  { key: 'h1', document: { cluster_id: 'c1', status: 'known', rank: 3, bootstrap: true } },
  { key: 'h2', document: { cluster_id: 'c1', status: 'insufficient', rank: 1, bootstrap: false } },
  { key: 'h3', document: { cluster_id: 'c2', status: 'known', rank: 2, bootstrap: false } },
  { key: 'h4', document: { cluster_id: 'c2', status: 'known', rank: 2, name: 'spare' } },
  { key: 'h5', document: { cluster_id: 'c3', status: ['known'], rank: null, labels: { status: 'known' } } },
];

export const queryingContract = (current: () => ReadModels): void => {
  const keys = async (query: Partial<ReadModelQuery>): Promise<string[]> =>
    (await current().find({ collection: 'hosts', where: {}, ...query })).map((found) => found.key);

  beforeEach(async () => {
    // Not in the order of keys, so that the test detects an adapter that does not sort.
    const changes = [3, 0, 4, 1, 2].flatMap((n) => HOSTS.slice(n, n + 1)).map((host) => put(host.key, host.document));
    await current().commit('hosts', 1, changes);
  });

  it('returns all documents for an empty condition, in the order of keys', async () => {
    expect(await current().find({ collection: 'hosts', where: {} })).toEqual(HOSTS);
  });

  it('matches strings, numbers and booleans by equality', async () => {
    expect(await keys({ where: { cluster_id: 'c1' } })).toEqual(['h1', 'h2']);
    expect(await keys({ where: { rank: 2 } })).toEqual(['h3', 'h4']);
    expect(await keys({ where: { bootstrap: false } })).toEqual(['h2', 'h3']);
    expect(await keys({ where: { cluster_id: 'none' } })).toEqual([]);
  });

  it('requires every condition', async () => {
    expect(await keys({ where: { cluster_id: 'c2', status: 'known', name: 'spare' } })).toEqual(['h4']);
    expect(await keys({ where: { cluster_id: 'c1', rank: 2 } })).toEqual([]);
  });

  it('matches one of the values of a list', async () => {
    expect(await keys({ where: { cluster_id: ['c1', 'c3', 'none'] } })).toEqual(['h1', 'h2', 'h5']);
    expect(await keys({ where: { cluster_id: ['c1', 'c1'] } })).toEqual(['h1', 'h2']);
    expect(await keys({ where: { cluster_id: [] } })).toEqual([]);
  });

  it('matches whole values only: no element of a list, no other type', async () => {
    expect(await keys({ where: { status: 'known' } })).toEqual(['h1', 'h3', 'h4']);
    expect(await keys({ where: { status: ['known'] } })).toEqual(['h1', 'h3', 'h4']);
    expect(await keys({ where: { rank: '2' } })).toEqual([]);
    expect(await keys({ where: { bootstrap: 0 } })).toEqual([]);
  });

  it('returns a document by its changed fields', async () => {
    expect(await keys({ where: { cluster_id: 'c1' } })).toEqual(['h1', 'h2']);
    await current().commit('hosts', 2, [
      put('h1', { cluster_id: 'c2', status: 'known' }),
      put('h6', { cluster_id: 'c1' }),
      { kind: 'remove', collection: 'hosts', key: 'h3' },
    ]);
    expect(await keys({ where: { cluster_id: 'c1' } })).toEqual(['h2', 'h6']);
    expect(await keys({ where: { cluster_id: 'c2' } })).toEqual(['h1', 'h4']);
  });

  it('orders by a field and then by key, documents without the field first', async () => {
    expect(await keys({ orderBy: { field: 'rank' } })).toEqual(['h5', 'h2', 'h3', 'h4', 'h1']);
    expect(await keys({ orderBy: { field: 'rank', descending: true } })).toEqual(['h1', 'h3', 'h4', 'h2', 'h5']);
    expect(await keys({ orderBy: { field: 'name' } })).toEqual(['h1', 'h2', 'h3', 'h5', 'h4']);
  });

  it('orders strings by their code units', async () => {
    const names = ['b', 'B', 'a10', 'a9', 'ä', ''];
    await current().commit(
      'hosts',
      2,
      names.map((name, n) => put(`n${n}`, { name, kind: 'named' })),
    );
    expect(await keys({ where: { kind: 'named' }, orderBy: { field: 'name' } })).toEqual(
      ['', 'B', 'a10', 'a9', 'b', 'ä'].map((name) => `n${names.indexOf(name)}`),
    );
  });

  it('orders by key in both directions, page by page', async () => {
    expect(await keys({ orderBy: { descending: true } })).toEqual(['h5', 'h4', 'h3', 'h2', 'h1']);
    const where = { cluster_id: ['c2', 'c1'] };
    expect(await keys({ where, offset: 1, limit: 2 })).toEqual(['h2', 'h3']);
    expect(await keys({ where, orderBy: { descending: true }, offset: 1, limit: 2 })).toEqual(['h3', 'h2']);
    expect(await keys({ where, orderBy: { descending: true }, offset: 3, limit: 9 })).toEqual(['h1']);
  });

  it('returns only documents after a key, in the order of keys', async () => {
    expect(await keys({ after: 'h2' })).toEqual(['h3', 'h4', 'h5']);
    expect(await keys({ after: 'h', limit: 2 })).toEqual(['h1', 'h2']);
    expect(await keys({ after: 'h21', offset: 1, limit: 1 })).toEqual(['h4']);
    expect(await keys({ after: 'h5' })).toEqual([]);
    const where = { cluster_id: ['c2', 'c1'] };
    expect(await keys({ where, after: 'h1' })).toEqual(['h2', 'h3', 'h4']);
    expect(await keys({ where: { cluster_id: 'c1' }, after: 'h1' })).toEqual(['h2']);
    await current().commit('hosts', 2, [put('h11', { cluster_id: 'c1' }), put('h0', { cluster_id: 'c1' })]);
    expect(await keys({ where, after: 'h1' })).toEqual(['h11', 'h2', 'h3', 'h4']);
    expect(await keys({ where, after: 'h1', orderBy: { descending: true }, limit: 3 })).toEqual(['h4', 'h3', 'h2']);
  });

  it('keeps the order when documents are added, removed and added again', async () => {
    expect(await keys({ where: { cluster_id: 'c1' } })).toEqual(['h1', 'h2']);
    await current().commit('hosts', 2, [
      put('h0', { cluster_id: 'c1' }),
      put('h11', { cluster_id: 'c1' }),
      { kind: 'remove', collection: 'hosts', key: 'h1' },
    ]);
    expect(await keys({ where: { cluster_id: 'c1' } })).toEqual(['h0', 'h11', 'h2']);
    await current().commit('hosts', 3, [put('h1', { cluster_id: 'c1', status: 'known' })]);
    expect(await keys({ where: { cluster_id: 'c1' } })).toEqual(['h0', 'h1', 'h11', 'h2']);
  });

  it('counts all matching documents, independent of the page', async () => {
    const count = (where: ReadModelQuery['where'], collection = 'hosts') => current().count({ collection, where });
    expect(await count({})).toBe(5);
    expect(await count({ cluster_id: 'c2' })).toBe(2);
    expect(await count({ cluster_id: ['c1', 'c2', 'c2'], status: 'known' })).toBe(3);
    expect(await count({ cluster_id: ['c1', 'c2'], status: ['known', 'insufficient'], bootstrap: false })).toBe(2);
    expect(await count({ rank: '2' })).toBe(0);
    expect(await count({ cluster_id: [] })).toBe(0);
    expect(await count({}, 'nothing')).toBe(0);
  });

  it('skips and limits after ordering', async () => {
    const orderBy = { field: 'rank', descending: true };
    expect(await keys({ orderBy, limit: 2 })).toEqual(['h1', 'h3']);
    expect(await keys({ orderBy, offset: 1, limit: 2 })).toEqual(['h3', 'h4']);
    expect(await keys({ offset: 3 })).toEqual(['h4', 'h5']);
    expect(await keys({ offset: 10, limit: 2 })).toEqual([]);
    expect(await keys({ limit: 0 })).toEqual([]);
  });
};

/** Opens empty read models for one test. */
export type OpenReadModels = () => Promise<{ readonly readModels: ReadModels; close(): Promise<void> }>;

/** Tests the contract of every ReadModels. Call it at the top level of a spec. */
export const readModelsContract = (name: string, open: OpenReadModels): void => {
  describe(`${name} meets the contract of read models`, () => {
    let opened: Awaited<ReturnType<OpenReadModels>>;
    let models: ReadModels;
    beforeEach(async () => {
      opened = await open();
      models = opened.readModels;
    });
    afterEach(() => opened.close());

    describe('committing', () => {
      it('has no documents before the first commit', async () => {
        expect(await models.get('hosts', 'a')).toBeUndefined();
        expect(await models.find({ collection: 'hosts', where: {} })).toEqual([]);
        expect(await models.checkpoint('hosts')).toBe(START_OF_STORE);
      });

      it('returns exactly the stored documents', async () => {
        const document = {
          id: 'a',
          _id: 'not the key',
          text: 'ünïcödé \u{1F600} \n',
          nothing: null,
          nested: { list: [1, 'two', { three: 3 }], 'a.b': 1, $c: [] },
          big: 9_007_199_254_740_991,
          small: 1.5,
        };
        await models.commit('hosts', 0, [put('a', document)]);
        expect(await models.get('hosts', 'a')).toEqual(document);
        expect(await models.find({ collection: 'hosts', where: {} })).toEqual([{ key: 'a', document }]);
      });

      it('replaces the whole document', async () => {
        await models.commit('hosts', 1, [put('a', { x: 1, y: 1 })]);
        await models.commit('hosts', 2, [put('a', { y: 2 })]);
        expect(await models.get('hosts', 'a')).toEqual({ y: 2 });
      });

      it('applies the changes of a commit in order', async () => {
        await models.commit('hosts', 1, [put('a', { n: 1 }), remove('a'), put('b', { n: 1 }), put('b', { n: 2 })]);
        await models.commit('hosts', 2, [remove('c'), put('c', { n: 3 })]);
        expect(await models.get('hosts', 'a')).toBeUndefined();
        expect(await models.get('hosts', 'b')).toEqual({ n: 2 });
        expect(await models.get('hosts', 'c')).toEqual({ n: 3 });
      });

      it('removes a document, and accepts the removal of a missing one', async () => {
        await models.commit('hosts', 1, [put('a', { status: 'known' })]);
        await models.commit('hosts', 2, [remove('a'), remove('never')]);
        expect(await models.get('hosts', 'a')).toBeUndefined();
        expect(await models.find({ collection: 'hosts', where: { status: 'known' } })).toEqual([]);
      });

      it('separates collections', async () => {
        await models.commit('all', 1, [put('a', { of: 'hosts' }), put('a', { of: 'clusters' }, 'clusters')]);
        expect(await models.get('hosts', 'a')).toEqual({ of: 'hosts' });
        expect(await models.get('clusters', 'a')).toEqual({ of: 'clusters' });
        await models.commit('all', 2, [remove('a')]);
        expect(await models.get('clusters', 'a')).toEqual({ of: 'clusters' });
      });

      it('moves the checkpoint also without changes', async () => {
        await models.commit('hosts', 5, [put('a', {})]);
        expect(await models.checkpoint('hosts')).toBe(5);
        await models.commit('hosts', 9, []);
        expect(await models.checkpoint('hosts')).toBe(9);
      });

      it.each([5, 4, 0])('changes nothing for position %i when the checkpoint is 5', async (position) => {
        await models.commit('hosts', 5, [put('a', { n: 1 })]);
        await models.commit('hosts', position, [put('a', { n: 2 }), put('b', { n: 2 })]);
        expect(await models.get('hosts', 'a')).toEqual({ n: 1 });
        expect(await models.get('hosts', 'b')).toBeUndefined();
        expect(await models.checkpoint('hosts')).toBe(5);
      });

      it('resumes after the last commit, without a change', async () => {
        expect(await models.resume('hosts')).toBe(START_OF_STORE);
        await models.commit('hosts', 5, [put('a', { n: 1 }), put('c', { n: 1 }, 'clusters')]);
        expect(await models.resume('hosts')).toBe(5);
        expect(await models.checkpoint('hosts')).toBe(5);
        await models.commit('hosts', 7, []);
        expect(await models.resume('hosts')).toBe(7);
        expect(await models.get('hosts', 'a')).toEqual({ n: 1 });
        expect(await models.get('clusters', 'c')).toEqual({ n: 1 });
      });

      it('has a separate checkpoint for each projection', async () => {
        await models.commit('hosts', 5, [put('a', {})]);
        await models.commit('clusters', 2, [put('c', { n: 1 }, 'clusters')]);
        expect(await models.checkpoint('hosts')).toBe(5);
        expect(await models.checkpoint('clusters')).toBe(2);
        expect(await models.get('clusters', 'c')).toEqual({ n: 1 });
      });
    });

    describe('querying', () => queryingContract(() => models));
  });
};
