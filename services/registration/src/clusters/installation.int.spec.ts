import { type HostKey, parseHostKey, RegistrationService, streamIdOf } from '@muster/contracts';
import { PlayedCluster, PREPARED, READY, SUFFICIENT } from '../played-cluster.fixture.spec';
import { asPerson, RegistrationBench } from '../running-registration.fixture.spec';

const { method } = RegistrationService;

describe('an installation', () => {
  let bench: RegistrationBench;
  let cluster: PlayedCluster;
  beforeAll(async () => (bench = await RegistrationBench.start()));
  beforeEach(() => (cluster = new PlayedCluster(bench)));
  afterAll(() => bench.stop());

  const status = async () => (await bench.cluster(cluster.id)).status;

  it('is prepared by all services, then started on every host', async () => {
    const keys = await cluster.ready();
    expect(await bench.statuses(...keys)).toEqual(['known', 'known', 'known']);
    await bench.nudgedHosts();

    await cluster.install();
    expect(await status()).toBe('preparing-for-installation');
    expect(await bench.statuses(...keys)).toEqual(Array(3).fill('preparing-for-installation'));
    expect(new Set(await bench.nudgedHosts())).toEqual(new Set(keys));

    for (const key of keys) await cluster.evaluateHostOutcomes(key, PREPARED);
    expect(await bench.statuses(...keys)).toEqual(Array(3).fill('preparing-successful'));
    expect(await status()).toBe('preparing-for-installation');
    await bench.nudgedHosts();

    await cluster.artifactsPrepared();
    expect(await bench.cluster(cluster.id)).toMatchObject({ status: 'installing', openshiftClusterId: 'openshift-1' });
    expect(await bench.statuses(...keys)).toEqual(Array(3).fill('installing'));
    expect(new Set(await bench.nudgedHosts())).toEqual(new Set(keys));
    const plans = await Promise.all(keys.map((key) => cluster.poll(key)));
    const roles = plans.map(({ instructions: [step] }) => (JSON.parse(step?.args[0] ?? '{}') as { role: string }).role);
    expect(roles.sort()).toEqual(['bootstrap', 'master', 'master']);
  });

  it('fixes the roles that were suggested, weakest machines first, and chooses one bootstrap host', async () => {
    await cluster.register();
    await cluster.registerInfraEnv();
    const keys: HostKey[] = [];
    for (const cpuCount of [32, 8, 8, 16, 8]) {
      const key = await cluster.registerHost();
      await cluster.reportInventory(key, 1, { cpuCount });
      await cluster.evaluateHostOutcomes(key);
      keys.push(key);
    }
    await cluster.judge();
    const suggested = await Promise.all(keys.map((key) => bench.host(key)));
    expect(suggested.map(({ role, suggestedRole }) => `${role} ${suggestedRole}`)).toEqual([
      'auto-assign worker',
      'auto-assign master',
      'auto-assign master',
      'auto-assign worker',
      'auto-assign master',
    ]);
    await cluster.install();
    const hosts = await Promise.all(keys.map((key) => bench.host(key)));
    expect(hosts.map(({ role }) => role)).toEqual(['worker', 'master', 'master', 'worker', 'master']);
    const bootstraps = hosts.filter(({ isBootstrap }) => isBootstrap);
    expect(bootstraps).toMatchObject([{ role: 'master' }]);
    expect((await bench.cluster(cluster.id)).bootstrapHostId).toBe(bootstraps[0]?.hostId);
  });

  it('suggests other roles when other operators are chosen, as the control plane has to carry them', async () => {
    await cluster.register();
    await cluster.registerInfraEnv();
    const keys: HostKey[] = [];
    for (const cpuCount of [32, 8, 7, 16, 8]) {
      const key = await cluster.registerHost();
      await cluster.reportInventory(key, 1, { cpuCount, hasVirtualization: true });
      keys.push(key);
    }
    const suggested = async () => Promise.all(keys.map(async (key) => (await bench.host(key)).suggestedRole));
    const choose = (...names: readonly string[]) =>
      bench.ask(method.reviseCluster, {
        clusterId: cluster.id,
        changes: { olmOperators: { items: names.map((name) => ({ name, properties: '', sourceBundles: [] })) } },
      });
    expect(await suggested()).toEqual(['worker', 'master', 'master', 'worker', 'master']);
    await choose('cnv');
    await bench.settled();
    expect(await suggested()).toEqual(['worker', 'master', 'worker', 'master', 'master']);
    await choose();
    await bench.settled();
    expect(await suggested()).toEqual(['worker', 'master', 'master', 'worker', 'master']);
  });

  it('suggests no roles until every host has an inventory', async () => {
    await cluster.register();
    await cluster.registerInfraEnv();
    const [first, second] = [await cluster.registerHost(), await cluster.registerHost()];
    await cluster.reportInventory(first);
    expect((await bench.host(first)).suggestedRole).toBe('');
    await cluster.reportInventory(second);
    expect((await bench.host(first)).suggestedRole).toBe('master');
    expect((await bench.host(second)).suggestedRole).toBe('master');
  });

  it('derives the machine networks from the VIPs and the hosts', async () => {
    await cluster.register();
    await cluster.registerInfraEnv();
    await cluster.reportInventory(await cluster.registerHost());
    expect((await bench.cluster(cluster.id)).settings.machineNetworks?.items).toEqual(['192.0.2.0/24']);
  });

  it('leaves everything as it was when the click is refused', async () => {
    const keys = await cluster.ready();
    const [first] = keys;
    if (!first) throw new Error('there are three hosts');
    await cluster.evaluateHostOutcomes(first, { ...SUFFICIENT, sufficientForInstall: false });
    const before = await bench.allEvents();
    await expect(cluster.install()).rejects.toMatchObject({ refusal: { code: 'not-ready', subject: 'hosts' } });
    expect(await bench.allEvents()).toEqual(before);

    await cluster.judge({ ...READY, requiredPassed: false });
    await expect(cluster.install()).rejects.toMatchObject({ refusal: { code: 'not-allowed-in-state' } });
    for (const key of keys) expect((await bench.host(key)).role).toBe('auto-assign');
  });

  it('is started once by a click that is repeated', async () => {
    await cluster.ready();
    const click = asPerson();
    const first = await bench.ask(method.installCluster, { clusterId: cluster.id }, click);
    const before = await bench.allEvents();
    const again = await bench.ask(method.installCluster, { clusterId: cluster.id }, click);
    expect(again.stored?.revision).toBe(first.stored?.revision);
    expect(await bench.allEvents()).toEqual(before);
  });

  it('has its bootstrap host told after a crash that came before that', async () => {
    const [key] = await cluster.ready();
    if (!key) throw new Error('there are three hosts');
    await bench.stopService();
    const at = new Date(bench.clock.nowMs()).toISOString();
    const { hostId: bootstrapHostId } = parseHostKey(key);
    const status = 'preparing-for-installation';
    await bench.append(
      streamIdOf('cluster', cluster.id),
      { type: 'InstallationPreparationStarted', data: { attempt: 1, bootstrapHostId, at } },
      {
        type: 'ClusterEnteredStatus',
        data: { status, from: 'ready', transition: 't', at, deadline: '' },
      },
    );
    await bench.startService();
    await bench.settled();
    expect((await bench.host(key)).isBootstrap).toBe(true);
  });

  it('takes the cluster back to ready with the reason when artifacts cannot be made', async () => {
    const keys = await cluster.ready();
    await cluster.install();
    await cluster.artifactsFailed('the release cannot be read');
    const state = await bench.cluster(cluster.id);
    expect(state).toMatchObject({ status: 'ready', preparationReason: 'the release cannot be read' });
    expect(await bench.statuses(...keys)).toEqual(['known', 'known', 'known']);
  });

  it('does not take the artifacts of an earlier attempt for those of this one', async () => {
    const keys = await cluster.ready();
    await cluster.install();
    await cluster.artifactsFailed('once');
    await cluster.install();
    await cluster.artifactsPrepared(1);
    for (const key of keys) await cluster.evaluateHostOutcomes(key, PREPARED);
    expect(await bench.cluster(cluster.id)).toMatchObject({
      status: 'preparing-for-installation',
      preparation: 'pending',
    });
    await cluster.artifactsPrepared(2);
    expect(await status()).toBe('installing');
  });

  it('waits again for a host that registers while it is prepared', async () => {
    const keys = await cluster.ready();
    const [first] = keys;
    if (!first) throw new Error('there are three hosts');
    await cluster.install();
    await cluster.artifactsPrepared();
    await cluster.evaluateHostOutcomes(first, PREPARED);
    const [, hostId] = first.split('.');
    await cluster.registerHost(hostId);
    expect(await bench.types(streamIdOf('cluster', cluster.id))).toContain('InstallationPreparationUndone');
    for (const key of keys) await cluster.evaluateHostOutcomes(key, PREPARED);
    expect(await status()).toBe('installing');
  });

  it('continues with the reports of hosts until it is complete', async () => {
    const keys = await cluster.installing();
    for (const key of keys) await cluster.progress(key, 'Starting installation');
    expect(await bench.statuses(...keys)).toEqual(Array(3).fill('installing-in-progress'));
    const first = (await bench.cluster(cluster.id)).progress;
    for (const key of keys) await cluster.progress(key, 'Writing image to disk', '50%');
    const second = (await bench.cluster(cluster.id)).progress;
    expect(second.installing).toBeGreaterThan(first.installing);

    for (const key of keys) for (const stage of ['Rebooting', 'Joined', 'Done']) await cluster.progress(key, stage);
    expect(await bench.statuses(...keys)).toEqual(['installed', 'installed', 'installed']);
    expect(await status()).toBe('finalizing');

    await bench.ask(method.reachFinalizingStage, { clusterId: cluster.id, stage: 'Waiting for cluster operators' });
    await bench.ask(method.reportOperatorStatus, {
      clusterId: cluster.id,
      name: 'console',
      status: 'available',
      statusInfo: '',
      version: '4.18.3',
    });
    expect(await status()).toBe('finalizing');
    await bench.append(streamIdOf('artifact', cluster.id), {
      type: 'IngressCaAccepted',
      data: { clusterId: cluster.id, kubeconfig: { name: 'kubeconfig', sealed: true } },
    });
    expect(await bench.cluster(cluster.id)).toMatchObject({
      status: 'installed',
      hasKubeconfig: true,
      progress: { total: 100 },
    });

    await bench.ask(method.allowAddHosts, { clusterId: cluster.id });
    expect(await bench.cluster(cluster.id)).toMatchObject({ status: 'adding-hosts', kind: 'AddHostsCluster' });
  });

  it('takes a kubeconfig that came before its hosts were done once they are', async () => {
    const keys = await cluster.installing();
    await bench.append(streamIdOf('artifact', cluster.id), {
      type: 'IngressCaAccepted',
      data: { clusterId: cluster.id },
    });
    for (const key of keys) for (const stage of ['Rebooting', 'Done']) await cluster.progress(key, stage);
    expect(await bench.cluster(cluster.id)).toMatchObject({ status: 'finalizing', hasKubeconfig: true });
  });

  it('uses the address of a single node as VIPs', async () => {
    const settings = {
      controlPlaneCount: 1,
      apiVips: undefined,
      ingressVips: undefined,
      userManagedNetworking: true,
      platformType: 'none',
    };
    const [key] = await cluster.installing(1, settings);
    if (!key) throw new Error('there is one host');
    const state = await bench.cluster(cluster.id);
    expect(state.status).toBe('installing');
    expect(state.settings).toMatchObject({
      machineNetworks: { items: ['192.0.2.0/24'] },
      apiVips: { items: ['192.0.2.11'] },
      ingressVips: { items: ['192.0.2.11'] },
    });
  });

  it('costs a cluster of three fewer than 400 events', async () => {
    const before = (await bench.allEvents()).length;
    const keys = await cluster.installing();
    for (const key of keys)
      for (const stage of [
        'Starting installation',
        'Installing',
        'Writing image to disk',
        'Rebooting',
        'Joined',
        'Done',
      ])
        await cluster.progress(key, stage);
    expect(await status()).toBe('finalizing');
    expect((await bench.allEvents()).length - before).toBeLessThan(400);
  });
});
