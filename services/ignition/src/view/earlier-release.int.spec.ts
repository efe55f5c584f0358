import { join } from 'node:path';
import { sqliteStateStore } from '@muster/adapter-sqlite';
import type { RecordedMusterEvent } from '@muster/contracts';
import type { MakeEntries } from '@muster/decision';
import { keptEntries, SavedStates, viewFold } from '@muster/event-sourcing';
import { START_OF_STORE } from '@muster/ports';
import { type NatsServer, startNatsServer, temporaryDirectory } from '@muster/testing';
import { CLUSTER_ID, givenReadyCluster, openStage, preparationStarted, type Stage } from '../ignition.fixture.spec';
import { INSTALL_SHAPES, InstallView } from './install-view';

jest.mock('node:v8', () => {
  const v8 = jest.requireActual<typeof import('node:v8')>('node:v8');
  const { inThisRealm } = jest.requireActual<typeof import('@muster/testing')>('@muster/testing');
  return { ...v8, deserialize: (bytes: Uint8Array) => inThisRealm(v8.deserialize(bytes)) };
});

/** The last version of the fold whose hosts have no time sources before their first report of them. */
const VERSION_WITHOUT_TIME_SOURCES = 4;

describe('the saved view of an earlier release', () => {
  const directory = temporaryDirectory();
  const file = join(directory.path, 'state.sqlite');
  let nats: NatsServer;
  let stage: Stage;
  beforeAll(async () => {
    nats = await startNatsServer();
    stage = await openStage(nats.url);
  });
  afterAll(async () => {
    await stage.close();
    await nats.stop();
    directory.remove();
  });

  const openStates = (): SavedStates =>
    new SavedStates(sqliteStateStore({ file }), stage.platform.eventStore, (error) => {
      throw error;
    });

  /** Saves the view of all events as the earlier release did. */
  async function saveWithoutTimeSources(): Promise<void> {
    const states = openStates();
    const consumer = await states.open('ignition', [
      viewFold('ignition', VERSION_WITHOUT_TIME_SOURCES, INSTALL_SHAPES),
    ]);
    const make: MakeEntries = (kind) => {
      const toSaved: typeof kind.toSaved = (entry) => {
        const saved = { ...kind.toSaved(entry) };
        if (kind.shape.name === 'hosts') Reflect.deleteProperty(saved as object, 'timeSources');
        return saved;
      };
      return keptEntries(consumer)({ ...kind, toSaved });
    };
    const view = new InstallView(make);
    for await (const page of stage.platform.eventStore.readAll(START_OF_STORE))
      for (const event of page) {
        view.observe(event as unknown as RecordedMusterEvent);
        consumer.reached('ignition', event.position, event);
      }
    await states.close();
  }

  it('is not used for an installation', async () => {
    await givenReadyCluster(stage);
    await saveWithoutTimeSources();
    const states = openStates();
    const service = await stage.start({ states });
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
    expect(await stage.fact('ArtifactsPrepared')).toMatchObject({ data: { attempt: 1 } });
    await service.close();
    await states.close();
  });
});
