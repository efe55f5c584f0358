import { randomUUID } from 'node:crypto';
import { type HostKey, parseHostKey, RegistrationService, streamIdOf } from '@muster/contracts';
import { TEXT_CHARACTERS_MAX } from '@muster/event-sourcing';
import { TestCluster, PREPARED, READY, SUFFICIENT } from '../cluster.fixture.spec';
import { asUser, RunningRegistration } from '../running-registration.fixture.spec';

const { method } = RegistrationService;

describe('an installation', () => {
  let running: RunningRegistration;
  let cluster: TestCluster;
  beforeAll(async () => (running = await RunningRegistration.start()));
  beforeEach(() => (cluster = new TestCluster(running)));
  afterAll(() => running.stop());

  const status = async () => (await running.cluster(cluster.id)).status;

  it('is prepared by all services, then started on every host', async () => {
    const keys = await cluster.ready();
    expect(await running.statuses(...keys)).toEqual(['known', 'known', 'known']);
    await running.nudgedHosts();

    await cluster.install();
    expect(await status()).toBe('preparing-for-installation');
    expect(await running.statuses(...keys)).toEqual(Array(3).fill('preparing-for-installation'));
    expect(new Set(await running.nudgedHosts())).toEqual(new Set(keys));
    // Role and status are one append, except for the bootstrap host, whose selection is evaluated first.
    const appends = await Promise.all(keys.map((key) => running.appendsOf(key)));
    const isAssigned = (types: string): boolean => types === 'HostRoleAssigned HostEnteredStatus';
    expect(appends.filter((ofHost) => ofHost.some(isAssigned))).toHaveLength(2);

    for (const key of keys) await cluster.evaluateHostOutcomes(key, PREPARED);
    expect(await running.statuses(...keys)).toEqual(Array(3).fill('preparing-successful'));
    expect(await status()).toBe('preparing-for-installation');
    await running.nudgedHosts();

    await cluster.artifactsPrepared();
    expect(await running.cluster(cluster.id)).toMatchObject({
      status: 'installing',
      openshiftClusterId: 'openshift-1',
    });
    expect(await running.statuses(...keys)).toEqual(Array(3).fill('installing'));
    expect(new Set(await running.nudgedHosts())).toEqual(new Set(keys));
    const plans = await Promise.all(keys.map((key) => cluster.poll(key)));
    const roles = plans.map(({ instructions: [step] }) => (JSON.parse(step?.args[0] ?? '{}') as { role: string }).role);
    expect(roles.sort()).toEqual(['bootstrap', 'master', 'master']);
  });

  it('does not start on a status from before a change of settings', async () => {
    await cluster.ready();
    running.evaluation = async () => {
      await running.store.append(`validation-${cluster.id}`, 0, [
        {
          id: randomUUID(),
          type: 'ClusterOutcomesChanged',
          data: { clusterId: cluster.id, conditions: { ...READY, requiredPassed: false }, changed: [], at: '' },
          metadata: { commandId: randomUUID(), correlationId: 'c', actor: 'played', occurredAt: '' },
        },
      ]);
      return running.store.head();
    };
    await expect(cluster.install()).rejects.toMatchObject({ refusal: { code: 'not-allowed-in-state' } });
    await running.settled();
    expect(await status()).toBe('insufficient');
  });

  it('assigns the suggested roles, weakest hosts first as workers, and selects one bootstrap host', async () => {
    await cluster.register();
    await cluster.registerInfraEnv();
    const keys: HostKey[] = [];
    for (const cpuCount of [32, 8, 8, 16, 8]) {
      const key = await cluster.registerHost();
      await cluster.reportInventory(key, 1, { cpuCount });
      await cluster.evaluateHostOutcomes(key);
      keys.push(key);
    }
    await cluster.evaluate();
    const suggested = await Promise.all(keys.map((key) => running.host(key)));
    expect(suggested.map(({ role, suggestedRole }) => `${role} ${suggestedRole}`)).toEqual([
      'auto-assign worker',
      'auto-assign master',
      'auto-assign master',
      'auto-assign worker',
      'auto-assign master',
    ]);
    await cluster.install();
    const hosts = await Promise.all(keys.map((key) => running.host(key)));
    expect(hosts.map(({ role }) => role)).toEqual(['worker', 'master', 'master', 'worker', 'master']);
    const bootstraps = hosts.filter(({ isBootstrap }) => isBootstrap);
    expect(bootstraps).toMatchObject([{ role: 'master' }]);
    expect((await running.cluster(cluster.id)).bootstrapHostId).toBe(bootstraps[0]?.hostId);
  });

  it('suggests other roles when other operators are selected, because the control plane has to run them', async () => {
    await cluster.register();
    await cluster.registerInfraEnv();
    const keys: HostKey[] = [];
    for (const cpuCount of [32, 8, 7, 16, 8]) {
      const key = await cluster.registerHost();
      await cluster.reportInventory(key, 1, { cpuCount, hasVirtualization: true });
      keys.push(key);
    }
    const suggested = async () => Promise.all(keys.map(async (key) => (await running.host(key)).suggestedRole));
    const choose = (...names: readonly string[]) =>
      running.ask(method.reviseCluster, {
        clusterId: cluster.id,
        changes: { olmOperators: { items: names.map((name) => ({ name, properties: '', sourceBundles: [] })) } },
      });
    expect(await suggested()).toEqual(['worker', 'master', 'master', 'worker', 'master']);
    await choose('cnv');
    await running.settled();
    expect(await suggested()).toEqual(['worker', 'master', 'worker', 'master', 'master']);
    await choose();
    await running.settled();
    expect(await suggested()).toEqual(['worker', 'master', 'master', 'worker', 'master']);
  });

  it('suggests no roles until every host has an inventory', async () => {
    await cluster.register();
    await cluster.registerInfraEnv();
    const [first, second] = [await cluster.registerHost(), await cluster.registerHost()];
    await cluster.reportInventory(first);
    expect((await running.host(first)).suggestedRole).toBe('');
    await cluster.reportInventory(second);
    expect((await running.host(first)).suggestedRole).toBe('master');
    expect((await running.host(second)).suggestedRole).toBe('master');
  });

  it('derives the machine networks from the VIPs and the hosts', async () => {
    await cluster.register();
    await cluster.registerInfraEnv();
    await cluster.reportInventory(await cluster.registerHost());
    expect((await running.cluster(cluster.id)).settings.machineNetworks?.items).toEqual(['192.0.2.0/24']);
  });

  it('changes nothing when the install command is refused', async () => {
    const keys = await cluster.ready();
    const [first] = keys;
    if (!first) throw new Error('there are three hosts');
    await cluster.evaluateHostOutcomes(first, { ...SUFFICIENT, sufficientForInstall: false });
    const before = await running.allEvents();
    await expect(cluster.install()).rejects.toMatchObject({ refusal: { code: 'not-ready', subject: 'hosts' } });
    expect(await running.allEvents()).toEqual(before);

    await cluster.evaluate({ ...READY, requiredPassed: false });
    await expect(cluster.install()).rejects.toMatchObject({ refusal: { code: 'not-allowed-in-state' } });
    for (const key of keys) expect((await running.host(key)).role).toBe('auto-assign');
  });

  it('starts once for a repeated install command', async () => {
    await cluster.ready();
    const request = asUser();
    const first = await running.ask(method.installCluster, { clusterId: cluster.id }, request);
    const before = await running.allEvents();
    const again = await running.ask(method.installCluster, { clusterId: cluster.id }, request);
    expect(again.stored?.revision).toBe(first.stored?.revision);
    expect(await running.allEvents()).toEqual(before);
  });

  it('selects the bootstrap host after a crash before the selection', async () => {
    const [key] = await cluster.ready();
    if (!key) throw new Error('there are three hosts');
    await running.stopService();
    const at = new Date(running.clock.nowMs()).toISOString();
    const { hostId: bootstrapHostId } = parseHostKey(key);
    const status = 'preparing-for-installation';
    await running.append(
      streamIdOf('cluster', cluster.id),
      { type: 'InstallationPreparationStarted', data: { attempt: 1, bootstrapHostId, at } },
      {
        type: 'ClusterEnteredStatus',
        data: { status, from: 'ready', transition: 't', at, deadline: '' },
      },
    );
    await running.startService();
    await running.settled();
    expect((await running.host(key)).isBootstrap).toBe(true);
  });

  it('returns the cluster to ready with the reason when the artifacts cannot be created', async () => {
    const keys = await cluster.ready();
    await cluster.install();
    await cluster.artifactsFailed('the release cannot be read');
    const state = await running.cluster(cluster.id);
    expect(state).toMatchObject({ status: 'ready', preparationReason: 'the release cannot be read' });
    expect(await running.statuses(...keys)).toEqual(['known', 'known', 'known']);
  });

  it('ignores artifacts of an earlier attempt', async () => {
    const keys = await cluster.ready();
    await cluster.install();
    await cluster.artifactsFailed('once');
    await cluster.install();
    await cluster.artifactsPrepared(1);
    for (const key of keys) await cluster.evaluateHostOutcomes(key, PREPARED);
    expect(await running.cluster(cluster.id)).toMatchObject({
      status: 'preparing-for-installation',
      preparation: 'pending',
    });
    await cluster.artifactsPrepared(2);
    expect(await status()).toBe('installing');
  });

  it('waits for a host that registers again during the preparation', async () => {
    const keys = await cluster.ready();
    const [first] = keys;
    if (!first) throw new Error('there are three hosts');
    await cluster.install();
    await cluster.artifactsPrepared();
    await cluster.evaluateHostOutcomes(first, PREPARED);
    const [, hostId] = first.split('.');
    await cluster.registerHost(hostId);
    expect(await running.types(streamIdOf('cluster', cluster.id))).toContain('InstallationPreparationUndone');
    for (const key of keys) await cluster.evaluateHostOutcomes(key, PREPARED);
    expect(await status()).toBe('installing');
  });

  it('continues with the reports of hosts until it is complete', async () => {
    const keys = await cluster.installing();
    for (const key of keys) await cluster.progress(key, 'Starting installation');
    expect(await running.statuses(...keys)).toEqual(Array(3).fill('installing-in-progress'));
    const first = (await running.cluster(cluster.id)).progress;
    for (const key of keys) await cluster.progress(key, 'Writing image to disk', '50%');
    const second = (await running.cluster(cluster.id)).progress;
    expect(second.installing).toBeGreaterThan(first.installing);

    for (const key of keys) for (const stage of ['Rebooting', 'Joined', 'Done']) await cluster.progress(key, stage);
    expect(await running.statuses(...keys)).toEqual(['installed', 'installed', 'installed']);
    expect(await status()).toBe('finalizing');

    await running.ask(method.reachFinalizingStage, { clusterId: cluster.id, stage: 'Waiting for cluster operators' });
    await running.ask(method.reportOperatorStatus, {
      clusterId: cluster.id,
      name: 'console',
      status: 'available',
      statusInfo: 'a'.repeat(20_000),
      version: '4.18.3',
    });
    const { operators } = await running.cluster(cluster.id);
    expect(operators.map(({ statusInfo }) => statusInfo.length)).toContain(TEXT_CHARACTERS_MAX);
    await running.append(streamIdOf('artifact', cluster.id), {
      type: 'IngressCaAccepted',
      data: { clusterId: cluster.id, kubeconfig: { name: 'kubeconfig', sealed: true } },
    });
    expect(await running.cluster(cluster.id)).toMatchObject({
      status: 'installed',
      hasKubeconfig: true,
      progress: { total: 100 },
    });

    await running.ask(method.allowAddHosts, { clusterId: cluster.id });
    expect(await running.cluster(cluster.id)).toMatchObject({ status: 'adding-hosts', kind: 'AddHostsCluster' });
  });

  it('accepts a kubeconfig that arrived before the hosts were installed', async () => {
    const keys = await cluster.installing();
    await running.append(streamIdOf('artifact', cluster.id), {
      type: 'IngressCaAccepted',
      data: { clusterId: cluster.id },
    });
    for (const key of keys) for (const stage of ['Rebooting', 'Done']) await cluster.progress(key, stage);
    expect(await running.cluster(cluster.id)).toMatchObject({ status: 'finalizing', hasKubeconfig: true });
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
    const state = await running.cluster(cluster.id);
    expect(state.status).toBe('installing');
    expect(state.settings).toMatchObject({
      machineNetworks: { items: ['192.0.2.0/24'] },
      apiVips: { items: ['192.0.2.11'] },
      ingressVips: { items: ['192.0.2.11'] },
    });
  });

  it('stores fewer than 400 events for a cluster of three hosts', async () => {
    const before = (await running.allEvents()).length;
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
    expect((await running.allEvents()).length - before).toBeLessThan(400);
  });
});
