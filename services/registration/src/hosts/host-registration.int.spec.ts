import { renderHostStatus } from '@muster/domain';
import { randomUUID } from 'node:crypto';
import { hostKeyOf, parseHostKey, RegistrationService, streamIdOf } from '@muster/contracts';
import { eventually, sampleDisk, sampleInventory } from '@muster/testing';
import { AGENT, HARDWARE, OWNER, TestCluster, SUFFICIENT } from '../cluster.fixture.spec';
import { Aggregates } from '../aggregates';
import { asUser, RunningRegistration } from '../running-registration.fixture.spec';

const { method } = RegistrationService;

describe('the registration of hosts', () => {
  let running: RunningRegistration;
  let cluster: TestCluster;
  beforeAll(async () => (running = await RunningRegistration.start({ AGENT_DOCKER_IMAGE: AGENT })));
  beforeEach(() => (cluster = new TestCluster(running)));
  afterAll(() => running.stop());

  const register = (hostId: string, changes: object = {}, context = asUser()) =>
    running.ask(
      method.registerHost,
      { infraEnvId: cluster.infraEnvId, hostId, discoveryAgentVersion: AGENT, ...changes },
      context,
    );

  it('registers a new machine in the cluster of its infra-env, and returns the agent version', async () => {
    await cluster.register();
    await cluster.registerInfraEnv();
    const hostId = randomUUID();
    expect(await register(hostId)).toMatchObject({ agentVersion: AGENT });
    expect(await running.host(hostKeyOf(cluster.infraEnvId, hostId))).toMatchObject({
      status: 'discovering',
      kind: 'Host',
      role: 'auto-assign',
      isBootstrap: false,
      clusterId: cluster.id,
      owner: OWNER,
      agentVersion: AGENT,
    });
  });

  it('registers once for a repeated request, and again after the machine booted again', async () => {
    await cluster.register();
    await cluster.registerInfraEnv();
    const hostId = randomUUID();
    const streamId = streamIdOf('host', hostKeyOf(cluster.infraEnvId, hostId));
    const context = asUser();
    const first = await register(hostId, {}, context);
    expect(await register(hostId, {}, context)).toEqual(first);
    expect(await running.types(streamId)).toEqual(['HostRegistered', 'HostEnteredStatus']);
    await register(hostId);
    expect(await running.types(streamId)).toContain('HostReregistered');
  });

  it('registers a machine whose infra-env has no cluster', async () => {
    await cluster.registerInfraEnv('');
    const key = await cluster.registerHost();
    expect(await running.host(key)).toMatchObject({ status: 'discovering-unbound', clusterId: '' });
  });

  it('makes the host of a single node a control plane host and bootstrap host', async () => {
    await cluster.register({
      controlPlaneCount: 1,
      apiVips: undefined,
      ingressVips: undefined,
      userManagedNetworking: true,
      platformType: 'none',
    });
    await cluster.registerInfraEnv();
    expect(await running.host(await cluster.registerHost())).toMatchObject({ role: 'master', isBootstrap: true });
  });

  it('makes a host of an existing cluster a worker', async () => {
    await cluster.register(
      { apiVipDnsName: 'api.old.example.com', apiVips: undefined, ingressVips: undefined },
      { kind: 'AddHostsCluster', imported: true, pullSecret: '' },
    );
    await cluster.registerInfraEnv();
    const key = await cluster.knownHost();
    expect(await running.host(key)).toMatchObject({
      kind: 'AddToExistingClusterHost',
      role: 'worker',
      machineConfigPoolName: 'worker',
      status: 'known',
    });
    const { instructions } = await cluster.poll(key);
    const check = instructions.find(({ stepType }) => stepType === 'api-vip-connectivity-check');
    expect(check?.args[0]).toContain('http://api.old.example.com:22624/config/worker');
    await running.ask(method.installHost, parseHostKey(key));
    expect((await running.host(key)).status).toBe('installing');
    expect((await cluster.poll(key)).instructions.map(({ stepType }) => stepType)).toEqual(['install']);
  });

  it('refuses a machine of an unknown infra-env or of a disconnected image', async () => {
    const hostId = randomUUID();
    await expect(register(hostId)).rejects.toMatchObject({ refusal: { code: 'not-found', subject: 'infra_env_id' } });
    await cluster.registerInfraEnv('', { imageType: 'disconnected-iso' });
    await expect(register(hostId)).rejects.toMatchObject({ refusal: { code: 'invalid-input' } });
    expect(await running.events(streamIdOf('host', hostKeyOf(cluster.infraEnvId, hostId)))).toEqual([]);
  });

  it('refuses a new machine while the cluster is being installed', async () => {
    await cluster.installing();
    await expect(register(randomUUID())).rejects.toMatchObject({
      refusal: { code: 'cluster-does-not-accept-hosts' },
    });
  });

  it('refuses an installed host, so that its agent stops', async () => {
    const [key] = await cluster.installing();
    if (!key) throw new Error('there are three hosts');
    for (const stage of ['Rebooting', 'Done']) await cluster.progress(key, stage);
    await expect(register(parseHostKey(key).hostId)).rejects.toMatchObject({
      refusal: { code: 'host-already-installed' },
    });
  });

  it('names the disk from which a host should have booted', async () => {
    const [key] = await cluster.installing();
    if (!key) throw new Error('there are three hosts');
    await cluster.progress(key, 'Rebooting');
    await register(parseHostKey(key).hostId);
    const host = await running.host(key);
    expect(host.status).toBe('installing-pending-user-action');
    expect(renderHostStatus(host.statusReason, () => undefined, host.conflict)).toContain(
      '(sda, /dev/disk/by-id/wwn-1)',
    );
    expect((await running.cluster(cluster.id)).status).toBe('installing-pending-user-action');
  });

  it('registers a host without the cluster from which it was unbound meanwhile', async () => {
    await cluster.register(
      { apiVipDnsName: 'api.old.example.com', apiVips: undefined, ingressVips: undefined },
      { kind: 'AddHostsCluster', imported: true, pullSecret: '' },
    );
    await cluster.registerInfraEnv('');
    const key = await cluster.knownHost();
    await running.ask(method.bindHost, { ...parseHostKey(key), clusterId: cluster.id });
    await register(parseHostKey(key).hostId);
    expect(await running.host(key)).toMatchObject({ status: 'discovering', kind: 'AddToExistingClusterHost' });

    const aggregates = running.part(Aggregates);
    const { clusters, hosts } = aggregates;
    const load = clusters.load.bind(clusters);
    const at = aggregates.now();
    jest.spyOn(clusters, 'load').mockImplementationOnce(async (id) => {
      await hosts.execute(key, { type: 'Unbind', at, byUser: true }, asUser());
      return load(id);
    });
    await register(parseHostKey(key).hostId);
    expect(await running.host(key)).toMatchObject({ status: 'discovering-unbound', clusterId: '', kind: 'Host' });
  });

  it('voids earlier reports, and returns the host to known after equal ones', async () => {
    await cluster.register();
    await cluster.registerInfraEnv();
    const key = await cluster.knownHost();
    expect(await running.host(key)).toMatchObject({ status: 'known', generation: 1 });
    await register(parseHostKey(key).hostId);
    expect(await running.host(key)).toMatchObject({ status: 'discovering', generation: 2 });
    const [, otherDisk] = HARDWARE.disks;
    await cluster.reportInventory(key, 1, { disks: [otherDisk] });
    await cluster.evaluateHostOutcomes(key, SUFFICIENT, 1);
    expect(await running.host(key)).toMatchObject({
      status: 'discovering',
      installationDisk: { id: '/dev/disk/by-id/wwn-1' },
    });
    await cluster.reportInventory(key, 2);
    await cluster.evaluateHostOutcomes(key, SUFFICIENT, 2);
    expect((await running.host(key)).status).toBe('known');
  });
});

describe('two machines with one host id', () => {
  let running: RunningRegistration;
  let cluster: TestCluster;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());
  beforeEach(async () => {
    cluster = new TestCluster(running);
    await cluster.registerInfraEnv('');
    running.reports.length = 0;
  });

  const inventoryOf = (mac: string) =>
    JSON.stringify({
      cpu: {},
      memory: {},
      interfaces: [{ mac_address: mac, type: 'physical' }],
      system_vendor: { serial_number: 's' },
    });
  const MINE = inventoryOf('52:54:00:00:00:01');
  const THEIRS = inventoryOf('52:54:00:00:00:02');

  it('are reported as a conflict, and reports of the second machine are not accepted', async () => {
    const key = await cluster.registerHost();
    await cluster.reply(key, 'inventory', { output: MINE });
    await cluster.reply(key, 'inventory', { output: THEIRS });
    await cluster.reply(key, 'inventory', { output: MINE });
    const mine = { data: { hardware: { nics: [{ macAddress: '52:54:00:00:00:01' }] } } };
    expect(running.reports).toMatchObject([mine, mine]);
    const host = await running.host(key);
    expect(host.conflict?.claimant.macAddresses).toEqual(['52:54:00:00:00:02']);
    expect(renderHostStatus(host.statusReason, () => undefined, host.conflict)).toContain('52:54:00:00:00:02');
  });

  it('are not installed: their host is not ready, and both receive only the inventory step', async () => {
    cluster = new TestCluster(running);
    const [key] = await cluster.ready();
    if (!key) throw new Error('there are three hosts');
    await cluster.reply(key, 'inventory', { output: MINE });
    expect((await running.host(key)).status).toBe('known');
    await cluster.reply(key, 'inventory', { output: THEIRS });
    await eventually('the host is not ready', async () => (await running.host(key)).status === 'insufficient');
    // A failed poll makes an agent send an inventory that has not changed, in which it names its machine.
    for (const _machine of [MINE, THEIRS]) {
      await expect(cluster.poll(key)).rejects.toMatchObject({ refusal: { code: 'identity-conflict' } });
      const { instructions } = await cluster.poll(key);
      expect(instructions.map(({ stepType }) => stepType)).toEqual(['inventory']);
      running.clock.advance(30_000);
    }
    running.clock.advance(200_000);
    await cluster.reply(key, 'inventory', { output: MINE });
    await eventually('the host is ready', async () => (await running.host(key)).status === 'known');
  });

  it('are no longer in conflict after an inventory of one of them, also when the status accepts no report', async () => {
    const key = await cluster.registerHost();
    for (const output of [MINE, THEIRS]) await cluster.reply(key, 'inventory', { output });
    await running.append(streamIdOf('host', key), {
      type: 'HostEnteredStatus',
      data: { status: 'error', from: 'known' },
    });
    running.clock.advance(200_000);
    const before = (await running.events(streamIdOf('inventory', key))).length;
    await cluster.reply(key, 'inventory', { output: MINE });
    expect((await running.host(key)).conflict).toBeUndefined();
    expect(await running.events(streamIdOf('inventory', key))).toHaveLength(before);
    await expect(cluster.reply(key, 'inventory', { output: MINE })).rejects.toMatchObject({ refusal: {} });
  });

  it('have one claim, stored together with the installation disk of its machine only', async () => {
    const key = await cluster.registerHost();
    const machine = (mac: string, disk: string) => ({
      output: JSON.stringify(
        sampleInventory({
          interfaces: [{ mac_address: mac, type: 'physical' }],
          disks: [sampleDisk({ id: `/dev/disk/by-id/${disk}` })],
        }),
      ),
    });
    await cluster.reply(key, 'inventory', machine('52:54:00:00:00:01', 'mine'));
    await cluster.reply(key, 'inventory', machine('52:54:00:00:00:02', 'theirs'));
    const events = await running.events(streamIdOf('host', key));
    const [claimed, chosen] = ['HostIdentityClaimed', 'InstallationDiskChosen'].map((type) =>
      events.filter((event) => event.type === type),
    );
    expect(chosen).toMatchObject([{ data: { diskId: '/dev/disk/by-id/mine' } }]);
    expect(chosen?.[0]?.metadata.commandId).toBe(claimed?.[0]?.metadata.commandId);
    expect(claimed).toHaveLength(1);
  });

  it('are no longer in conflict when one of them is silent', async () => {
    const key = await cluster.registerHost();
    await cluster.reply(key, 'inventory', { output: MINE });
    await cluster.reply(key, 'inventory', { output: THEIRS });
    running.clock.advance(200_000);
    await cluster.reply(key, 'inventory', { output: MINE });
    expect((await running.host(key)).conflict).toBeUndefined();
  });

  it('store nothing when they repeat their reports', async () => {
    const key = await cluster.registerHost();
    for (const output of [MINE, THEIRS, MINE]) await cluster.reply(key, 'inventory', { output });
    const before = await running.allEvents();
    for (const output of [THEIRS, MINE, THEIRS, MINE]) await cluster.reply(key, 'inventory', { output });
    expect(await running.allEvents()).toEqual(before);
  });

  it('are refused when they register with the same host id and different MAC addresses', async () => {
    const hostId = randomUUID();
    const machine = (mac: string) => ({ macAddresses: [mac], serialNumber: 's', bootId: mac, sourceAddress: '' });
    const register = (mac: string) =>
      running.ask(method.registerHost, { infraEnvId: cluster.infraEnvId, hostId, machine: machine(mac) });
    await register('52:54:00:00:00:01');
    await expect(register('52:54:00:00:00:02')).rejects.toMatchObject({ refusal: { code: 'identity-conflict' } });
    await expect(register('52:54:00:00:00:02')).rejects.toMatchObject({ refusal: { code: 'identity-conflict' } });
    await register('52:54:00:00:00:01');
    const key = hostKeyOf(cluster.infraEnvId, hostId);
    expect((await running.host(key)).machine?.macAddresses).toEqual(['52:54:00:00:00:01']);

    // The first machine was shut down.
    await running.append(streamIdOf('host', key), { type: 'HostFellSilent', data: { lastSeenAt: '' } });
    await register('52:54:00:00:00:02');
    await register('52:54:00:00:00:02');
    const host = await running.host(key);
    expect(host.conflict).toBeUndefined();
    expect(host.machine?.macAddresses).toEqual(['52:54:00:00:00:02']);
  });
});
