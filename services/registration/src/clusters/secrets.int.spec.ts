import { RegistrationService, streamIdOf } from '@muster/contracts';
import { CLUSTER_SETTINGS, OWNER, TestCluster, PULL_SECRET } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

const { method } = RegistrationService;

describe('secrets of clusters and infra-envs', () => {
  let running: RunningRegistration;
  let cluster: TestCluster;
  beforeAll(async () => (running = await RunningRegistration.start()));
  beforeEach(() => (cluster = new TestCluster(running)));
  afterAll(() => running.stop());

  const secret = async (scope: string) => (await running.platform.secrets.open(scope, 'pull-secret'))?.toString();
  const OTHER_SECRET = '{"auths":{"quay.io":{"auth":"b3RoZXI="}}}';

  it('masks users and passwords of proxies in events, and shows that another password was set', async () => {
    await cluster.register();
    const { id: clusterId } = cluster;
    const revise = (httpProxy: string, httpsProxy = '') =>
      running.ask(method.reviseCluster, { clusterId, changes: { proxy: { httpProxy, httpsProxy, noProxy: '.lan' } } });
    const proxy = async () => (await running.cluster(clusterId)).settings.proxy;
    const sealed = async () => {
      const name = (await proxy())?.sealedAs;
      return name && (await running.platform.secrets.open(clusterId, name))?.toString();
    };
    await revise('http://bob:canary-1@proxy:3128', 'http://plain');
    const first = await proxy();
    expect(first).toMatchObject({ httpProxy: 'http://*****@proxy:3128', httpsProxy: 'http://plain', noProxy: '.lan' });
    expect(await sealed()).toBe('{"httpProxy":"http://bob:canary-1@proxy:3128","httpsProxy":"http://plain"}');

    // The masked value is sent back, and the same value again: nothing changed.
    await revise('http://*****@proxy:3128', 'http://plain');
    await revise('http://bob:canary-1@proxy:3128', 'http://plain');
    expect(await proxy()).toEqual(first);
    await revise('http://*****@proxy:3128', 'http://bob:canary-2@other');
    expect(await sealed()).toBe(
      '{"httpProxy":"http://bob:canary-1@proxy:3128","httpsProxy":"http://bob:canary-2@other"}',
    );
    await expect(revise('http://*****@another:3128')).rejects.toMatchObject({
      refusal: {
        code: 'invalid-input',
        subject: 'http_proxy',
        reason: expect.stringContaining('none are stored for this address'),
      },
    });
    await expect(revise('http://bob:canary-3@proxy:99999')).rejects.toMatchObject({
      refusal: { code: 'invalid-input', reason: expect.not.stringContaining('canary') },
    });
    // With one of these, the URL ends before the password, or has an escape that cannot be read.
    for (const character of ['#', '?', '%'])
      await expect(revise(`http://bob:${character}-canary-3@proxy:3128`)).rejects.toMatchObject({
        refusal: { code: 'invalid-input', subject: 'http_proxy', reason: expect.not.stringContaining('canary') },
      });
    await revise('http://bob:canary-4@proxy:3128');
    expect((await proxy())?.sealedAs).not.toBe(first?.sealedAs);
    await revise('http://proxy:3128');
    expect(await proxy()).toEqual({ httpProxy: 'http://proxy:3128', httpsProxy: '', noProxy: '.lan' });
    expect(JSON.stringify(await running.allEvents())).not.toContain('canary');
  });

  it.each(['cluster', 'infra-env'])(
    'keeps the fields of the proxy of a %s that a revision does not contain, with their credentials',
    async (owner) => {
      await cluster.register();
      await cluster.registerInfraEnv();
      const { id: clusterId, infraEnvId } = cluster;
      const scope = owner === 'cluster' ? clusterId : infraEnvId;
      const revise = (proxy: object) =>
        owner === 'cluster'
          ? running.ask(method.reviseCluster, { clusterId, changes: { proxy } })
          : running.ask(method.reviseInfraEnv, { infraEnvId, changes: { proxy } });
      const proxy = async () =>
        (await (owner === 'cluster' ? running.cluster(clusterId) : running.infraEnv(infraEnvId))).settings.proxy;
      const sealed = async () => {
        const name = (await proxy())?.sealedAs ?? 'none';
        return (await running.platform.secrets.open(scope, name))?.toString();
      };
      await revise({ httpProxy: 'http://bob:canary-1@proxy:3128', httpsProxy: 'http://bob:canary-2@proxy:3129' });
      const first = await proxy();
      await revise({ noProxy: '.lan' });
      expect(await proxy()).toEqual({ ...first, noProxy: '.lan' });
      await revise({});
      expect(await proxy()).toEqual({ ...first, noProxy: '.lan' });
      await revise({ httpsProxy: '' });
      expect(await proxy()).toMatchObject({ httpProxy: 'http://*****@proxy:3128', httpsProxy: '', noProxy: '.lan' });
      expect(await sealed()).toBe('{"httpProxy":"http://bob:canary-1@proxy:3128","httpsProxy":""}');
      // Revisions that arrive together do not lose the fields of each other.
      await Promise.all([revise({ httpsProxy: 'http://bob:canary-3@proxy:3129' }), revise({ noProxy: '.wan' })]);
      expect(await proxy()).toMatchObject({ httpsProxy: 'http://*****@proxy:3129', noProxy: '.wan' });
      expect(await sealed()).toContain('bob:canary-3');
      await revise({ httpProxy: '', httpsProxy: '' });
      expect(await proxy()).toEqual({ httpProxy: '', httpsProxy: '', noProxy: '.wan' });
    },
  );

  it('keeps the secret of an existing cluster or infra-env when its id is registered again', async () => {
    await cluster.register();
    await cluster.registerInfraEnv();
    const again = { settings: CLUSTER_SETTINGS, owner: OWNER, pullSecret: OTHER_SECRET };
    const refusal = { code: 'already-exists' };
    await expect(running.ask(method.registerCluster, { ...again, clusterId: cluster.id })).rejects.toMatchObject({
      refusal,
    });
    const image = { infraEnvId: cluster.infraEnvId, settings: { name: 'i' }, pullSecret: OTHER_SECRET };
    await expect(running.ask(method.registerInfraEnv, image)).rejects.toMatchObject({ refusal });
    expect(await secret(cluster.id)).toBe(PULL_SECRET);
    expect(await secret(cluster.infraEnvId)).toBe(PULL_SECRET);
  });

  it('replaces a secret with an accepted change, and keeps it after a refused one', async () => {
    const { id: clusterId, infraEnvId } = cluster;
    await cluster.register();
    await cluster.registerInfraEnv();
    await running.ask(method.reviseCluster, { clusterId, changes: {}, pullSecret: OTHER_SECRET });
    await running.ask(method.reviseInfraEnv, { infraEnvId, changes: {}, pullSecret: OTHER_SECRET });
    expect([await secret(clusterId), await secret(infraEnvId)]).toEqual([OTHER_SECRET, OTHER_SECRET]);
    const wrong = { changes: { name: '' }, pullSecret: PULL_SECRET };
    await expect(running.ask(method.reviseCluster, { clusterId, ...wrong })).rejects.toThrow();
    await expect(running.ask(method.reviseInfraEnv, { infraEnvId, ...wrong })).rejects.toThrow();
    expect([await secret(clusterId), await secret(infraEnvId)]).toEqual([OTHER_SECRET, OTHER_SECRET]);
  });

  it('stores the secret before the event that refers to it', async () => {
    running.brokenStreams.add(streamIdOf('cluster', cluster.id));
    await expect(cluster.register()).rejects.toMatchObject({ refusal: { code: 'internal' } });
    running.brokenStreams.clear();
    expect(await secret(cluster.id)).toBe(PULL_SECRET);
    expect(await running.events(streamIdOf('cluster', cluster.id))).toEqual([]);
  });

  it('deletes an infra-env with its secrets when it has no hosts', async () => {
    const { infraEnvId } = cluster;
    await cluster.register();
    await cluster.registerInfraEnv();
    const key = await cluster.registerHost();
    const remove = () => running.ask(method.deregisterInfraEnv, { infraEnvId });
    await expect(remove()).rejects.toMatchObject({ refusal: { code: 'invalid-input', subject: 'hosts' } });
    expect(await secret(infraEnvId)).toBe(PULL_SECRET);
    await running.ask(method.deregisterHost, { infraEnvId, hostId: key.split('.')[1] });
    await remove();
    expect((await running.infraEnv(infraEnvId)).status).toBe('deregistered');
    expect(await secret(infraEnvId)).toBeUndefined();
  });

  it('destroys the secrets of a deleted infra-env after a crash before that', async () => {
    const { infraEnvId } = cluster;
    await cluster.registerInfraEnv('');
    await running.stopService();
    await running.append(streamIdOf('infraEnv', infraEnvId), { type: 'InfraEnvDeregistered', data: {} });
    await running.startService();
    await running.settled();
    expect(await secret(infraEnvId)).toBeUndefined();
  });

  it('adds no secret to events or the log, in any order of commands', async () => {
    await cluster.installing();
    const written = JSON.stringify(await running.allEvents()) + running.log.join('\n');
    expect(written).toContain('ClusterRegistered');
    for (const canary of ['Y2FuYXJ5', 'b3RoZXI=', 'auths']) expect(written).not.toContain(canary);
  });
});
