import { streamIdOf } from '@muster/contracts';
import { eventually } from '@muster/testing';
import { TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

const MINUTE_MS = 60_000;

describe.each([
  { name: 'a service that hosts reach long after its start', isStarted: true },
  { name: 'a long outage of the bus or of the event store', isStarted: false },
])('$name', ({ isStarted }) => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start({ HOST_MAX_DISCONNECTION_TIME: '4m' })));
  afterAll(() => running.stop());

  const letTimePass = async (ms: number): Promise<void> => {
    running.clock.advance(ms);
    const bystander = new TestCluster(running);
    await bystander.registerInfraEnv('');
    await bystander.registerHost();
  };

  it('gives hosts their whole time to poll and to report', async () => {
    const cluster = new TestCluster(running);
    const keys = await cluster.installing();
    for (const key of keys) await cluster.progress(key, 'Installing');
    const typesOfHosts = async (): Promise<string[]> =>
      (await Promise.all(keys.map((key) => running.types(streamIdOf('host', key))))).flat();

    if (isStarted) await running.stopService();
    running.reachableFromMs = undefined;
    if (isStarted) await running.startService();
    await letTimePass(61 * MINUTE_MS);
    running.reachableFromMs = running.clock.nowMs();
    await letTimePass(3 * MINUTE_MS);
    await running.settled();
    expect(await running.statuses(...keys)).toEqual(Array(3).fill('installing-in-progress'));
    const before = await typesOfHosts();
    expect(before).not.toContain('HostFellSilent');
    expect(before).not.toContain('HostDeadlinePassed');

    await letTimePass(6 * MINUTE_MS);
    await eventually('they are silent, and their stage has ended', async () => {
      const types = await typesOfHosts();
      return types.includes('HostFellSilent') && types.includes('HostDeadlinePassed');
    });
  });
});
