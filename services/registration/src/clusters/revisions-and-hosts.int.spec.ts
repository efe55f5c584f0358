import { parseHostKey, RegistrationService } from '@muster/contracts';
import { SUFFICIENT, TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';
import { RegistrationView } from '../view/registration-view';

const { method } = RegistrationService;

describe('a revision of a cluster with hosts', () => {
  let running: RunningRegistration;
  let cluster: TestCluster;
  beforeAll(async () => (running = await RunningRegistration.start()));
  beforeEach(() => (cluster = new TestCluster(running)));
  afterAll(() => running.stop());

  it('is refused when the platform does not support its arbiter', async () => {
    await cluster.register({ openshiftVersion: '4.20.3' });
    await cluster.registerInfraEnv();
    const key = await cluster.knownHost();
    await running.ask(method.reviseHost, { ...parseHostKey(key), hostRole: 'arbiter' });
    await running.settled();
    const changes = { platformType: 'vsphere' };
    await expect(running.ask(method.reviseCluster, { clusterId: cluster.id, changes })).rejects.toMatchObject({
      refusal: { code: 'invalid-input', subject: 'platform.type' },
    });
    expect((await running.cluster(cluster.id)).settings.platformType).toBe('baremetal');
  });

  it('removes ignored validations from the status of a host that waits for them', async () => {
    await cluster.register();
    await cluster.registerInfraEnv();
    const key = await cluster.registerHost();
    await cluster.reportInventory(key);
    await cluster.evaluateHostOutcomes(key, { ...SUFFICIENT, sufficientForInstall: false });
    const pending = async () => (await running.host(key)).statusReason.pending;
    expect(await pending()).toContain('has-default-route');
    const changes = { ignoredHostValidations: { items: ['has-default-route'] } };
    await running.ask(method.reviseCluster, { clusterId: cluster.id, changes });
    expect(await pending()).not.toContain('has-default-route');
    expect((await running.host(key)).status).toBe('insufficient');
  });

  it('is refused without reading the hosts when they are being installed', async () => {
    await cluster.installing();
    await running.settled();
    const read = jest.spyOn(RegistrationView.prototype, 'hostsOf');
    const changes = { platformType: 'vsphere' };
    await expect(running.ask(method.reviseCluster, { clusterId: cluster.id, changes })).rejects.toMatchObject({
      refusal: { code: 'not-allowed-in-state' },
    });
    expect(read).not.toHaveBeenCalled();
  });
});
