import { join } from 'node:path';
import { inMemoryEventStore } from '@muster/adapter-in-memory';
import { sqliteStateStore } from '@muster/adapter-sqlite';
import { temporaryDirectory } from '@muster/testing';
import { viewFold } from './kept-entries';
import { type ChangeSource, SavedStates } from './saved-states';

const CONSUMERS = ['first', 'second', 'third'];

describe('the saves of the consumers of one process', () => {
  const directory = temporaryDirectory();
  let turn = 0;
  let counting: NodeJS.Immediate;
  const countTurns = (): void => {
    turn += 1;
    counting = setImmediate(countTurns);
  };
  beforeEach(countTurns);
  afterEach(() => clearImmediate(counting));
  afterAll(() => directory.remove());

  it('freezes the changes of each consumer in a turn of its own', async () => {
    const store = sqliteStateStore({ file: join(directory.path, 'state.sqlite') });
    const onError = (error: Error): void => expect(error).toBeUndefined();
    const states = new SavedStates(store, inMemoryEventStore(), onError);
    const frozenIn: { readonly name: string; readonly turn: number }[] = [];
    const consumers = await Promise.all(CONSUMERS.map((name) => states.open(name, [viewFold(name, 1, [])])));
    consumers.forEach((consumer, number) => consumer.add(changedOnce(CONSUMERS[number] ?? '')));
    await Promise.all(consumers.map((consumer) => consumer.save()));
    expect(frozenIn.map(({ name }) => name)).toEqual(CONSUMERS);
    expect(new Set(frozenIn.map((frozen) => frozen.turn)).size).toBe(CONSUMERS.length);
    await states.close();

    function changedOnce(name: string): ChangeSource {
      let unsaved = 1;
      return {
        get unsaved() {
          return unsaved;
        },
        freeze: () => {
          frozenIn.push({ name, turn });
          unsaved = 0;
          return { changes: [], saved: () => undefined, failed: () => undefined };
        },
      };
    }
  });
});
