import { streamIdOf } from '@muster/contracts';
import { eventually } from '@muster/testing';
import { TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

const MINUTE_MS = 60_000;

describe('a gateway that hosts reach long after the start of the service', () => {
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

    await running.stopService();
    let open: () => void = () => undefined;
    running.reachable = new Promise<void>((resolve) => (open = resolve));
    await running.startService();
    await letTimePass(61 * MINUTE_MS);
    open();
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
