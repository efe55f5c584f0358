import { type HostKey, parseHostKey, RegistrationService, streamIdOf } from '@muster/contracts';
import { eventually } from '@muster/testing';
import { AGENT, TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

const { method } = RegistrationService;
const MINUTE_MS = 60_000;

describe('a host that waits for a user action', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start({ HOST_MAX_DISCONNECTION_TIME: '9000h' })));
  afterAll(() => running.stop());

  /** The timer reads the clock when an entry is added. */
  async function passDeadline(waiting: HostKey): Promise<void> {
    running.clock.advance(61 * MINUTE_MS);
    const bystander = new TestCluster(running);
    await bystander.registerInfraEnv('');
    await bystander.registerHost();
    const passed = async () => (await running.events(streamIdOf('host', waiting))).map(({ data }) => data['deadline']);
    await eventually('the deadline has passed', async () => (await passed()).includes('pending-user-action'));
  }

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

    await passDeadline(waiting);
    await running.settled();
    expect(await running.statuses(waiting)).toEqual(['installing-pending-user-action']);

    await cluster.progress(late, 'Done');
    await running.settled();
    expect(await running.statuses(waiting, late)).toEqual(['error', 'installed']);
    expect(await status()).toBe('finalizing');
  });

  it('continues to wait when the cluster would fail without it: it needs two of its two workers', async () => {
    const cluster = new TestCluster(running);
    const keys = await cluster.installing(5);
    const hosts = await Promise.all(keys.map(async (key) => ({ key, role: (await running.host(key)).role })));
    const waiting = hosts.find(({ role }) => role === 'worker')?.key;
    if (!waiting) throw new Error('there are two workers');

    await cluster.progress(waiting, 'Rebooting');
    for (const key of keys) if (key !== waiting) await cluster.progress(key, 'Done');
    await running.ask(method.registerHost, { ...parseHostKey(waiting), discoveryAgentVersion: AGENT });
    await passDeadline(waiting);
    await running.settled();
    expect((await running.cluster(cluster.id)).status).toBe('installing-pending-user-action');
    expect(await running.statuses(waiting)).toEqual(['installing-pending-user-action']);
  });
});
