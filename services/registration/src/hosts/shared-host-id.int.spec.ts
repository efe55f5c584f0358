import { randomUUID } from 'node:crypto';
import { type HostKey, parseHostKey, RegistrationService } from '@muster/contracts';
import { PREPARED, TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

const { method } = RegistrationService;

describe('two machines with one host id in two infra-envs of a cluster', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());

  /** The last control plane host becomes the bootstrap host. The hosts of these infra-envs are the last ones. */
  const lastInfraEnv = (): { readonly infraEnvId: string } => ({
    infraEnvId: `ffffffff-ffff-4fff-bfff-${randomUUID().slice(-12)}`,
  });

  it('become one bootstrap host', async () => {
    const hostId = randomUUID();
    const cluster = new TestCluster(running);
    const keys: HostKey[] = await cluster.ready(2);
    keys.push(await sharing(cluster.id, hostId), await sharing(cluster.id, hostId));
    for (const key of keys) await running.ask(method.reviseHost, { ...parseHostKey(key), hostRole: 'master' });
    await cluster.evaluate();
    await cluster.install();
    for (const key of keys) await cluster.evaluateHostOutcomes(key, PREPARED);
    const hosts = await Promise.all(keys.map((key) => running.host(key)));
    expect(hosts.map(({ status }) => status)).toEqual(keys.map(() => 'preparing-successful'));
    expect(hosts.filter(({ isBootstrap }) => isBootstrap).map((host) => host.hostId)).toEqual([hostId]);
  });

  const sharing = async (clusterId: string, hostId: string): Promise<HostKey> => {
    const infraEnv = Object.assign(new TestCluster(running), lastInfraEnv());
    await infraEnv.registerInfraEnv(clusterId);
    const key = await infraEnv.registerHost(hostId);
    await infraEnv.reportInventory(key);
    await infraEnv.evaluateHostOutcomes(key);
    return key;
  };
});
