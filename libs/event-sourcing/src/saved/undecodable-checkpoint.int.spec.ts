import { join } from 'node:path';
import { inMemoryEventStore } from '@muster/adapter-in-memory';
import { sqliteStateStore } from '@muster/adapter-sqlite';
import { type SavedFold, START_OF_STORE } from '@muster/ports';
import { temporaryDirectory } from '@muster/testing';
import { keptReadModels } from './kept-read-models';
import { SAVE_LIMITS, SavedStates } from './saved-states';

const FOLDS: readonly SavedFold[] = ['views', 'journeys'].map((name) => ({
  name,
  version: 1,
  tables: [{ name: `${name}_hosts`, fields: [], indexes: [] }],
}));

describe('a checkpoint that cannot be decoded, as after a downgrade of Node.js', () => {
  const directory = temporaryDirectory();
  afterAll(() => directory.remove());

  const open = async () => {
    const fail = (error: Error): void => expect(error).toBeUndefined();
    const store = sqliteStateStore({ file: join(directory.path, 'state.sqlite') });
    const states = new SavedStates(store, inMemoryEventStore(), fail, SAVE_LIMITS);
    return { states, readModels: await keptReadModels(states, FOLDS) };
  };

  it('is removed with its documents, and its projection starts from the first event', async () => {
    const first = await open();
    for (const { name } of FOLDS)
      await first.readModels.commit(name, 3, [
        { kind: 'put', collection: `${name}_hosts`, key: 'h', document: { n: 1 } },
      ]);
    await first.states.save();
    const consumer = await first.states.open('read_models', FOLDS);
    // A saved value begins with 0xff and the version of its format.
    const value = Uint8Array.of(0xff, 0xfe, 0x6f);
    const undecodable = { table: 'checkpoints', key: 'views', row: { key: 'views', value, fields: [] } };
    await consumer.state.save([undecodable], () => undefined);
    await first.states.close();

    const second = await open();
    expect(await second.readModels.checkpoint('views')).toBe(START_OF_STORE);
    expect(await second.readModels.get('views_hosts', 'h')).toBeUndefined();
    expect(await second.readModels.checkpoint('journeys')).toBe(3);
    expect(await second.readModels.get('journeys_hosts', 'h')).toEqual({ n: 1 });
    await second.readModels.commit('views', 0, []);
    await second.states.close();

    const third = await open();
    expect(await third.readModels.checkpoint('views')).toBe(0);
    await third.states.close();
  });
});
