import { setImmediate } from 'node:timers/promises';
import { type HostKey, parseHostKey, streamIdOf } from '@muster/contracts';
import { PREPARED, TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

/** More turns of the event loop than a reaction over the store in memory takes. */
const REACTION_TURNS = 50;

describe('a host that registers again when the preparation of its cluster ends', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => running.stop());

  /** Holds the messages from the next event of the host on. The result delivers them in order. */
  function holdMessages(key: HostKey): () => void {
    const { requests } = running.platform;
    const publish = requests.publish.bind(requests);
    const held: Parameters<typeof publish>[] = [];
    const spy = jest.spyOn(requests, 'publish').mockImplementation((...given) => {
      const { streamId } = given[1] as { readonly streamId?: string };
      if (held.length > 0 || streamId === streamIdOf('host', key)) held.push(given);
      else publish(...given);
    });
    return () => {
      spy.mockRestore();
      for (const given of held) publish(...given);
    };
  }

  /** Registers the host right after the next event of the cluster. The service observes the registration later. */
  function registerAfterNextEvent(cluster: TestCluster, key: HostKey): () => Promise<unknown> {
    const append = running.store.append.bind(running.store);
    let registered: Promise<unknown> | undefined;
    let resume = (): void => undefined;
    jest.spyOn(running.store, 'append').mockImplementation(async (...given) => {
      const [streamId] = given;
      const result = await append(...given);
      if (streamId === streamIdOf('cluster', cluster.id) && !registered) {
        const release = holdMessages(key);
        const isStored = new Promise<void>((resolve) => (resume = resolve));
        registered = cluster.registerHost(parseHostKey(key).hostId);
        await isStored;
        void passTurns(REACTION_TURNS).then(release);
      }
      if (streamId === streamIdOf('host', key)) resume();
      return result;
    });
    return async () => registered;
  }

  async function passTurns(turns: number): Promise<void> {
    for (let turn = 0; turn < turns; turn += 1) await setImmediate();
  }

  it('is prepared again before the installation starts', async () => {
    const cluster = new TestCluster(running);
    const keys = await cluster.ready();
    const [first] = keys;
    if (!first) throw new Error('there are three hosts');
    await cluster.install();
    for (const key of keys) await cluster.evaluateHostOutcomes(key, PREPARED);
    expect(await running.statuses(...keys)).toEqual(Array(3).fill('preparing-successful'));
    const registered = registerAfterNextEvent(cluster, first);
    await cluster.artifactsPrepared();
    await registered();
    await running.settled();
    expect(await running.types(streamIdOf('host', first))).toContain('HostReregistered');
    expect(await running.statuses(...keys)).toEqual(Array(3).fill('installing'));
    expect((await running.cluster(cluster.id)).status).toBe('installing');
  });
});
