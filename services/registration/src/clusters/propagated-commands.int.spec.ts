import { randomUUID } from 'node:crypto';
import { hostKeyOf, parseHostKey, RegistrationService, streamIdOf } from '@muster/contracts';
import { START_OF_STORE } from '@muster/ports';
import { TestCluster, READY, SUFFICIENT } from '../cluster.fixture.spec';
import { asUser, RunningRegistration } from '../running-registration.fixture.spec';

const { method } = RegistrationService;

describe('commands that are propagated to hosts', () => {
  let running: RunningRegistration;
  let cluster: TestCluster;
  beforeAll(async () => (running = await RunningRegistration.start()));
  beforeEach(() => (cluster = new TestCluster(running)));
  afterAll(() => running.stop());

  const order = (name: 'cancelInstallation' | 'resetCluster' | 'deregisterCluster', context = asUser()) =>
    running.ask(method[name], { clusterId: cluster.id }, context);
  const secret = (scope: string) => running.platform.secrets.open(scope, 'pull-secret');

  it('cancel the cluster and then its hosts, once for a repeated command', async () => {
    const keys = await cluster.installing();
    const said = asUser();
    const first = await order('cancelInstallation', said);
    expect((await running.cluster(cluster.id)).status).toBe('cancelled');
    expect(await running.statuses(...keys)).toEqual(['cancelled', 'cancelled', 'cancelled']);
    const before = await running.allEvents();
    expect(first.stored?.position).toBe(before.at(-1)?.position);
    const repeated = await order('cancelInstallation', said);
    expect(repeated.stored?.revision).toBe(first.stored?.revision);
    expect(await running.allEvents()).toEqual(before);
  });

  it('return hosts to known when no disk was written', async () => {
    const keys = await cluster.ready();
    await cluster.install();
    await order('cancelInstallation');
    expect((await running.cluster(cluster.id)).status).toBe('ready');
    expect(await running.statuses(...keys)).toEqual(['known', 'known', 'known']);
  });

  it('store nothing when the status of one host does not permit the command, and name that host', async () => {
    const [first] = await cluster.ready();
    if (!first) throw new Error('there are three hosts');
    await cluster.install();
    // The cluster has not received the event about the lost host yet.
    running.brokenStreams.add(streamIdOf('cluster', cluster.id));
    await cluster.evaluateHostOutcomes(first, { ...SUFFICIENT, connected: false });
    expect((await running.host(first)).status).toBe('disconnected');
    running.brokenStreams.clear();
    const before = await running.allEvents();
    for (const name of ['cancelInstallation', 'resetCluster'] as const) {
      await expect(order(name)).rejects.toMatchObject({
        refusal: { code: 'host-refuses', reason: expect.stringContaining('(disconnected)') },
      });
    }
    expect(await running.allEvents()).toEqual(before);
  });

  it('reset a cluster whose hosts must boot again, and accept them when they register', async () => {
    const keys = await cluster.installing();
    await order('cancelInstallation');
    await order('resetCluster');
    // Validation results of hosts that are gone.
    await cluster.evaluate({ ...READY, requiredPassed: false });
    expect(await running.cluster(cluster.id)).toMatchObject({ status: 'insufficient', openshiftClusterId: '' });
    expect(await running.statuses(...keys)).toEqual(Array(3).fill('resetting-pending-user-action'));
    running.clock.advance(1_000);
    for (const key of keys) await cluster.registerHost(parseHostKey(key).hostId);
    expect(await running.statuses(...keys)).toEqual(['discovering', 'discovering', 'discovering']);
  });

  it('do not set a cluster to ready after a reset before it is evaluated again', async () => {
    await cluster.installing();
    await order('cancelInstallation');
    running.evaluatedPosition = Number.MAX_SAFE_INTEGER;
    await order('resetCluster');
    running.evaluatedPosition = START_OF_STORE;
    await cluster.evaluate({ ...READY, requiredPassed: false });
    const entered = (await running.events(streamIdOf('cluster', cluster.id))).filter(
      ({ type }) => type === 'ClusterEnteredStatus',
    );
    expect(entered.slice(-2).map(({ data }) => data['status'])).toEqual(['cancelled', 'insufficient']);
  });

  it.each([
    ['InstallationCancelled', 'cancelled', 'cancelled'],
    ['ClusterReset', 'insufficient', 'resetting-pending-user-action'],
  ] as const)('are propagated to hosts after a crash right after %s', async (type, clusterStatus, hostStatus) => {
    const keys = await cluster.installing();
    await running.stopService();
    running.clock.advance(1_000);
    const at = new Date(running.clock.nowMs()).toISOString();
    const commandId = `crashed-${type}`;
    const entered = { status: clusterStatus, from: 'installing', transition: 't', at, deadline: '' };
    await running.append(
      streamIdOf('cluster', cluster.id),
      { type, data: { reason: 'r' }, commandId },
      { type: 'ClusterEnteredStatus', data: entered, commandId },
    );
    await running.startService();
    await running.settled();
    expect(await running.statuses(...keys)).toEqual([hostStatus, hostStatus, hostStatus]);
    const head = await running.store.head();
    await running.restart();
    await running.settled();
    expect(await running.store.head()).toBe(head);
  });

  it.each([
    ['one second after it', 1_000],
    ['in the same millisecond', 0],
  ])('do not affect a host that registered between the command and the crash, %s', async (_when, laterMs) => {
    const [first, ...others] = await cluster.installing();
    if (!first) throw new Error('there are three hosts');
    await running.stopService();
    const data = { reason: 'r' };
    await running.append(streamIdOf('cluster', cluster.id), { type: 'ClusterReset', data, commandId: 'crashed' });
    running.clock.advance(laterMs);
    const at = new Date(running.clock.nowMs()).toISOString();
    const again = { kind: 'Host', clusterId: cluster.id, discoveryAgentVersion: '', inventoryKept: false, at };
    const entered = { status: 'discovering', from: 'installing', transition: 't', at, cause: '' };
    await running.append(
      streamIdOf('host', first),
      { type: 'HostReregistered', data: again },
      { type: 'HostEnteredStatus', data: entered },
    );
    await running.startService();
    await running.settled();
    expect(await running.statuses(first, ...others)).toEqual([
      'discovering',
      'resetting-pending-user-action',
      'resetting-pending-user-action',
    ]);
  });

  it('cancel the other hosts when the events of one host cannot be stored, and that host later', async () => {
    const [first, ...others] = await cluster.installing();
    if (!first) throw new Error('there are three hosts');
    running.brokenStreams.add(streamIdOf('host', first));
    await order('cancelInstallation');
    expect(await running.statuses(first, ...others)).toEqual(['installing', 'cancelled', 'cancelled']);
    running.brokenStreams.clear();
    await running.restart();
    await running.settled();
    expect((await running.host(first)).status).toBe('cancelled');
  });

  it('remove the hosts of the infra-env of a deleted cluster, and its secrets', async () => {
    const keys = await cluster.ready();
    expect(await secret(cluster.id)).toBeDefined();
    await order('deregisterCluster');
    expect(await running.statuses(...keys)).toEqual(['unregistered', 'unregistered', 'unregistered']);
    expect(await secret(cluster.id)).toBeUndefined();
    expect(await secret(cluster.infraEnvId)).toBeDefined();
    await expect(cluster.registerHost()).rejects.toMatchObject({ refusal: { code: 'cluster-does-not-accept-hosts' } });
  });

  it('unbind the late-bound hosts of a deleted cluster', async () => {
    await cluster.register();
    const pool = new TestCluster(running);
    await pool.registerInfraEnv('');
    const key = await pool.knownHost();
    expect((await running.host(key)).status).toBe('known-unbound');
    await running.ask(method.bindHost, { ...parseHostKey(key), clusterId: cluster.id });
    await pool.registerHost(parseHostKey(key).hostId);
    expect(await running.host(key)).toMatchObject({ status: 'discovering', clusterId: cluster.id });
    await order('deregisterCluster');
    expect(await running.host(key)).toMatchObject({ status: 'unbinding', clusterId: '' });
  });

  it('unbind a late-bound host later when its status did not permit it immediately', async () => {
    await cluster.register();
    const pool = new TestCluster(running);
    await pool.registerInfraEnv('');
    const key = await pool.knownHost();
    await running.ask(method.bindHost, { ...parseHostKey(key), clusterId: cluster.id });
    await order('deregisterCluster');
    expect((await running.host(key)).status).toBe('binding');
    running.clock.advance(1_000);
    await pool.registerHost(parseHostKey(key).hostId);
    expect(await running.host(key)).toMatchObject({ status: 'unbinding', clusterId: '' });
  });

  it('remove a host whose registration was stored after the deletion of its cluster without hosts', async () => {
    await cluster.register();
    await cluster.registerInfraEnv();
    await order('deregisterCluster');
    const key = hostKeyOf(cluster.infraEnvId, randomUUID());
    const at = new Date(running.clock.nowMs()).toISOString();
    const place = { ...parseHostKey(key), clusterId: cluster.id, kind: 'Host', role: 'auto-assign' };
    const registered = { ...place, bootstrap: false, discoveryAgentVersion: '', machineConfigPoolName: '', at };
    await running.append(
      streamIdOf('host', key),
      { type: 'HostRegistered', data: registered },
      { type: 'HostEnteredStatus', data: { status: 'discovering', from: '', transition: 't', at, cause: '' } },
    );
    expect(await running.host(key)).toMatchObject({ status: 'unregistered', clusterId: '' });
  });

  it('unbind a host that was bound after the deletion of its cluster without hosts', async () => {
    await cluster.register();
    const pool = new TestCluster(running);
    await pool.registerInfraEnv('');
    const key = await pool.knownHost();
    await order('deregisterCluster');
    const at = new Date(running.clock.nowMs()).toISOString();
    await running.append(
      streamIdOf('host', key),
      { type: 'HostBound', data: { clusterId: cluster.id } },
      { type: 'HostEnteredStatus', data: { status: 'binding', from: 'known-unbound', transition: 't', at, cause: '' } },
    );
    running.clock.advance(1_000);
    await pool.registerHost(parseHostKey(key).hostId);
    expect(await running.host(key)).toMatchObject({ status: 'unbinding', clusterId: '' });
  });

  it('destroy the secrets of a deleted cluster after a crash before that', async () => {
    await cluster.register();
    await running.stopService();
    await running.append(streamIdOf('cluster', cluster.id), { type: 'ClusterDeregistered', data: {} });
    expect(await secret(cluster.id)).toBeDefined();
    await running.startService();
    await running.settled();
    expect(await secret(cluster.id)).toBeUndefined();
  });

  it('refuse to delete a cluster whose hosts are being installed', async () => {
    await cluster.installing();
    await expect(order('deregisterCluster')).rejects.toMatchObject({ refusal: { code: 'not-allowed-in-state' } });
    expect(await secret(cluster.id)).toBeDefined();
  });
});
