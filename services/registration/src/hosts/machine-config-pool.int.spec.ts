import { parseHostKey, RegistrationService } from '@muster/contracts';
import { TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

const { reviseHost } = RegistrationService.method;

describe('the machine-config pool of a host', () => {
  let running: RunningRegistration;
  let key: Awaited<ReturnType<TestCluster['knownHost']>>;
  beforeAll(async () => {
    running = await RunningRegistration.start();
    const cluster = new TestCluster(running);
    await cluster.register();
    await cluster.registerInfraEnv();
    key = await cluster.knownHost();
  });
  afterAll(() => running.stop());

  const choose = (machineConfigPoolName: string) =>
    running.ask(reviseHost, { ...parseHostKey(key), settings: { machineConfigPoolName } });

  it.each(['infra', 'infra-2.east', ''])('may be "%s"', async (name) => {
    await choose(name);
    expect((await running.host(key)).machineConfigPoolName).toBe(name);
  });

  it.each(['in fra', 'Infra', '../worker', 'infra?', 'infra\n', '-infra', 'a..b', 'a'.repeat(254)])(
    'cannot be %j, which no pool of Kubernetes can have as its name',
    async (name) => {
      await expect(choose(name)).rejects.toMatchObject({
        refusal: { code: 'invalid-input', subject: 'machine_config_pool_name' },
      });
    },
  );
});
