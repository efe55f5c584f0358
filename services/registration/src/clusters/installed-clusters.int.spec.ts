import { type HostKey, parseHostKey, RegistrationService, streamIdOf } from '@muster/contracts';
import { TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';
import { RegistrationView } from '../view/registration-view';

const { method } = RegistrationService;

/** The hosts of an installed cluster are not in memory. */
describe('an installed cluster', () => {
  let running: RunningRegistration;
  let cluster: TestCluster;
  let keys: readonly HostKey[];
  let read: jest.SpyInstance;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());

  const entered = (status: string) => ({
    type: 'ClusterEnteredStatus' as const,
    data: { status, from: '', transition: 't', at: '' },
  });
  beforeEach(async () => {
    cluster = new TestCluster(running);
    keys = await cluster.installing();
    for (const key of keys)
      await running.append(streamIdOf('host', key), { ...entered('installed'), type: 'HostEnteredStatus' });
    await running.append(streamIdOf('cluster', cluster.id), entered('installed'));
    read = jest.spyOn(RegistrationView.prototype, 'hostsOf');
  });
  afterEach(() => read.mockRestore());

  it('reads no other host when one of them is removed', async () => {
    const [removed] = keys;
    if (!removed) throw new Error('there are hosts');
    await running.ask(method.deregisterHost, parseHostKey(removed));
    expect((await running.host(removed)).status).toBe('unregistered');
    expect(read).not.toHaveBeenCalled();
  });

  it.each([['installCluster'], ['cancelInstallation'], ['resetCluster']] as const)(
    'refuses %s without reading its hosts',
    async (name) => {
      await expect(running.ask(method[name], { clusterId: cluster.id })).rejects.toMatchObject({
        refusal: { code: 'not-allowed-in-state', subject: 'status' },
      });
      expect(read).not.toHaveBeenCalled();
    },
  );

  it('still completes its kubeconfig', async () => {
    const data = { clusterId: cluster.id };
    await running.append(streamIdOf('artifact', cluster.id), { type: 'IngressCaAccepted', data });
    expect(await running.types(streamIdOf('cluster', cluster.id))).toContain('KubeconfigCompleted');
    expect(read).not.toHaveBeenCalled();
  });

  it('removes all its hosts when it is deleted', async () => {
    await running.ask(method.deregisterCluster, { clusterId: cluster.id });
    expect(await running.statuses(...keys)).toEqual(keys.map(() => 'unregistered'));
  });
});
