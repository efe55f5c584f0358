import { join } from 'node:path';
import { sqliteEventStore } from '@muster/adapter-sqlite';
import type { EventStore } from '@muster/ports';
import { collectPages, temporaryDirectory } from '@muster/testing';
import { context, infraEnvs, register, rotate } from './infra-envs.fixture.spec';

describe('command handlers on a store on disk', () => {
  const directory = temporaryDirectory();
  const file = join(directory.path, 'events.db');
  const opened: EventStore[] = [];
  const open = (): EventStore => {
    const store = sqliteEventStore({ file });
    opened.push(store);
    return store;
  };
  afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())));
  afterAll(() => directory.remove());

  it('store every command of two replicas on one aggregate exactly once', async () => {
    const [here, there] = [infraEnvs(open()), infraEnvs(open())];
    await here.handle('busy', register('busy'), context());
    const rounds = 40;
    for (let n = 0; n < rounds; n += 1)
      await Promise.all([
        here.handle('busy', rotate, context(`here-${n}`)),
        there.handle('busy', rotate, context(`there-${n}`)),
      ]);
    const events = await collectPages(open().readStream('infraEnv-busy'));
    const commands = events.map(({ metadata }) => metadata.commandId);
    expect(new Set(commands).size).toBe(2 * rounds + 1);
    expect(events.map(({ revision }) => revision)).toEqual(events.map((_, n) => n));
    expect((await infraEnvs(open()).load('busy')).state.signingKeyGeneration).toBe(2 * rounds);
  });

  it('store many aggregates concurrently', async () => {
    const store = open();
    const handler = infraEnvs(store);
    const ids = Array.from({ length: 300 }, (_, n) => `many-${n}`);
    await Promise.all(ids.map((id) => handler.handle(id, register(id), context(`register-${id}`))));
    await Promise.all(ids.map((id) => handler.handle(id, rotate, context())));
    const fresh = infraEnvs(store, { cachedAggregates: 10 });
    for (const id of ids) expect(await fresh.load(id)).toMatchObject({ revision: 1, state: { infraEnvId: id } });
  });

  it('recognise repeated commands after a restart', async () => {
    const before = open();
    const first = await infraEnvs(before).handle('kept', register('kept'), context('c-1'));
    await before.close();
    const again = await infraEnvs(open()).handle('kept', register('kept'), context('c-1'));
    expect(again).toMatchObject({ kind: 'stored', events: [] });
    expect(again).toMatchObject({ position: first.kind === 'stored' ? first.position : NaN });
  });
});
