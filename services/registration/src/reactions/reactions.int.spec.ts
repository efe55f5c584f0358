import { parseHostKey, RegistrationService, streamIdOf } from '@muster/contracts';
import { eventually } from '@muster/testing';
import { AGENT, PlayedCluster, PREPARED, READY, SUFFICIENT } from '../played-cluster.fixture.spec';
import { RegistrationBench } from '../running-registration.fixture.spec';

const { method } = RegistrationService;
const MINUTE_MS = 60_000;

/** The heap looks at its clock when something is put into it: a new host of another pool does. */
const letTimePass = async (bench: RegistrationBench, ms: number): Promise<void> => {
  bench.clock.advance(ms);
  const bystander = new PlayedCluster(bench);
  await bystander.registerInfraEnv('');
  await bystander.registerHost();
};

describe('presence', () => {
  let bench: RegistrationBench;
  let cluster: PlayedCluster;
  beforeAll(async () => (bench = await RegistrationBench.start({ HOST_MAX_DISCONNECTION_TIME: '2m' })));
  beforeEach(() => (cluster = new PlayedCluster(bench)));
  afterAll(() => bench.stop());

  const inPool = async () => {
    await cluster.registerInfraEnv('');
    return cluster.registerHost();
  };
  const isSilent = async (key: Parameters<typeof bench.host>[0]) => (await bench.host(key)).isSilent;

  it('stores nothing for a thousand polls', async () => {
    const key = await inPool();
    const head = await bench.store.head();
    for (let n = 0; n < 1_000; n += 1) {
      bench.clock.advance(1_000);
      await bench.ask(method.nextSteps, { ...parseHostKey(key), discoveryAgentVersion: AGENT });
    }
    expect(await bench.store.head()).toBe(head);
    expect(await isSilent(key)).toBe(false);
  });

  it('stores the edges: a host falls silent once and returns once', async () => {
    const key = await inPool();
    bench.clock.advance(MINUTE_MS);
    await cluster.poll(key);
    await letTimePass(bench, 1.5 * MINUTE_MS);
    expect(await isSilent(key)).toBe(false);
    await letTimePass(bench, MINUTE_MS);
    await eventually('its silence is stored', () => isSilent(key));
    await bench.settled();
    await letTimePass(bench, 10 * MINUTE_MS);
    await cluster.poll(key);
    await cluster.poll(key);
    const edges = (await bench.types(streamIdOf('host', key))).filter((type) => /Silent|Returned/.test(type));
    expect(edges).toEqual(['HostFellSilent', 'HostReturned']);
  });

  it('gives a bootstrap host more time', async () => {
    await cluster.ready();
    await cluster.install();
    const { bootstrapHostId } = await bench.cluster(cluster.id);
    const bootstrap = `${cluster.infraEnvId}.${bootstrapHostId}` as const;
    await letTimePass(bench, 3 * MINUTE_MS);
    await eventually('the others are silent', async () => {
      const others = (await bench.allEvents()).filter(({ type }) => type === 'HostFellSilent');
      return others.filter(({ streamId }) => streamId.includes(cluster.infraEnvId)).length === 2;
    });
    expect(await isSilent(bootstrap)).toBe(false);
    await letTimePass(bench, 1.5 * MINUTE_MS);
    await eventually('it is silent too', () => isSilent(bootstrap));
  });

  it('gives every host its time again after a restart, and then notices', async () => {
    const key = await inPool();
    bench.clock.advance(1.5 * MINUTE_MS);
    await bench.restart();
    await letTimePass(bench, 1.5 * MINUTE_MS);
    expect(await isSilent(key)).toBe(false);
    await letTimePass(bench, MINUTE_MS);
    await eventually('its silence is stored', () => isSilent(key));
  });

  it('forgets a host that was removed', async () => {
    const key = await inPool();
    await bench.ask(method.deregisterHost, parseHostKey(key));
    await letTimePass(bench, 5 * MINUTE_MS);
    expect(await bench.types(streamIdOf('host', key))).not.toContain('HostFellSilent');
    expect(bench.log.filter((line) => line.includes('silence'))).toEqual([]);
  });
});

describe('deadlines', () => {
  let bench: RegistrationBench;
  let cluster: PlayedCluster;
  beforeAll(async () => (bench = await RegistrationBench.start({ HOST_MAX_DISCONNECTION_TIME: '9000h' })));
  beforeEach(() => (cluster = new PlayedCluster(bench)));
  afterAll(() => bench.stop());

  it('end a stage that takes too long', async () => {
    const [key, ...others] = await cluster.installing();
    if (!key) throw new Error('there are three hosts');
    await cluster.progress(key, 'Installing');
    for (const other of others) await cluster.progress(other, 'Copying registry data to disk');
    await letTimePass(bench, 59 * MINUTE_MS);
    expect((await bench.host(key)).status).toBe('installing-in-progress');
    await letTimePass(bench, 2 * MINUTE_MS);
    await eventually('the host failed', async () => (await bench.host(key)).status === 'error');
    expect((await bench.host(key)).failedBy).toBe('deadline');
    expect(await bench.types(streamIdOf('host', key))).toContain('HostDeadlinePassed');
  });

  it('shred the secrets of a deleted cluster and remove its hosts, after a restart too', async () => {
    const [key] = await cluster.ready();
    if (!key) throw new Error('there are three hosts');
    const types = async (): Promise<string[]> => [
      ...(await bench.types(streamIdOf('cluster', cluster.id))),
      ...(await bench.types(streamIdOf('host', key))),
    ];
    await bench.ask(method.deregisterCluster, { clusterId: cluster.id });
    await letTimePass(bench, 71 * 60 * MINUTE_MS);
    await bench.settled();
    expect(await types()).not.toContain('ClusterDeadlinePassed');
    await bench.stopService();
    bench.clock.advance(60 * MINUTE_MS);
    await bench.startService();
    await eventually('nothing is kept any more', async () => {
      const stored = await types();
      return stored.includes('ClusterDeadlinePassed') && stored.includes('HostDeadlinePassed');
    });
  });

  it('count from the last report', async () => {
    const keys = await cluster.installing();
    for (const percentage of [10, 20]) {
      for (const key of keys) await cluster.progress(key, 'Writing image to disk', `${percentage}%`);
      await letTimePass(bench, 25 * MINUTE_MS);
    }
    expect(await bench.statuses(...keys)).toEqual(Array(3).fill('installing-in-progress'));
  });

  it('are known again after a restart, also those that passed meanwhile', async () => {
    const keys = await cluster.installing();
    for (const key of keys) await cluster.progress(key, 'Installing');
    await bench.stopService();
    bench.clock.advance(61 * MINUTE_MS);
    await bench.startService();
    for (const key of keys) await eventually('it failed', async () => (await bench.host(key)).status === 'error');
    await eventually('the cluster too', async () => (await bench.cluster(cluster.id)).status === 'error');
  });

  it('end a preparation, of a host and of the cluster', async () => {
    const keys = await cluster.ready();
    await cluster.install();
    await letTimePass(bench, 8.5 * MINUTE_MS);
    await eventually('the cluster is ready again', async () => (await bench.cluster(cluster.id)).status === 'ready');
    await bench.settled();
    expect(await bench.statuses(...keys)).toEqual(['known', 'known', 'known']);

    await cluster.install();
    for (const key of keys) await cluster.evaluateHostOutcomes(key, PREPARED);
    await letTimePass(bench, 10.5 * MINUTE_MS);
    await eventually('the artifacts took too long', async () => (await bench.cluster(cluster.id)).status === 'ready');
    expect((await bench.cluster(cluster.id)).preparation).toBe('failed');
  });
});

describe('reactions', () => {
  let bench: RegistrationBench;
  let cluster: PlayedCluster;
  beforeAll(async () => (bench = await RegistrationBench.start()));
  beforeEach(() => (cluster = new PlayedCluster(bench)));
  afterAll(() => bench.stop());

  it('nudge a host when its status changes, or settings that its steps are made of; not by polls and reports', async () => {
    await cluster.register();
    await cluster.registerInfraEnv();
    const key = await cluster.knownHost();
    expect(await bench.nudgedHosts()).toEqual([key, key]);

    await cluster.poll(key);
    await cluster.reply(key, 'ntp-synchronizer', { output: '{}' });
    await cluster.reportInventory(key);
    await bench.ask(method.reviseHost, { ...parseHostKey(key), hostName: 'named' });
    await bench.ask(method.reviseCluster, { clusterId: cluster.id, changes: { tags: 'a' } });
    expect(await bench.nudgedHosts()).toEqual([]);

    const changes = { additionalNtpSource: 'ntp.example.org' };
    await bench.ask(method.reviseCluster, { clusterId: cluster.id, changes });
    expect(await bench.nudgedHosts()).toEqual([key]);
  });

  it('send no nudge for events from before a restart', async () => {
    await cluster.ready();
    await bench.nudgedHosts();
    await bench.restart();
    await bench.settled();
    expect(await bench.nudgedHosts()).toEqual([]);
  });

  it('park a failing reaction and continue with the others', async () => {
    await cluster.register();
    await cluster.registerInfraEnv();
    const [sick, well] = [await cluster.registerHost(), await cluster.registerHost()];
    bench.brokenStreams.add(streamIdOf('host', sick));
    for (const key of [sick, well]) {
      await cluster.reportInventory(key);
      await cluster.evaluateHostOutcomes(key);
    }
    expect(await bench.statuses(sick, well)).toEqual(['discovering', 'known']);
    expect(bench.log.some((line) => line.includes(`host-${sick} cannot be written`))).toBe(true);
    bench.brokenStreams.clear();
    await eventually('it is known', async () => (await bench.host(sick)).status === 'known');
  });

  it('are done when they are done: a restart stores nothing', async () => {
    const keys = await cluster.ready();
    await cluster.install();
    for (const key of keys) await cluster.evaluateHostOutcomes(key, PREPARED);
    const head = await bench.store.head();
    await bench.restart();
    await bench.settled();
    expect(await bench.store.head()).toBe(head);
  });

  it('catch up with what was stored while the service was away', async () => {
    const keys = await cluster.ready();
    const [first] = keys;
    if (!first) throw new Error('there are three hosts');
    await bench.stopService();
    await cluster.evaluateHostOutcomes(first, { ...SUFFICIENT, sufficientForInstall: false });
    await cluster.judge({ ...READY, requiredPassed: false });
    await bench.startService();
    await bench.settled();
    expect((await bench.host(first)).status).toBe('insufficient');
    expect((await bench.cluster(cluster.id)).status).toBe('insufficient');
  });

  it('ask for images to be looked at again that failed before this preparation', async () => {
    const keys = await cluster.ready(1, {
      controlPlaneCount: 1,
      apiVips: undefined,
      ingressVips: undefined,
      userManagedNetworking: true,
      platformType: 'none',
    });
    const [key] = keys;
    if (!key) throw new Error('there is one host');
    await bench.append(streamIdOf('inventory', key), {
      type: 'ImageAvailabilityReported',
      data: { epoch: 1, images: [{ name: 'i', sizeBytes: 0, seconds: 0, downloadRateMbps: 0, result: 'failure' }] },
    });
    await cluster.evaluateHostOutcomes(key, { ...SUFFICIENT, images: 'failed' });
    await cluster.install();
    expect((await bench.host(key)).status).toBe('preparing-for-installation');
    expect(bench.cleared).toContain(key);
  });

  it('store their cause and their owner', async () => {
    await cluster.register();
    await cluster.registerInfraEnv();
    const key = await cluster.knownHost();
    const entered = (await bench.events(streamIdOf('host', key))).at(-1);
    const [judged] = await bench.events(streamIdOf('validation', key));
    expect(entered).toMatchObject({
      type: 'HostEnteredStatus',
      metadata: {
        actor: 'service:registration',
        org: 'org-1',
        user: 'alice',
        causationId: judged?.id,
        correlationId: judged?.metadata.correlationId,
      },
    });
  });
});
