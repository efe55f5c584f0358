import { type HostKey, parseHostKey, RegistrationService, streamIdOf } from '@muster/contracts';
import { isoTime } from '@muster/ports';
import { eventually } from '@muster/testing';
import { TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

/** Deadlines are checked when a deadline is set, so this registers a host. */
const letTimePass = async (running: RunningRegistration, ms: number): Promise<void> => {
  running.clock.advance(ms);
  const bystander = new TestCluster(running);
  await bystander.registerInfraEnv('');
  await bystander.registerHost();
};

describe.each([
  { direction: 'back', setByMs: -HOUR_MS },
  { direction: 'forward', setByMs: HOUR_MS },
])('a clock of the machine that is set $direction by an hour', ({ setByMs }) => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());

  const setClock = (): void => running.clock.set(running.clock.nowMs() + setByMs);
  const poll = (key: HostKey) => running.ask(RegistrationService.method.nextSteps, parseHostKey(key));

  it('does not change when the hosts of a ready cluster get their steps again', async () => {
    const cluster = new TestCluster(running);
    const [key] = await cluster.ready();
    if (!key) throw new Error('the cluster has no hosts');
    const stepsNow = async (): Promise<number> => (await poll(key)).instructions.length;
    expect(await stepsNow()).toBeGreaterThan(3);
    setClock();
    running.clock.advance(2_000);
    expect(await stepsNow()).toBe(0);
    running.clock.advance(MINUTE_MS);
    expect(await stepsNow()).toBeGreaterThan(3);
  });

  it('does not change when a host counts as silent', async () => {
    const cluster = new TestCluster(running);
    await cluster.registerInfraEnv('');
    const key = await cluster.registerHost();
    setClock();
    await letTimePass(running, MINUTE_MS);
    const lastSeenAt = isoTime(running.clock.nowMs());
    await poll(key);
    for (const minutes of [2.5, 1]) await letTimePass(running, minutes * MINUTE_MS);
    await eventually('its silence is stored', async () => (await running.host(key)).isSilent);
    const changes = (await running.events(streamIdOf('host', key))).filter(({ type }) => /Silent|Returned/.test(type));
    expect(changes).toEqual([expect.objectContaining({ type: 'HostFellSilent', data: { lastSeenAt } })]);
  });
});

describe('a clock of the machine that is set back by an hour after the start of the service', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start({ HOST_MAX_DISCONNECTION_TIME: '9000h' })));
  afterAll(() => running.stop());

  it('does not prolong a preparation', async () => {
    const cluster = new TestCluster(running);
    const keys = await cluster.ready();
    running.clock.set(running.clock.nowMs() - HOUR_MS);
    await cluster.install();
    expect(await running.statuses(...keys)).toEqual(Array(3).fill('preparing-for-installation'));
    await letTimePass(running, 8.5 * MINUTE_MS);
    await eventually('the cluster is ready again', async () => (await running.cluster(cluster.id)).status === 'ready');
  });
});

describe('a clock of the machine that is set forward by an hour after the start of the service', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start({ HOST_MAX_DISCONNECTION_TIME: '9000h' })));
  afterAll(() => running.stop());

  it('does not shorten a preparation, and does not prolong it when it is set back', async () => {
    // Deadlines that begin with the service pass later.
    await letTimePass(running, 30 * MINUTE_MS);
    for (const isSetBack of [false, true]) {
      const cluster = new TestCluster(running);
      const keys = await cluster.ready();
      await cluster.install();
      running.clock.set(running.clock.nowMs() + HOUR_MS);
      for (const minutes of [3, 4]) await letTimePass(running, minutes * MINUTE_MS);
      await running.settled();
      expect(await running.statuses(...keys)).toEqual(Array(3).fill('preparing-for-installation'));
      if (isSetBack) running.clock.set(running.clock.nowMs() - HOUR_MS);
      await letTimePass(running, 1.5 * MINUTE_MS);
      await eventually(
        'the cluster is ready again',
        async () => (await running.cluster(cluster.id)).status === 'ready',
      );
    }
  });
});
