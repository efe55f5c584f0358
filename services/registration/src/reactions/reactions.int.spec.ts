import { parseHostKey, RegistrationService, streamIdOf } from '@muster/contracts';
import { eventually } from '@muster/testing';
import { Presence } from '../agents/presence';
import { AGENT, TestCluster, PREPARED, READY, SUFFICIENT } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

const { method } = RegistrationService;
const MINUTE_MS = 60_000;

/** The heap reads the clock when an entry is added, so this registers a host in another infra-env. */
const letTimePass = async (running: RunningRegistration, ms: number): Promise<void> => {
  running.clock.advance(ms);
  const bystander = new TestCluster(running);
  await bystander.registerInfraEnv('');
  await bystander.registerHost();
};

describe('the presence of hosts', () => {
  let running: RunningRegistration;
  let cluster: TestCluster;
  beforeAll(async () => (running = await RunningRegistration.start({ HOST_MAX_DISCONNECTION_TIME: '2m' })));
  beforeEach(() => (cluster = new TestCluster(running)));
  afterAll(() => running.stop());

  const registeredUnbound = async () => {
    await cluster.registerInfraEnv('');
    return cluster.registerHost();
  };
  const isSilent = async (key: Parameters<typeof running.host>[0]) => (await running.host(key)).isSilent;

  it('stores nothing for a thousand polls', async () => {
    const key = await registeredUnbound();
    const head = await running.store.head();
    for (let n = 0; n < 1_000; n += 1) {
      running.clock.advance(1_000);
      await running.ask(method.nextSteps, { ...parseHostKey(key), discoveryAgentVersion: AGENT });
    }
    expect(await running.store.head()).toBe(head);
    expect(await isSilent(key)).toBe(false);
  });

  it('stores one event when a host falls silent and one when it returns', async () => {
    const key = await registeredUnbound();
    running.clock.advance(MINUTE_MS);
    await cluster.poll(key);
    await letTimePass(running, 1.5 * MINUTE_MS);
    expect(await isSilent(key)).toBe(false);
    await letTimePass(running, MINUTE_MS);
    await eventually('its silence is stored', () => isSilent(key));
    await running.settled();
    await letTimePass(running, 10 * MINUTE_MS);
    await cluster.poll(key);
    await cluster.poll(key);
    const edges = (await running.types(streamIdOf('host', key))).filter((type) => /Silent|Returned/.test(type));
    expect(edges).toEqual(['HostFellSilent', 'HostReturned']);
  });

  it('waits longer for the bootstrap host', async () => {
    await cluster.ready();
    await cluster.install();
    const { bootstrapHostId } = await running.cluster(cluster.id);
    const bootstrap = `${cluster.infraEnvId}.${bootstrapHostId}` as const;
    await letTimePass(running, 3 * MINUTE_MS);
    await eventually('the others are silent', async () => {
      const others = (await running.allEvents()).filter(({ type }) => type === 'HostFellSilent');
      return others.filter(({ streamId }) => streamId.includes(cluster.infraEnvId)).length === 2;
    });
    expect(await isSilent(bootstrap)).toBe(false);
    await letTimePass(running, 1.5 * MINUTE_MS);
    await eventually('it is silent too', () => isSilent(bootstrap));
  });

  it('waits the full period again after a restart', async () => {
    const key = await registeredUnbound();
    running.clock.advance(1.5 * MINUTE_MS);
    await running.restart();
    await letTimePass(running, 1.5 * MINUTE_MS);
    expect(await isSilent(key)).toBe(false);
    await letTimePass(running, MINUTE_MS);
    await eventually('its silence is stored', () => isSilent(key));
  });

  it('ends for a host that was removed', async () => {
    const key = await registeredUnbound();
    const presence = running.part(Presence);
    expect(presence.lastSeenAt(key)).toBeDefined();
    await running.ask(method.deregisterHost, parseHostKey(key));
    await running.settled();
    expect(presence.lastSeenAt(key)).toBeUndefined();
    await letTimePass(running, 5 * MINUTE_MS);
    await running.settled();
    expect(await running.types(streamIdOf('host', key))).not.toContain('HostFellSilent');
  });
});

describe('deadlines', () => {
  let running: RunningRegistration;
  let cluster: TestCluster;
  beforeAll(async () => (running = await RunningRegistration.start({ HOST_MAX_DISCONNECTION_TIME: '9000h' })));
  beforeEach(() => (cluster = new TestCluster(running)));
  afterAll(() => running.stop());

  it('end a stage that takes too long', async () => {
    const [key, ...others] = await cluster.installing();
    if (!key) throw new Error('there are three hosts');
    await cluster.progress(key, 'Installing');
    for (const other of others) await cluster.progress(other, 'Copying registry data to disk');
    await letTimePass(running, 59 * MINUTE_MS);
    expect((await running.host(key)).status).toBe('installing-in-progress');
    await letTimePass(running, 2 * MINUTE_MS);
    await eventually('the host failed', async () => (await running.host(key)).status === 'error');
    expect((await running.host(key)).failedBy).toBe('deadline');
    expect(await running.types(streamIdOf('host', key))).toContain('HostDeadlinePassed');
  });

  it('destroy the secrets of a deleted cluster and remove its hosts, also after a restart', async () => {
    const [key] = await cluster.ready();
    if (!key) throw new Error('there are three hosts');
    const types = async (): Promise<string[]> => [
      ...(await running.types(streamIdOf('cluster', cluster.id))),
      ...(await running.types(streamIdOf('host', key))),
    ];
    await running.ask(method.deregisterCluster, { clusterId: cluster.id });
    await letTimePass(running, 71 * 60 * MINUTE_MS);
    await running.settled();
    expect(await types()).not.toContain('ClusterDeadlinePassed');
    await running.stopService();
    running.clock.advance(60 * MINUTE_MS);
    await running.startService();
    await eventually('the documents are removed', async () => {
      const stored = await types();
      return stored.includes('ClusterDeadlinePassed') && stored.includes('HostDeadlinePassed');
    });
  });

  it('count from the last report', async () => {
    const keys = await cluster.installing();
    for (const percentage of [10, 20]) {
      for (const key of keys) await cluster.progress(key, 'Writing image to disk', `${percentage}%`);
      await letTimePass(running, 25 * MINUTE_MS);
    }
    expect(await running.statuses(...keys)).toEqual(Array(3).fill('installing-in-progress'));
  });

  it('end a preparation of a host and of the cluster', async () => {
    const keys = await cluster.ready();
    await cluster.install();
    await letTimePass(running, 8.5 * MINUTE_MS);
    await eventually('the cluster is ready again', async () => (await running.cluster(cluster.id)).status === 'ready');
    await running.settled();
    expect(await running.statuses(...keys)).toEqual(['known', 'known', 'known']);

    await cluster.install();
    for (const key of keys) await cluster.evaluateHostOutcomes(key, PREPARED);
    await letTimePass(running, 10.5 * MINUTE_MS);
    await eventually('the artifacts took too long', async () => (await running.cluster(cluster.id)).status === 'ready');
    expect((await running.cluster(cluster.id)).preparation).toBe('failed');
  });
});

describe('deadlines that pass while the service is stopped', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start({ HOST_MAX_DISCONNECTION_TIME: '4m' })));
  afterAll(() => running.stop());

  it('leave the hosts time to report after the start, and then pass', async () => {
    const cluster = new TestCluster(running);
    const keys = await cluster.installing();
    const [reporting, ...others] = keys;
    if (!reporting) throw new Error('there are three hosts');
    for (const key of keys) await cluster.progress(key, 'Installing');
    await running.stopService();
    running.clock.advance(61 * MINUTE_MS);
    await running.startService();
    await letTimePass(running, 3 * MINUTE_MS);
    expect(await running.statuses(...keys)).toEqual(Array(3).fill('installing-in-progress'));
    for (const key of keys) await cluster.poll(key);
    await cluster.progress(reporting, 'Writing image to disk');
    await letTimePass(running, 1.5 * MINUTE_MS);
    for (const key of others)
      await eventually('it failed', async () => (await running.host(key)).failedBy === 'deadline');
    expect(await running.types(streamIdOf('host', reporting))).not.toContain('HostDeadlinePassed');
    await eventually('the cluster too', async () => (await running.cluster(cluster.id)).status === 'error');
  });
});

describe('reactions', () => {
  let running: RunningRegistration;
  let cluster: TestCluster;
  beforeAll(async () => (running = await RunningRegistration.start()));
  beforeEach(() => (cluster = new TestCluster(running)));
  afterAll(() => running.stop());

  it('send a wake-up when the status of a host or an input of its steps changes, but not for polls and reports', async () => {
    await cluster.register();
    await cluster.registerInfraEnv();
    const key = await cluster.knownHost();
    expect(await running.nudgedHosts()).toEqual([key, key]);

    await cluster.poll(key);
    await cluster.reply(key, 'ntp-synchronizer', { output: '{}' });
    await cluster.reportInventory(key);
    await running.ask(method.reviseHost, { ...parseHostKey(key), hostName: 'named' });
    await running.ask(method.reviseCluster, { clusterId: cluster.id, changes: { tags: 'a' } });
    expect(await running.nudgedHosts()).toEqual([]);

    const changes = { additionalNtpSource: 'ntp.example.org' };
    await running.ask(method.reviseCluster, { clusterId: cluster.id, changes });
    expect(await running.nudgedHosts()).toEqual([key]);
  });

  it('send no wake-up for events from before a restart', async () => {
    await cluster.ready();
    await running.nudgedHosts();
    await running.restart();
    await running.settled();
    expect(await running.nudgedHosts()).toEqual([]);
  });

  it('pause a failing reaction and continue with the others', async () => {
    await cluster.register();
    await cluster.registerInfraEnv();
    const [sick, well] = [await cluster.registerHost(), await cluster.registerHost()];
    running.brokenStreams.add(streamIdOf('host', sick));
    for (const key of [sick, well]) {
      await cluster.reportInventory(key);
      await cluster.evaluateHostOutcomes(key);
    }
    expect(await running.statuses(sick, well)).toEqual(['discovering', 'known']);
    expect(running.log.some((line) => line.includes(`host-${sick} cannot be written`))).toBe(true);
    running.brokenStreams.clear();
    await eventually('it is known', async () => (await running.host(sick)).status === 'known');
  });

  it('store nothing again after a restart', async () => {
    const keys = await cluster.ready();
    await cluster.install();
    for (const key of keys) await cluster.evaluateHostOutcomes(key, PREPARED);
    const head = await running.store.head();
    await running.restart();
    await running.settled();
    expect(await running.store.head()).toBe(head);
  });

  it('process the events that were stored while the service was stopped', async () => {
    const keys = await cluster.ready();
    const [first] = keys;
    if (!first) throw new Error('there are three hosts');
    await running.stopService();
    await cluster.evaluateHostOutcomes(first, { ...SUFFICIENT, sufficientForInstall: false });
    await cluster.evaluate({ ...READY, requiredPassed: false });
    await running.startService();
    await running.settled();
    expect((await running.host(first)).status).toBe('insufficient');
    expect((await running.cluster(cluster.id)).status).toBe('insufficient');
  });

  it('request another image check when the last failed one was before this preparation', async () => {
    const keys = await cluster.ready(1, {
      controlPlaneCount: 1,
      apiVips: undefined,
      ingressVips: undefined,
      userManagedNetworking: true,
      platformType: 'none',
    });
    const [key] = keys;
    if (!key) throw new Error('there is one host');
    await running.append(streamIdOf('inventory', key), {
      type: 'ImageAvailabilityReported',
      data: {
        generation: 1,
        images: [{ name: 'i', sizeBytes: 0, seconds: 0, downloadRateMbps: 0, result: 'failure' }],
      },
    });
    await cluster.evaluateHostOutcomes(key, { ...SUFFICIENT, images: 'failed' });
    await cluster.install();
    expect((await running.host(key)).status).toBe('preparing-for-installation');
    expect(running.cleared).toContain(key);
  });

  it('store their cause and their owner', async () => {
    await cluster.register();
    await cluster.registerInfraEnv();
    const key = await cluster.knownHost();
    const entered = (await running.events(streamIdOf('host', key))).at(-1);
    const [evaluated] = await running.events(streamIdOf('validation', key));
    expect(entered).toMatchObject({
      type: 'HostEnteredStatus',
      metadata: {
        actor: 'service:registration',
        org: 'org-1',
        user: 'alice',
        causationId: evaluated?.id,
        correlationId: evaluated?.metadata.correlationId,
      },
    });
  });
});
