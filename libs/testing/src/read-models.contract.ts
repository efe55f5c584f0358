import { START_OF_STORE, type ReadModels } from '@muster/ports';
import { queryingContract } from './read-models-querying.contract';
import { put, remove } from './sample-changes';

/** Opens empty read models for one test. */
export type OpenReadModels = () => Promise<{ readonly readModels: ReadModels; close(): Promise<void> }>;

/** What every ReadModels promises. Call it at the top level of a spec. */
export const readModelsContract = (name: string, open: OpenReadModels): void => {
  describe(`${name} keeps the promises of read models`, () => {
    let opened: Awaited<ReturnType<OpenReadModels>>;
    let models: ReadModels;
    beforeEach(async () => {
      opened = await open();
      models = opened.readModels;
    });
    afterEach(() => opened.close());

    describe('committing', () => {
      it('has nothing before the first commit', async () => {
        expect(await models.get('hosts', 'a')).toBeUndefined();
        expect(await models.find({ collection: 'hosts', where: {} })).toEqual([]);
        expect(await models.checkpoint('hosts')).toBe(START_OF_STORE);
      });

      it('gives back exactly what was put', async () => {
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

      it('replaces a document whole', async () => {
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

      it('forgets a removed document, and removing what is not there is no error', async () => {
        await models.commit('hosts', 1, [put('a', { status: 'known' })]);
        await models.commit('hosts', 2, [remove('a'), remove('never')]);
        expect(await models.get('hosts', 'a')).toBeUndefined();
        expect(await models.find({ collection: 'hosts', where: { status: 'known' } })).toEqual([]);
      });

      it('keeps collections apart', async () => {
        await models.commit('all', 1, [put('a', { of: 'hosts' }), put('a', { of: 'clusters' }, 'clusters')]);
        expect(await models.get('hosts', 'a')).toEqual({ of: 'hosts' });
        expect(await models.get('clusters', 'a')).toEqual({ of: 'clusters' });
        await models.commit('all', 2, [remove('a')]);
        expect(await models.get('clusters', 'a')).toEqual({ of: 'clusters' });
      });

      it('moves the checkpoint, also without changes', async () => {
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

      it('keeps a checkpoint for each projection', async () => {
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
