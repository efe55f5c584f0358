import { randomUUID } from 'node:crypto';
import { type HostKey, parseHostKey, RegistrationService, streamIdOf } from '@muster/contracts';
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

describe('two machines that report with one host id', () => {
  const MINUTE_MS = 60_000;
  const [MINE, THEIRS] = ['52:54:00:00:00:01', '52:54:00:00:00:02'];
  let running: RunningRegistration;
  let key: HostKey;
  let cluster: TestCluster;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());
  beforeEach(async () => {
    cluster = new TestCluster(running);
    await cluster.registerInfraEnv('');
    key = await cluster.registerHost();
  });

  const report = (mac: string, type = 'physical') =>
    cluster.reply(key, 'inventory', {
      output: JSON.stringify({ cpu: {}, memory: {}, system_vendor: {}, interfaces: [{ mac_address: mac, type }] }),
    });
  const reportFor = async (macs: readonly string[]): Promise<void> => {
    for (let minutes = 0; minutes < 12; minutes += 2) {
      running.clock.advance(2 * MINUTE_MS);
      for (const mac of macs) await report(mac);
    }
  };

  it('remain the host of the first one when an inventory has no physical network cards', async () => {
    await report(MINE);
    await report('52:54:00:00:00:09', 'bond');
    expect((await running.host(key)).machine?.macAddresses).toEqual([MINE]);
    await report(THEIRS);
    expect((await running.host(key)).conflict?.known.macAddresses).toEqual([MINE]);
  });

  it('remain the host of the first one as long as it reports, also when it does not change', async () => {
    await report(MINE);
    await reportFor([MINE]);
    await report(THEIRS);
    expect(await running.host(key)).toMatchObject({
      machine: { macAddresses: [MINE] },
      conflict: { known: { macAddresses: [MINE] }, claimant: { macAddresses: [THEIRS] } },
    });
  });

  it('leave no events with their clocks and agents while they poll in turn during their conflict', async () => {
    for (const mac of [MINE, THEIRS]) await report(mac);
    const before = (await running.allEvents()).length;
    running.reports.length = 0;
    const agents = [
      { discoveryAgentVersion: 'quay.io/muster/agent:1', timestampSeconds: running.clock.nowMs() / 1_000 },
      { discoveryAgentVersion: 'quay.io/muster/agent:2', timestampSeconds: running.clock.nowMs() / 1_000 + 600 },
    ];
    for (const agent of [...agents, ...agents])
      await running.ask(method.nextSteps, { ...parseHostKey(key), ...agent }).catch(() => undefined);
    expect(await running.allEvents()).toHaveLength(before);
    expect(running.reports).toEqual([]);
  });

  it('are in conflict as long as both report', async () => {
    for (const mac of [MINE, THEIRS]) await report(mac);
    await reportFor([MINE, THEIRS]);
    await reportFor([MINE]);
    const types = await running.types(streamIdOf('host', key));
    expect(types.filter((type) => type.startsWith('HostIdentityConflict'))).toEqual([
      'HostIdentityConflictDetected',
      'HostIdentityConflictResolved',
    ]);
  });
});
