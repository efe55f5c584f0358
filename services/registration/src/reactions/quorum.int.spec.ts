import { type HostKey, parseHostKey, RegistrationService } from '@muster/contracts';
import { eventually } from '@muster/testing';
import { AGENT, TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

const { method } = RegistrationService;
const MINUTE_MS = 60_000;

describe('a host that waits for a user action', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start({ HOST_MAX_DISCONNECTION_TIME: '9000h' })));
  afterAll(() => running.stop());

  it('fails when the last host is installed that the cluster needs, so that the cluster completes', async () => {
    const cluster = new TestCluster(running);
    const status = async () => (await running.cluster(cluster.id)).status;
    const keys = await cluster.installing(6);
    const hosts = await Promise.all(keys.map(async (key) => ({ key, role: (await running.host(key)).role })));
    const ofRole = (role: string): HostKey[] => hosts.filter((host) => host.role === role).map(({ key }) => key);
    const [waiting, early, late] = ofRole('worker');
    if (!waiting || !early || !late) throw new Error('there are three workers');

    for (const key of [waiting, late]) await cluster.progress(key, 'Rebooting');
    for (const key of [...ofRole('master'), early]) await cluster.progress(key, 'Done');
    await running.ask(method.registerHost, { ...parseHostKey(waiting), discoveryAgentVersion: AGENT });
    expect(await status()).toBe('installing-pending-user-action');

    running.clock.advance(61 * MINUTE_MS);
    // The timer reads the clock when an entry is added.
    const bystander = new TestCluster(running);
    await bystander.registerInfraEnv('');
    await bystander.registerHost();
    const hasPassed = async () => (await running.host(waiting)).passedDeadlines.length > 0;
    await eventually('the deadline has passed', hasPassed);
    await running.settled();
    expect(await running.statuses(waiting)).toEqual(['installing-pending-user-action']);

    await cluster.progress(late, 'Done');
    await running.settled();
    expect(await running.statuses(waiting, late)).toEqual(['error', 'installed']);
    expect(await status()).toBe('finalizing');
  });
});
