import { randomUUID } from 'node:crypto';
import { type HostKey, streamIdOf } from '@muster/contracts';
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
    const keys: HostKey[] = [];
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

describe('suggested roles with ENABLE_AUTO_ASSIGN=false', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start({ ENABLE_AUTO_ASSIGN: 'false' })));
  afterAll(() => running.stop());

  it('are assigned by the installation and not before', async () => {
    const cluster = new TestCluster(running);
    const keys = await cluster.ready(4);
    const hosts = () => Promise.all(keys.map((key) => running.host(key)));
    expect((await hosts()).map(({ suggestedRole }) => suggestedRole)).toEqual(['', '', '', '']);

    await cluster.install();
    expect((await hosts()).map(({ role }) => role).sort()).toEqual(['master', 'master', 'master', 'worker']);
    expect((await hosts()).filter(({ isBootstrap }) => isBootstrap)).toMatchObject([{ role: 'master' }]);
    expect(await running.statuses(...keys)).toEqual(Array(4).fill('preparing-for-installation'));
  });
});
