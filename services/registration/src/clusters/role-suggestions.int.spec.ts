import { randomUUID } from 'node:crypto';
import { type HostKey, parseHostKey, RegistrationService, streamIdOf } from '@muster/contracts';
import { TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

const { method } = RegistrationService;

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

describe('the bootstrap host of a cancelled preparation', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());

  it('is replaced by the next installation when it becomes a worker', async () => {
    const cluster = new TestCluster(running);
    const keys = await cluster.ready(4);
    await cluster.install();
    await running.ask(method.cancelInstallation, { clusterId: cluster.id });
    const hosts = () => Promise.all(keys.map(async (key) => ({ key, ...(await running.host(key)) })));
    const assign = (key: HostKey, hostRole: string) =>
      running.ask(method.reviseHost, { ...parseHostKey(key), hostRole });
    for (const { key, role, isBootstrap } of await hosts()) {
      if (isBootstrap) await assign(key, 'auto-assign');
      if (role === 'worker') await assign(key, 'master');
    }
    await running.settled();
    await cluster.evaluate();
    await cluster.install();
    await running.settled();

    expect((await hosts()).map(({ role }) => role).sort()).toEqual(['master', 'master', 'master', 'worker']);
    expect((await hosts()).filter(({ isBootstrap }) => isBootstrap)).toMatchObject([{ role: 'master' }]);
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

describe('the host with the address in BOOTSTRAP_HOST_MAC', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start({ BOOTSTRAP_HOST_MAC: '02:00:00:AA:00:01' })));
  afterAll(() => running.stop());

  it('becomes the bootstrap host, although it is larger than the others', async () => {
    const cluster = new TestCluster(running);
    await cluster.register();
    await cluster.registerInfraEnv();
    const own = await cluster.registerHost();
    const nics = [
      { name: 'ens3', macAddress: '52:54:00:aa:00:09' },
      { name: 'ens4', macAddress: '02:00:00:aa:00:01' },
    ];
    await cluster.reportInventory(own, 1, { cpuCount: 64, nics });
    await cluster.evaluateHostOutcomes(own);
    expect(await running.host(own)).toMatchObject({ role: 'master', isBootstrap: true });
    const others = [await cluster.knownHost(), await cluster.knownHost(), await cluster.knownHost()];
    await cluster.evaluate();
    await cluster.install();

    expect(await running.host(own)).toMatchObject({ role: 'master', isBootstrap: true });
    const rest = await Promise.all(others.map((key) => running.host(key)));
    expect(rest.map(({ role }) => role).sort()).toEqual(['master', 'master', 'worker']);
    expect(rest.map(({ isBootstrap }) => isBootstrap)).toEqual([false, false, false]);
  });
});
