import { setImmediate } from 'node:timers/promises';
import { type HostKey, parseHostKey, streamIdOf } from '@muster/contracts';
import { START_OF_STORE } from '@muster/ports';
import { Aggregates } from '../aggregates';
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

  /**
   * Registers the host right after an event of the cluster, or when the service has observed the event. The service observes the
   * registration later.
   */
  function registerAfter(
    type: string,
    cluster: TestCluster,
    key: HostKey,
    { isObserved = false } = {},
  ): () => Promise<unknown> {
    const { clusters } = running.part(Aggregates);
    const append = running.store.append.bind(running.store);
    let registered: Promise<unknown> | undefined;
    let resume = (): void => undefined;
    jest.spyOn(running.store, 'append').mockImplementation(async (...given) => {
      const [streamId, , events] = given;
      const isOfCluster = streamId === streamIdOf('cluster', cluster.id);
      const result = await append(...given);
      if (isOfCluster && !registered && events.some((event) => event.type === type)) {
        const release = holdMessages(key);
        const isStored = new Promise<void>((resolve) => (resume = resolve));
        const position = result.kind === 'appended' && isObserved ? result.position : START_OF_STORE;
        registered = Promise.resolve();
        while (clusters.positionOf(cluster.id) < position) await setImmediate();
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
    const registered = registerAfter('InstallationPrepared', cluster, first);
    await cluster.artifactsPrepared();
    await registered();
    await running.settled();
    expect(await running.types(streamIdOf('host', first))).toContain('HostReregistered');
    expect(await running.statuses(...keys)).toEqual(Array(3).fill('installing'));
    expect((await running.cluster(cluster.id)).status).toBe('installing');
  });

  it('fails when the installation of its cluster has started, which continues without this worker', async () => {
    const cluster = new TestCluster(running);
    const keys = await cluster.ready(6);
    await cluster.install();
    for (const key of keys) await cluster.evaluateHostOutcomes(key, PREPARED);
    const hosts = await Promise.all(keys.map(async (key) => ({ key, ...(await running.host(key)) })));
    const worker = hosts.find(({ role }) => role === 'worker')?.key;
    if (!worker) throw new Error('three of six hosts are workers');
    const registered = registerAfter('ClusterEnteredStatus', cluster, worker, { isObserved: true });
    await cluster.artifactsPrepared();
    await registered();
    await running.settled();
    expect(await running.host(worker)).toMatchObject({ status: 'error', statusReason: { code: 'restarted' } });
    const others = keys.filter((key) => key !== worker);
    expect(await running.statuses(...others)).toEqual(Array(5).fill('installing'));
    expect((await running.cluster(cluster.id)).status).toBe('installing');
  });
});
