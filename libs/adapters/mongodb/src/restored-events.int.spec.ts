import { randomUUID } from 'node:crypto';
import { type EventPlace, type ReadModelChange, type ReadModels, type SavedFold, START_OF_STORE } from '@muster/ports';
import { needsServer } from '@muster/testing';
import { Collection, MongoClient } from 'mongodb';
import { mongodbReadModels } from './read-models';

const put = (n: number): ReadModelChange => ({ kind: 'put', collection: 'hosts', key: 'a', document: { n } });
const FOLDS: readonly SavedFold[] = [
  { name: 'views', version: 1, tables: [{ name: 'hosts', fields: [], indexes: [] }] },
];
const event = (revision: number): EventPlace => ({ streamId: 'host-1', revision, id: `event-${revision}` });

needsServer('MONGODB_URL', 'mongodb://127.0.0.1:27017', 'mongodbReadModels with a restored event store', (url) => {
  const database = `muster_test_${randomUUID().replaceAll('-', '')}`;
  /** The last revision in the event store. */
  let stored: number;
  let readModels: ReadModels;

  const start = (): Promise<ReadModels> =>
    mongodbReadModels({ url, database, folds: FOLDS, isStored: async ({ revision }) => revision <= stored });

  beforeEach(async () => {
    stored = 9;
    readModels = await start();
    await readModels.resume('views');
    await readModels.commit('views', 7, [put(1)], event(7));
    const update = jest.spyOn(Collection.prototype, 'updateOne').mockRejectedValueOnce(new Error('connection broke'));
    await expect(readModels.commit('views', 9, [put(2)], event(9))).rejects.toThrow('connection broke');
    update.mockRestore();
    await readModels.close();
    readModels = await start();
  });
  afterEach(async () => {
    await readModels.close();
    const client = await MongoClient.connect(url);
    await client.db(database).dropDatabase();
    await client.close();
  });

  it('complete an interrupted commit whose events are stored', async () => {
    expect(await readModels.resume('views')).toBe(9);
    expect(await readModels.get('hosts', 'a')).toEqual({ n: 2 });
  });

  it('discard an interrupted commit with events that are not stored any more', async () => {
    stored = 7;
    expect(await readModels.resume('views')).toBe(START_OF_STORE);
    expect(await readModels.get('hosts', 'a')).toBeUndefined();
    // Other events have the positions of those that were lost.
    await readModels.commit('views', 8, [put(3)], event(8));
    expect(await readModels.checkpoint('views')).toBe(8);
  });
});
