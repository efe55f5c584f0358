import { type HostKey, parseHostKey, RegistrationService } from '@muster/contracts';
import { TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

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
});
