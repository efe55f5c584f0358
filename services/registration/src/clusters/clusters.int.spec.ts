import { randomUUID } from 'node:crypto';
import { RegistrationService, streamIdOf } from '@muster/contracts';
import { CLUSTER_SETTINGS, OWNER, PlayedCluster, PULL_SECRET } from '../played-cluster.fixture.spec';
import { asPerson, RegistrationBench } from '../running-registration.fixture.spec';

const { method } = RegistrationService;

describe('clusters and infra-envs', () => {
  let bench: RegistrationBench;
  let cluster: PlayedCluster;
  beforeAll(async () => (bench = await RegistrationBench.start()));
  beforeEach(() => (cluster = new PlayedCluster(bench)));
  afterAll(() => bench.stop());

  const secret = async (scope: string) => (await bench.platform.secrets.open(scope, 'pull-secret'))?.toString();
  const OTHER_SECRET = '{"auths":{"quay.io":{"auth":"b3RoZXI="}}}';

  it('registers a cluster with its defaults, its owner and its user', async () => {
    await cluster.register();
    expect(await bench.cluster(cluster.id)).toMatchObject({
      status: 'pending-for-input',
      owner: OWNER,
      pullSecretSet: true,
      settings: { name: 'ocp', networkType: 'OVNKubernetes' },
    });
    const [registered] = await bench.events(streamIdOf('cluster', cluster.id));
    expect(registered?.metadata).toMatchObject({ actor: 'user:alice', org: 'org-1', user: 'alice' });
    expect(await secret(cluster.id)).toBe(PULL_SECRET);
  });

  it('does a repeated command once, whatever it is', async () => {
    await cluster.ready();
    const { id: clusterId, infraEnvId } = cluster;
    const repeated = async (ask: (context: ReturnType<typeof asPerson>) => Promise<unknown>) => {
      const context = asPerson();
      const first = await ask(context);
      const before = await bench.allEvents();
      expect(await ask(context)).toEqual(first);
      expect(await bench.allEvents()).toEqual(before);
    };
    const otherId = randomUUID();
    const settings = { ...CLUSTER_SETTINGS, name: 'other' };
    await repeated((context) =>
      bench.ask(method.registerCluster, { clusterId: otherId, settings, owner: OWNER, pullSecret: 'x' }, context),
    );
    await repeated((context) => bench.ask(method.reviseCluster, { clusterId, changes: { tags: 'a' } }, context));
    const image = { infraEnvId: randomUUID(), settings: { name: 'i' }, owner: OWNER, pullSecret: 'x' };
    await repeated((context) => bench.ask(method.registerInfraEnv, image, context));
    await repeated((context) =>
      bench.ask(method.reviseInfraEnv, { infraEnvId, changes: { sshAuthorizedKey: '' } }, context),
    );
    await repeated((context) => bench.ask(method.deregisterInfraEnv, { infraEnvId: image.infraEnvId }, context));
    await repeated((context) => bench.ask(method.recordClusterLogs, { clusterId, logsState: 'requested' }, context));
    await repeated((context) => bench.ask(method.deregisterCluster, { clusterId: otherId }, context));
  });

  it('keeps users and passwords of proxies out of the facts, and tells that another one was given', async () => {
    await cluster.register();
    const { id: clusterId } = cluster;
    const revise = (httpProxy: string, httpsProxy = '') =>
      bench.ask(method.reviseCluster, { clusterId, changes: { proxy: { httpProxy, httpsProxy, noProxy: '.lan' } } });
    const proxy = async () => (await bench.cluster(clusterId)).settings.proxy;
    const sealed = async () => {
      const name = (await proxy())?.sealedAs;
      return name && (await bench.platform.secrets.open(clusterId, name))?.toString();
    };
    await revise('http://bob:canary-1@proxy:3128', 'http://plain');
    const first = await proxy();
    expect(first).toMatchObject({ httpProxy: 'http://*****@proxy:3128', httpsProxy: 'http://plain', noProxy: '.lan' });
    expect(await sealed()).toBe('{"httpProxy":"http://bob:canary-1@proxy:3128","httpsProxy":"http://plain"}');

    // What was shown comes back, and the same again: nothing has changed.
    await revise('http://*****@proxy:3128', 'http://plain');
    await revise('http://bob:canary-1@proxy:3128', 'http://plain');
    expect(await proxy()).toEqual(first);
    await revise('http://*****@proxy:3128', 'http://bob:canary-2@other');
    expect(await sealed()).toBe(
      '{"httpProxy":"http://bob:canary-1@proxy:3128","httpsProxy":"http://bob:canary-2@other"}',
    );
    await expect(revise('http://*****@another:3128')).rejects.toMatchObject({
      refusal: { code: 'invalid-input', subject: 'http_proxy' },
    });
    await expect(revise('http://bob:canary-3@proxy:99999')).rejects.toMatchObject({
      refusal: { code: 'invalid-input', reason: expect.not.stringContaining('canary') },
    });
    await revise('http://bob:canary-4@proxy:3128');
    expect((await proxy())?.sealedAs).not.toBe(first?.sealedAs);
    await revise('http://proxy:3128');
    expect(await proxy()).toEqual({ httpProxy: 'http://proxy:3128', httpsProxy: '', noProxy: '.lan' });
    expect(JSON.stringify(await bench.allEvents())).not.toContain('canary');
  });

  it('asks for nothing that does not exist', async () => {
    const clusterId = randomUUID();
    const before = await bench.allEvents();
    for (const name of [
      'reviseCluster',
      'deregisterCluster',
      'installCluster',
      'cancelInstallation',
      'resetCluster',
      'allowAddHosts',
      'reachFinalizingStage',
      'reportOperatorStatus',
      'recordClusterLogs',
    ] as const)
      await expect(bench.ask(method[name], { clusterId })).rejects.toMatchObject({ refusal: { code: 'not-found' } });
    for (const name of ['reviseInfraEnv', 'deregisterInfraEnv'] as const)
      await expect(bench.ask(method[name], { infraEnvId: randomUUID() })).rejects.toMatchObject({
        refusal: { code: 'not-found' },
      });
    expect(await bench.allEvents()).toEqual(before);
  });

  it.each([
    ['a kind that is none', { kind: 'Zoo' }, { code: 'invalid-input', subject: 'kind' }],
    ['settings that cannot be', { settings: { name: '' } }, { code: 'invalid-input' }],
  ])('refuses %s and seals nothing', async (_case, request, refusal) => {
    await expect(cluster.register({}, request)).rejects.toMatchObject({ refusal });
    expect(await bench.events(streamIdOf('cluster', cluster.id))).toEqual([]);
    expect(await secret(cluster.id)).toBeUndefined();
  });

  it('keeps the secret of an existing cluster or infra-env when its id is registered again', async () => {
    await cluster.register();
    await cluster.registerInfraEnv();
    const again = { settings: CLUSTER_SETTINGS, owner: OWNER, pullSecret: OTHER_SECRET };
    const refusal = { code: 'already-exists' };
    await expect(bench.ask(method.registerCluster, { ...again, clusterId: cluster.id })).rejects.toMatchObject({
      refusal,
    });
    const image = { infraEnvId: cluster.infraEnvId, settings: { name: 'i' }, pullSecret: OTHER_SECRET };
    await expect(bench.ask(method.registerInfraEnv, image)).rejects.toMatchObject({ refusal });
    expect(await secret(cluster.id)).toBe(PULL_SECRET);
    expect(await secret(cluster.infraEnvId)).toBe(PULL_SECRET);
  });

  it('replaces a secret with a change that is accepted, and keeps it with one that is not', async () => {
    const { id: clusterId, infraEnvId } = cluster;
    await cluster.register();
    await cluster.registerInfraEnv();
    await bench.ask(method.reviseCluster, { clusterId, changes: {}, pullSecret: OTHER_SECRET });
    await bench.ask(method.reviseInfraEnv, { infraEnvId, changes: {}, pullSecret: OTHER_SECRET });
    expect([await secret(clusterId), await secret(infraEnvId)]).toEqual([OTHER_SECRET, OTHER_SECRET]);
    const wrong = { changes: { name: '' }, pullSecret: PULL_SECRET };
    await expect(bench.ask(method.reviseCluster, { clusterId, ...wrong })).rejects.toThrow();
    await expect(bench.ask(method.reviseInfraEnv, { infraEnvId, ...wrong })).rejects.toThrow();
    expect([await secret(clusterId), await secret(infraEnvId)]).toEqual([OTHER_SECRET, OTHER_SECRET]);
  });

  it('has the secret before the fact says so', async () => {
    bench.brokenStreams.add(streamIdOf('cluster', cluster.id));
    await expect(cluster.register()).rejects.toMatchObject({ refusal: { code: 'internal' } });
    bench.brokenStreams.clear();
    expect(await secret(cluster.id)).toBe(PULL_SECRET);
    expect(await bench.events(streamIdOf('cluster', cluster.id))).toEqual([]);
  });

  it('changes settings only while nothing is installed', async () => {
    await cluster.installing();
    const change = { clusterId: cluster.id, changes: { name: 'late' } };
    await expect(bench.ask(method.reviseCluster, change)).rejects.toMatchObject({
      refusal: { code: 'not-allowed-in-state' },
    });
    await expect(bench.ask(method.allowAddHosts, { clusterId: cluster.id })).rejects.toMatchObject({
      refusal: { code: 'invalid-input' },
    });
    await expect(
      bench.ask(method.reachFinalizingStage, { clusterId: cluster.id, stage: 'Coffee' }),
    ).rejects.toMatchObject({ refusal: { code: 'invalid-input', subject: 'finalizing_stage' } });
    await expect(
      bench.ask(method.reportOperatorStatus, { clusterId: cluster.id, name: 'coffee', status: 'available' }),
    ).rejects.toMatchObject({ refusal: { code: 'not-found' } });
  });

  it('waits for the operators that were chosen and those that they bring along, until others are', async () => {
    await cluster.register();
    const { id: clusterId } = cluster;
    const waitedFor = async () => (await bench.cluster(clusterId)).operators.map(({ name }) => name);
    const choose = (...names: readonly string[]) =>
      bench.ask(method.reviseCluster, {
        clusterId,
        changes: { olmOperators: { items: names.map((name) => ({ name, properties: '', sourceBundles: [] })) } },
      });
    expect(await waitedFor()).toEqual(['console']);
    await choose('ocs', 'cnv');
    expect(await waitedFor()).toEqual(['console', 'lso', 'odf', 'cnv']);
    expect((await bench.cluster(clusterId)).operators[1]).toMatchObject({
      operatorType: 'olm',
      namespace: 'openshift-local-storage',
      subscriptionName: 'local-storage-operator',
      timeoutSeconds: 4200,
    });
    expect((await bench.cluster(clusterId)).settings.olmOperators?.items.map(({ name }) => name)).toEqual([
      'odf',
      'cnv',
    ]);
    await bench.ask(method.reviseCluster, { clusterId, changes: { tags: 'x' } });
    expect(await waitedFor()).toEqual(['console', 'lso', 'odf', 'cnv']);
    await expect(choose('coffee')).rejects.toMatchObject({
      refusal: { code: 'invalid-input', subject: 'olm_operators' },
    });
    await choose('mtv');
    expect(await waitedFor()).toEqual(['console', 'cnv', 'mtv']);
    await choose();
    expect(await waitedFor()).toEqual(['console']);
  });

  it('opens bundles into their operators and remembers them', async () => {
    await cluster.register();
    const { id: clusterId } = cluster;
    const operatorBundles = { items: [{ id: 'openshift-ai', optionalOperators: { items: ['nvidia-gpu'] } }] };
    await bench.ask(method.reviseCluster, { clusterId, changes: {}, operatorBundles });
    const { operators } = await bench.cluster(clusterId);
    expect(operators.find(({ name }) => name === 'nvidia-gpu')).toMatchObject({
      bundles: ['openshift-ai'],
      sourceBundles: ['openshift-ai'],
    });
    expect(operators.find(({ name }) => name === 'lso')).toMatchObject({ bundles: [], sourceBundles: [] });
    expect(operators.map(({ name }) => name)).not.toContain('amd-gpu');
    const unknown = { items: [{ id: 'coffee', optionalOperators: undefined }] };
    await expect(
      bench.ask(method.reviseCluster, { clusterId, changes: {}, operatorBundles: unknown }),
    ).rejects.toMatchObject({ refusal: { code: 'invalid-input', subject: 'operator_bundles' } });
  });

  it('ignores the validations that a user names, except those that cannot be ignored', async () => {
    await cluster.register();
    const { id: clusterId } = cluster;
    const ignore = (hostIds: string[], clusterIds: string[], ignoredValidationsReason = 'lab') =>
      bench.ask(method.reviseCluster, {
        clusterId,
        changes: {
          ignoredHostValidations: { items: hostIds },
          ignoredClusterValidations: { items: clusterIds },
          ignoredValidationsReason,
        },
      });
    await ignore(['ntp-synced'], ['all']);
    const revised = (await bench.events(streamIdOf('cluster', clusterId))).findLast(
      ({ type }) => type === 'ClusterSettingsRevised',
    );
    expect(revised).toMatchObject({
      type: 'ClusterSettingsRevised',
      data: { changes: { ignoredHostValidations: { items: ['ntp-synced'] }, ignoredValidationsReason: 'lab' } },
    });
    expect(revised?.metadata.actor).not.toBe('');
    await expect(ignore(['connected', 'ntp-synced', 'hostname-valid'], [])).rejects.toMatchObject({
      refusal: {
        code: 'invalid-input',
        subject: 'host-validation-ids',
        reason: expect.stringContaining('connected, hostname-valid') as string,
      },
    });
    await expect(ignore([], ['pull-secret-set'])).rejects.toMatchObject({ refusal: { code: 'invalid-input' } });
    await expect(ignore([], ['toString'])).rejects.toMatchObject({
      refusal: { code: 'invalid-input', allowed: expect.arrayContaining(['all', 'ntp-server-configured']) as string[] },
    });
    expect((await bench.cluster(clusterId)).settings.ignoredClusterValidations?.items).toEqual(['all']);
  });

  it('keeps logs and the state of their collection', async () => {
    await cluster.register();
    const { id: clusterId } = cluster;
    await bench.ask(method.recordClusterLogs, { clusterId, logsState: 'collecting' });
    const body = { digest: `sha256:${'0'.repeat(64)}`, bytes: 1 };
    await bench.ask(method.recordClusterLogs, { clusterId, logsType: 'controller', body });
    expect(await bench.cluster(clusterId)).toMatchObject({
      logsState: 'collecting',
      controllerLogsCollectedAt: expect.stringMatching(/^2024/),
    });
    await expect(bench.ask(method.recordClusterLogs, { clusterId, logsState: 'coffee' })).rejects.toMatchObject({
      refusal: { code: 'invalid-input' },
    });
  });

  it('makes an image only for a cluster that exists', async () => {
    await expect(cluster.registerInfraEnv()).rejects.toMatchObject({
      refusal: { code: 'not-found', subject: 'cluster_id' },
    });
    expect(await secret(cluster.infraEnvId)).toBeUndefined();
  });

  it('deletes an infra-env with its secrets once it has no hosts', async () => {
    const { infraEnvId } = cluster;
    await cluster.register();
    await cluster.registerInfraEnv();
    const key = await cluster.registerHost();
    const remove = () => bench.ask(method.deregisterInfraEnv, { infraEnvId });
    await expect(remove()).rejects.toMatchObject({ refusal: { code: 'invalid-input', subject: 'hosts' } });
    expect(await secret(infraEnvId)).toBe(PULL_SECRET);
    await bench.ask(method.deregisterHost, { infraEnvId, hostId: key.split('.')[1] });
    await remove();
    expect((await bench.infraEnv(infraEnvId)).status).toBe('deregistered');
    expect(await secret(infraEnvId)).toBeUndefined();
  });

  it('shreds the secrets of a deleted infra-env after a crash that came before that', async () => {
    const { infraEnvId } = cluster;
    await cluster.registerInfraEnv('');
    await bench.stopService();
    await bench.append(streamIdOf('infraEnv', infraEnvId), { type: 'InfraEnvDeregistered', data: {} });
    await bench.startService();
    await bench.settled();
    expect(await secret(infraEnvId)).toBeUndefined();
  });

  it('refuses images and choices that the rest of the cluster rules out', async () => {
    await cluster.ready();
    const { id: clusterId } = cluster;
    const oracle = randomUUID();
    const details = { external: { platform_name: 'oci' } };
    const noVips = { apiVips: { items: [] }, ingressVips: { items: [] } };
    const settings = { ...CLUSTER_SETTINGS, ...noVips, platformType: 'external', platformDetails: details };
    await bench.ask(method.registerCluster, { clusterId: oracle, settings, owner: OWNER, pullSecret: 'x' });
    const image = (imageType: string) => ({
      infraEnvId: randomUUID(),
      settings: { name: imageType, clusterId: oracle, imageType },
      owner: OWNER,
      pullSecret: 'x',
    });
    const refused = (subject: string) => ({ refusal: { code: 'invalid-input', subject } });
    await expect(bench.ask(method.registerInfraEnv, image('full-iso'))).rejects.toMatchObject(refused('image_type'));
    const minimal = image('minimal-iso');
    await bench.ask(method.registerInfraEnv, minimal);
    await expect(
      bench.ask(method.reviseInfraEnv, { infraEnvId: minimal.infraEnvId, changes: { imageType: 'full-iso' } }),
    ).rejects.toMatchObject(refused('image_type'));
    await expect(
      bench.ask(method.reviseCluster, { clusterId, changes: { networkType: 'OpenShiftSDN' } }),
    ).rejects.toMatchObject(refused('network_type'));
  });

  it('imports a cluster that takes hosts at once', async () => {
    const imported = { kind: 'AddHostsCluster', imported: true, pullSecret: '', openshiftClusterId: randomUUID() };
    const settings = { name: 'old', apiVipDnsName: 'api.old.example.com' };
    await bench.ask(method.registerCluster, { clusterId: cluster.id, settings, owner: OWNER, ...imported });
    expect(await bench.cluster(cluster.id)).toMatchObject({ status: 'adding-hosts', imported: true });
  });

  it('lets no secret into facts or the log, whatever came before', async () => {
    await cluster.installing();
    const written = JSON.stringify(await bench.allEvents()) + bench.log.join('\n');
    expect(written).toContain('ClusterRegistered');
    for (const canary of ['Y2FuYXJ5', 'b3RoZXI=', 'auths']) expect(written).not.toContain(canary);
  });
});
