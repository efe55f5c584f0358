import { randomUUID } from 'node:crypto';
import { streamIdOf } from '@muster/contracts';
import { TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

describe('suggested roles', () => {
  let running: RunningRegistration;
  let cluster: TestCluster;
  beforeAll(async () => (running = await RunningRegistration.start()));
  beforeEach(() => (cluster = new TestCluster(running)));
  afterAll(() => running.stop());

  it('belong to the hosts and not to the machine, which may be registered through two infra-envs', async () => {
    const other = new TestCluster(running);
    await cluster.register();
    await cluster.registerInfraEnv();
    await other.registerInfraEnv(cluster.id);
    const machines = [randomUUID(), randomUUID()];
    const keys = [];
    for (const machine of machines) keys.push(await cluster.registerHost(machine), await other.registerHost(machine));
    for (const key of keys) await cluster.reportInventory(key);

    const suggested = await Promise.all(keys.sort().map(async (key) => (await running.host(key)).suggestedRole));
    expect(suggested).toEqual(['master', 'master', 'master', 'worker']);
    for (const key of keys)
      expect(
        (await running.types(streamIdOf('host', key))).filter((type) => type === 'HostRoleSuggested'),
      ).toHaveLength(1);
  });
});
