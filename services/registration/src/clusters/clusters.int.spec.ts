import { randomUUID } from 'node:crypto';
import { rootCertificates } from 'node:tls';
import { RegistrationService, streamIdOf } from '@muster/contracts';
import { CLUSTER_SETTINGS, OWNER, TestCluster, PULL_SECRET } from '../cluster.fixture.spec';
import { asUser, RunningRegistration } from '../running-registration.fixture.spec';

const { method } = RegistrationService;

describe('clusters and infra-envs', () => {
  let running: RunningRegistration;
  let cluster: TestCluster;
  beforeAll(async () => (running = await RunningRegistration.start()));
  beforeEach(() => (cluster = new TestCluster(running)));
  afterAll(() => running.stop());

  const secret = async (scope: string) => (await running.platform.secrets.open(scope, 'pull-secret'))?.toString();

  it('registers a cluster with its defaults, its owner and its user', async () => {
    await cluster.register();
    expect(await running.cluster(cluster.id)).toMatchObject({
      status: 'pending-for-input',
      owner: OWNER,
      pullSecretSet: true,
      settings: { name: 'ocp', networkType: 'OVNKubernetes' },
    });
    const [registered] = await running.events(streamIdOf('cluster', cluster.id));
    expect(registered?.metadata).toMatchObject({ actor: 'user:alice', org: 'org-1', user: 'alice' });
    expect(await secret(cluster.id)).toBe(PULL_SECRET);
  });

  it.each([
    ['a single node', { controlPlaneCount: 1 }, ['sufficient-masters-count']],
    ['three hosts', {}, ['api-vips-defined', 'ingress-vips-defined', 'sufficient-masters-count']],
    [
      'a cluster without a domain',
      { baseDnsDomain: '' },
      ['api-vips-defined', 'dns-domain-defined', 'ingress-vips-defined', 'sufficient-masters-count'],
    ],
  ])('names only what %s lacks in its first status', async (_, changes, failing) => {
    const clusterId = randomUUID();
    const settings = { ...CLUSTER_SETTINGS, apiVips: undefined, ingressVips: undefined, ...changes };
    await running.ask(method.registerCluster, { clusterId, settings, owner: OWNER, pullSecret: 'x' });
    const stored = await running.events(streamIdOf('cluster', clusterId));
    const entered = stored.find(({ type }) => type === 'ClusterEnteredStatus');
    expect(entered?.data).toMatchObject({ status: 'pending-for-input', statusReason: { failing } });
  });

  it('executes every repeated command once', async () => {
    await cluster.ready();
    const { id: clusterId, infraEnvId } = cluster;
    const repeated = async (ask: (context: ReturnType<typeof asUser>) => Promise<unknown>) => {
      const context = asUser();
      const first = await ask(context);
      const before = await running.allEvents();
      expect(await ask(context)).toEqual(first);
      expect(await running.allEvents()).toEqual(before);
    };
    const otherId = randomUUID();
    const settings = { ...CLUSTER_SETTINGS, name: 'other' };
    await repeated((context) =>
      running.ask(method.registerCluster, { clusterId: otherId, settings, owner: OWNER, pullSecret: 'x' }, context),
    );
    await repeated((context) => running.ask(method.reviseCluster, { clusterId, changes: { tags: 'a' } }, context));
    const image = { infraEnvId: randomUUID(), settings: { name: 'i' }, owner: OWNER, pullSecret: 'x' };
    await repeated((context) => running.ask(method.registerInfraEnv, image, context));
    await repeated((context) =>
      running.ask(method.reviseInfraEnv, { infraEnvId, changes: { sshAuthorizedKey: '' } }, context),
    );
    await repeated((context) => running.ask(method.deregisterInfraEnv, { infraEnvId: image.infraEnvId }, context));
    await repeated((context) => running.ask(method.recordClusterLogs, { clusterId, logsState: 'requested' }, context));
    await repeated((context) => running.ask(method.deregisterCluster, { clusterId: otherId }, context));
  });

  it('refuses commands on clusters and infra-envs that do not exist', async () => {
    const clusterId = randomUUID();
    const before = await running.allEvents();
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
      await expect(running.ask(method[name], { clusterId })).rejects.toMatchObject({ refusal: { code: 'not-found' } });
    for (const name of ['reviseInfraEnv', 'deregisterInfraEnv'] as const)
      await expect(running.ask(method[name], { infraEnvId: randomUUID() })).rejects.toMatchObject({
        refusal: { code: 'not-found' },
      });
    expect(await running.allEvents()).toEqual(before);
  });

  it.each([
    ['an unknown kind', { kind: 'Zoo' }, { code: 'invalid-input', subject: 'kind' }],
    ['invalid settings', { settings: { name: '' } }, { code: 'invalid-input' }],
  ])('refuses %s and seals nothing', async (_case, request, refusal) => {
    await expect(cluster.register({}, request)).rejects.toMatchObject({ refusal });
    expect(await running.events(streamIdOf('cluster', cluster.id))).toEqual([]);
    expect(await secret(cluster.id)).toBeUndefined();
  });

  it('permits changes of settings only before the installation', async () => {
    await cluster.installing();
    const change = { clusterId: cluster.id, changes: { name: 'late' } };
    await expect(running.ask(method.reviseCluster, change)).rejects.toMatchObject({
      refusal: { code: 'not-allowed-in-state' },
    });
    await expect(running.ask(method.allowAddHosts, { clusterId: cluster.id })).rejects.toMatchObject({
      refusal: { code: 'invalid-input' },
    });
    await expect(
      running.ask(method.reachFinalizingStage, { clusterId: cluster.id, stage: 'Coffee' }),
    ).rejects.toMatchObject({ refusal: { code: 'invalid-input', subject: 'finalizing_stage' } });
    await expect(
      running.ask(method.reportOperatorStatus, { clusterId: cluster.id, name: 'coffee', status: 'available' }),
    ).rejects.toMatchObject({ refusal: { code: 'not-found' } });
  });

  it('keeps the fields of disk encryption and ignition endpoint that a revision does not contain', async () => {
    await cluster.register();
    const { id: clusterId } = cluster;
    const tang = { enable_on: 'all', mode: 'tang', tang_servers: '[{"url":"http://tang","thumbprint":"t"}]' };
    const authorities = rootCertificates.slice(0, 2).map((pem) => Buffer.from(pem).toString('base64'));
    const endpoint = { url: 'https://api.example.com:22623/config', ca_certificate: authorities[0] };
    const revise = (changes: object) => running.ask(method.reviseCluster, { clusterId, changes });
    const settings = async () => (await running.cluster(clusterId)).settings;
    await revise({ diskEncryption: tang, ignitionEndpoint: endpoint });
    await revise({ diskEncryption: { enable_on: 'masters' } });
    await revise({ ignitionEndpoint: { ca_certificate: authorities[1] } });
    expect(await settings()).toMatchObject({
      diskEncryption: { ...tang, enable_on: 'masters' },
      ignitionEndpoint: { ...endpoint, ca_certificate: authorities[1] },
    });
    await revise({ ignitionEndpoint: { url: '' } });
    expect((await settings()).ignitionEndpoint).toEqual({ url: '', ca_certificate: authorities[1] });
    await running.ask(method.reviseCluster, { clusterId, firstNetworks: { clusterNetworkHostPrefix: 24 } });
    expect((await settings()).clusterNetworks).toEqual({ items: [{ cidr: '10.128.0.0/14', hostPrefix: 24 }] });
  });

  it('monitors the selected operators and their dependencies, until others are selected', async () => {
    await cluster.register();
    const { id: clusterId } = cluster;
    const waitedFor = async () => (await running.cluster(clusterId)).operators.map(({ name }) => name);
    const choose = (...names: readonly string[]) =>
      running.ask(method.reviseCluster, {
        clusterId,
        changes: { olmOperators: { items: names.map((name) => ({ name, properties: '', sourceBundles: [] })) } },
      });
    expect(await waitedFor()).toEqual(['console']);
    await choose('ocs', 'cnv');
    expect(await waitedFor()).toEqual(['console', 'lso', 'odf', 'cnv']);
    expect((await running.cluster(clusterId)).operators[1]).toMatchObject({
      operatorType: 'olm',
      namespace: 'openshift-local-storage',
      subscriptionName: 'local-storage-operator',
      timeoutSeconds: 4200,
    });
    expect((await running.cluster(clusterId)).settings.olmOperators?.items.map(({ name }) => name)).toEqual([
      'odf',
      'cnv',
    ]);
    await running.ask(method.reviseCluster, { clusterId, changes: { tags: 'x' } });
    expect(await waitedFor()).toEqual(['console', 'lso', 'odf', 'cnv']);
    await expect(choose('coffee')).rejects.toMatchObject({
      refusal: { code: 'invalid-input', subject: 'olm_operators' },
    });
    await choose('mtv');
    expect(await waitedFor()).toEqual(['console', 'cnv', 'mtv']);
    await choose();
    expect(await waitedFor()).toEqual(['console']);
  });

  it('replaces bundles by their operators and records the bundles', async () => {
    await cluster.register();
    const { id: clusterId } = cluster;
    const operatorBundles = { items: [{ id: 'openshift-ai', optionalOperators: { items: ['nvidia-gpu'] } }] };
    await running.ask(method.reviseCluster, { clusterId, changes: {}, operatorBundles });
    const { operators } = await running.cluster(clusterId);
    expect(operators.find(({ name }) => name === 'nvidia-gpu')).toMatchObject({
      bundles: ['openshift-ai'],
      sourceBundles: ['openshift-ai'],
    });
    expect(operators.find(({ name }) => name === 'lso')).toMatchObject({ bundles: [], sourceBundles: [] });
    expect(operators.map(({ name }) => name)).not.toContain('amd-gpu');
    const unknown = { items: [{ id: 'coffee', optionalOperators: undefined }] };
    await expect(
      running.ask(method.reviseCluster, { clusterId, changes: {}, operatorBundles: unknown }),
    ).rejects.toMatchObject({ refusal: { code: 'invalid-input', subject: 'operator_bundles' } });
  });

  it('ignores the validations that a user selects, except those that cannot be ignored', async () => {
    await cluster.register();
    const { id: clusterId } = cluster;
    const ignore = (hostIds: string[], clusterIds: string[], ignoredValidationsReason = 'lab') =>
      running.ask(method.reviseCluster, {
        clusterId,
        changes: {
          ignoredHostValidations: { items: hostIds },
          ignoredClusterValidations: { items: clusterIds },
          ignoredValidationsReason,
        },
      });
    await ignore(['ntp-synced'], ['all']);
    const revised = (await running.events(streamIdOf('cluster', clusterId))).findLast(
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
    expect((await running.cluster(clusterId)).settings.ignoredClusterValidations?.items).toEqual(['all']);
  });

  it('records logs and the progress of their collection', async () => {
    await cluster.register();
    const { id: clusterId } = cluster;
    await running.ask(method.recordClusterLogs, { clusterId, logsState: 'collecting' });
    const body = { digest: `sha256:${'0'.repeat(64)}`, bytes: 1 };
    await running.ask(method.recordClusterLogs, { clusterId, logsType: 'controller', body });
    expect(await running.cluster(clusterId)).toMatchObject({
      logsState: 'collecting',
      controllerLogsCollectedAt: expect.stringMatching(/^2024/),
    });
    await expect(running.ask(method.recordClusterLogs, { clusterId, logsState: 'coffee' })).rejects.toMatchObject({
      refusal: { code: 'invalid-input' },
    });
  });

  it('refuses an infra-env for a cluster that does not exist', async () => {
    await expect(cluster.registerInfraEnv()).rejects.toMatchObject({
      refusal: { code: 'not-found', subject: 'cluster_id' },
    });
    expect(await secret(cluster.infraEnvId)).toBeUndefined();
  });

  it('refuses images and settings that conflict with the rest of the cluster', async () => {
    await cluster.ready();
    const { id: clusterId } = cluster;
    const oracle = randomUUID();
    const details = { external: { platform_name: 'oci' } };
    const noVips = { apiVips: { items: [] }, ingressVips: { items: [] } };
    const settings = { ...CLUSTER_SETTINGS, ...noVips, platformType: 'external', platformDetails: details };
    await running.ask(method.registerCluster, { clusterId: oracle, settings, owner: OWNER, pullSecret: 'x' });
    const image = (imageType: string) => ({
      infraEnvId: randomUUID(),
      settings: { name: imageType, clusterId: oracle, imageType },
      owner: OWNER,
      pullSecret: 'x',
    });
    const refused = (subject: string) => ({ refusal: { code: 'invalid-input', subject } });
    await expect(running.ask(method.registerInfraEnv, image('full-iso'))).rejects.toMatchObject(refused('image_type'));
    const minimal = image('minimal-iso');
    await running.ask(method.registerInfraEnv, minimal);
    await expect(
      running.ask(method.reviseInfraEnv, { infraEnvId: minimal.infraEnvId, changes: { imageType: 'full-iso' } }),
    ).rejects.toMatchObject(refused('image_type'));
    await expect(
      running.ask(method.reviseCluster, { clusterId, changes: { networkType: 'OpenShiftSDN' } }),
    ).rejects.toMatchObject(refused('network_type'));
  });

  it('imports a cluster to which hosts can be added immediately', async () => {
    const imported = { kind: 'AddHostsCluster', imported: true, pullSecret: '', openshiftClusterId: randomUUID() };
    const settings = { name: 'old', apiVipDnsName: 'api.old.example.com' };
    await running.ask(method.registerCluster, { clusterId: cluster.id, settings, owner: OWNER, ...imported });
    expect(await running.cluster(cluster.id)).toMatchObject({ status: 'adding-hosts', imported: true });
  });
});
