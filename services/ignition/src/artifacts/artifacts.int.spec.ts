import { type Artifact, hostSecretName, type MusterEvent, type Plain } from '@muster/contracts';
import { type IgnitionConfig, readTextFile } from '@muster/ignition-config';
import { sealDocument } from '@muster/nest-kit';
import { eventually, type NatsServer, startNatsServer } from '@muster/testing';
import { parse } from 'yaml';
import {
  CLUSTER_ID,
  clusterRegistered,
  givenReadyCluster,
  HOST_IDS,
  hostRegistered,
  INFRA_ENV_ID,
  openStage,
  preparationStarted,
  PULL_SECRET,
  type Stage,
  readArtifact,
  refusalOf,
} from '../ignition.fixture.spec';

let nats: NatsServer;
let stage: Stage;
const read = (name: string, on: Stage = stage): Promise<string> => readArtifact(on, name);
const artifactsOf = ({ data }: { readonly data: unknown }): readonly Plain<Artifact>[] =>
  (data as { readonly artifacts: readonly Plain<Artifact>[] }).artifacts;
const hostKey = `${INFRA_ENV_ID}.${HOST_IDS[0]}`;
const renamed = (requestedHostname: string): MusterEvent => ({ type: 'HostRenamed', data: { requestedHostname } });
const givenOverride = async (text: string): Promise<void> => {
  const ignitionConfigOverrides = await sealDocument(stage.platform.secrets, INFRA_ENV_ID, text);
  await stage.given('host', hostKey, { type: 'HostSettingsRevised', data: { changes: { ignitionConfigOverrides } } });
};
/** Returns the text with the content of all its data URLs. */
function unpacked(text: string): string {
  const carried = [...text.matchAll(/base64,([A-Za-z0-9+/=]+)/g)].map(([, body = '']) => Buffer.from(body, 'base64'));
  return [text, ...carried.map(String)].join('\n');
}

beforeAll(async () => {
  nats = await startNatsServer();
});

afterAll(() => nats.stop());

beforeEach(async () => {
  stage = await openStage(nats.url);
});

afterEach(() => stage.close());

describe('a cluster that prepares its installation', () => {
  it('creates the manifests that the controller applies for the selected operators', async () => {
    await stage.start();
    await givenReadyCluster(stage);
    const olmOperators = { items: [{ name: 'odf', properties: '', sourceBundles: [] }] };
    await stage.given('cluster', CLUSTER_ID, {
      type: 'ClusterSettingsRevised',
      data: { changes: { olmOperators }, pullSecretReplaced: false },
    });
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
    await stage.fact('ArtifactsPrepared');
    const listed = JSON.parse(await read('custom_manifests.json')) as { Name: string; Content: string }[];
    expect(listed.map(({ Name }) => Name)).toEqual(['lso', 'odf']);
    const [volumes] = listed.map(({ Content }) => Buffer.from(Content, 'base64').toString());
    expect(parse(volumes ?? '')).toMatchObject({ kind: 'LocalVolumeSet' });
  });

  it('creates every artifact of the v2 API and one per host', async () => {
    await stage.start();
    await givenReadyCluster(stage);
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
    const prepared = await stage.fact('ArtifactsPrepared');
    expect(prepared.data).toMatchObject({ attempt: 1, toolchain: 'builtin' });
    expect(prepared.metadata).toMatchObject({ actor: 'service:ignition', org: 'acme', correlationId: 'story' });
    expect(artifactsOf(prepared).map(({ name }) => name)).toEqual([
      'kubeconfig-noingress',
      'kubeadmin-password',
      'bootstrap.ign',
      'install-config.yaml',
      'metadata.json',
      'master.ign',
      'worker.ign',
      ...HOST_IDS.map((id, index) => `${index < 3 ? 'master' : 'worker'}-${id}.ign`),
    ]);
    const worker = JSON.parse(await read(`worker-${HOST_IDS[3]}.ign`)) as IgnitionConfig;
    expect(readTextFile(worker, '/etc/hostname')).toBe('worker-3');
    expect(worker.ignition.config?.merge?.[0]?.source).toBe('https://api-int.demo.example.com:22623/config/worker');
    expect(JSON.parse(await read('install-config.yaml'))).toMatchObject({
      metadata: { name: 'demo' },
      compute: [{ replicas: 1 }],
    });
    expect(await read('kubeadmin-password')).toMatch(/^[a-zA-Z0-9]{5}(-[a-zA-Z0-9]{5}){3}$/);
  });

  it('is found when the request was stored before the service started', async () => {
    await givenReadyCluster(stage);
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
    await stage.start();
    await stage.fact('ArtifactsPrepared');
  });

  it('stores no secret unsealed', async () => {
    await stage.start();
    await givenReadyCluster(stage);
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
    const prepared = await stage.fact('ArtifactsPrepared');
    const kubeconfig = parse(await read('kubeconfig-noingress')) as {
      readonly users: readonly { readonly user: { readonly 'client-key-data': string } }[];
    };
    const secrets = [
      'canary-pull-secret',
      await read('kubeadmin-password'),
      kubeconfig.users[0]?.user['client-key-data'] ?? 'none',
      'PRIVATE KEY',
    ];
    const artifacts = artifactsOf(prepared);
    const bodies = await Promise.all(
      artifacts.flatMap(({ body }) => (body ? [stage.platform.objectStore.get(body.digest)] : [])),
    );
    expect(bodies.length).toBeGreaterThan(5);
    const open = [JSON.stringify(prepared), ...bodies.map((body) => unpacked(body?.toString() ?? ''))].join('\n');
    for (const secret of secrets) expect(open).not.toContain(secret);
    // The same search finds the secrets in the sealed artifacts.
    expect(unpacked(await read('bootstrap.ign'))).toContain('canary-pull-secret');
  });

  it.each([
    ['its pull secret', async () => stage.platform.secrets.shred(CLUSTER_ID), /pull secret of the cluster is missing/],
    ['the name of a host', async () => stage.given('host', hostKey, renamed('')), /Host aaaaaaaa\S+ has no hostname/],
    ['a readable override', async () => givenOverride('{"ignition":{}}'), /override of host master-0 cannot be used/],
  ])('fails without %s and reports a remedy', async (_, damage, reason) => {
    await givenReadyCluster(stage);
    await damage();
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
    await stage.start();
    const failed = await stage.fact('ArtifactsFailed');
    expect(failed.data).toMatchObject({ attempt: 1, reason: expect.stringMatching(reason) as string });
    expect(await refusalOf(read('master.ign'))).toMatchObject({ code: 'not-ready' });
  });

  it('merges the override of a user into the config of one host and seals the result', async () => {
    await givenReadyCluster(stage);
    await givenOverride('{"ignition":{"version":"3.1.0"},"storage":{"files":[{"path":"/etc/mine"}]}}');
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
    await stage.start();
    const prepared = await stage.fact('ArtifactsPrepared');
    const name = `master-${HOST_IDS[0]}.ign`;
    expect(artifactsOf(prepared).find((artifact) => artifact.name === name)).toEqual({ name, sealed: true });
    const { storage } = JSON.parse(await read(name)) as IgnitionConfig;
    expect(storage?.files?.map(({ path }) => path)).toEqual(['/etc/hostname', '/etc/mine']);
  });

  it('creates new keys in every attempt, and discards those of the previous one', async () => {
    await stage.start();
    await givenReadyCluster(stage);
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
    const first = await stage.fact('ArtifactsPrepared');
    const before = await read('kubeconfig-noingress');
    await stage.given('cluster', CLUSTER_ID, { type: 'ClusterReset', data: { reason: 'test' } });
    await stage.fact('ArtifactsDiscarded');
    expect(await refusalOf(read('kubeconfig-noingress'))).toMatchObject({ code: 'not-ready' });
    for (const { body } of artifactsOf(first))
      if (body) expect(await stage.platform.objectStore.get(body.digest)).toBeUndefined();
    expect(await stage.platform.secrets.open(CLUSTER_ID, 'pull-secret')).toEqual(Buffer.from(PULL_SECRET));

    await stage.given('cluster', CLUSTER_ID, ...preparationStarted(2));
    await eventually('a second preparation', async () => {
      const facts = await stage.factsOf('artifact', CLUSTER_ID);
      return facts.filter(({ type }) => type === 'ArtifactsPrepared').length === 2;
    });
    const after = await read('kubeconfig-noingress');
    expect(after).not.toBe(before);
  });

  it('removes all artifacts when it is deleted', async () => {
    await stage.start();
    await givenReadyCluster(stage);
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
    await stage.fact('ArtifactsPrepared');
    await stage.given('cluster', CLUSTER_ID, { type: 'ClusterDeregistered', data: { at: '' } });
    await stage.fact('ArtifactsDiscarded');
    expect(await stage.platform.secrets.open(CLUSTER_ID, 'artifacts/1/kubeconfig-noingress')).toBeUndefined();
  });

  it.each([
    ['reset', { type: 'ClusterReset', data: { reason: 'test' } }],
    ['deleted', { type: 'ClusterDeregistered', data: { at: '' } }],
  ] as const)('keeps no artifacts when it is %s meanwhile', async (_, end) => {
    let goOn: () => void = () => undefined;
    const gate = new Promise<void>((resolve) => (goOn = resolve));
    let isWaiting = false;
    const { objectStore, secrets } = stage.platform;
    const put: typeof objectStore.put = async (body, maxBytes) => {
      isWaiting = true;
      await gate;
      return objectStore.put(body, maxBytes);
    };
    await givenReadyCluster(stage);
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
    await stage.start({ objectStore: { ...objectStore, put } });
    await eventually('artifacts are in the making', () => isWaiting);
    await stage.given('cluster', CLUSTER_ID, end);
    goOn();
    await stage.fact('ArtifactsDiscarded');
    expect((await secrets.open(CLUSTER_ID, 'artifacts/1/kubeconfig-noingress'))?.length ?? 0).toBe(0);
    expect((await secrets.open(CLUSTER_ID, 'artifacts/1/cluster-pki/kept'))?.length ?? 0).toBe(0);
  });

  it('refuses files that do not exist', async () => {
    await stage.start();
    expect(await refusalOf(read('../kubeconfig'))).toMatchObject({ code: 'not-found' });
    expect(await refusalOf(read('master.ign'))).toMatchObject({ code: 'not-ready' });
  });
});

describe('a host that joins a running cluster', () => {
  const joined = 'dddddddd-0000-4000-8000-00000000000d';
  const key = `${INFRA_ENV_ID}.${joined}`;
  const give = async (settings: object, hostSettings: object = {}): Promise<void> => {
    await stage.given('cluster', CLUSTER_ID, clusterRegistered());
    await stage.given('cluster', CLUSTER_ID, {
      type: 'ClusterSettingsRevised',
      data: { changes: settings, pullSecretReplaced: false },
    });
    const registered = hostRegistered(joined, 'auto-assign');
    await stage.given(
      'host',
      key,
      { ...registered, data: { ...registered.data, kind: 'AddToExistingClusterHost' } } as MusterEvent,
      renamed('extra'),
      {
        type: 'HostSettingsRevised',
        data: { changes: hostSettings },
      },
    );
    await stage.start();
  };
  const readConfig = async (withoutSecrets = false): Promise<IgnitionConfig> =>
    JSON.parse(await readArtifact(stage, `worker-${joined}.ign`, withoutSecrets)) as IgnitionConfig;

  it('gets its config from the API of that cluster', async () => {
    await give({ apiVipDnsName: 'api.day2.example.com' });
    const config = await readConfig();
    expect(config.ignition.config?.merge).toEqual([{ source: 'http://api.day2.example.com:22624/config/worker' }]);
    expect(readTextFile(config, '/etc/hostname')).toBe('extra');
  });

  it('uses TLS, its token and its override when the certificate authority is known', async () => {
    const override = { ignition: { version: '3.2.0' }, storage: { files: [{ path: '/etc/x' }] } };
    const ignitionConfigOverrides = await sealDocument(stage.platform.secrets, INFRA_ENV_ID, JSON.stringify(override));
    await stage.platform.secrets.seal(
      INFRA_ENV_ID,
      hostSecretName(joined, 'ignition-endpoint-token'),
      Buffer.from('t'),
    );
    const ca_certificate = Buffer.from('CA').toString('base64');
    await give(
      { apiVipDnsName: 'api.day2.example.com', ignitionEndpoint: { ca_certificate } },
      { ignitionConfigOverrides, ignitionEndpointTokenSet: true, machineConfigPoolName: 'infra' },
    );
    const { ignition, storage } = await readConfig();
    expect(ignition.config?.merge).toEqual([
      {
        source: 'https://api-int.day2.example.com:22623/config/infra',
        httpHeaders: [{ name: 'Authorization', value: 'Bearer t' }],
      },
    ]);
    expect(storage?.files?.map(({ path }) => path)).toEqual(['/etc/x', '/etc/hostname']);
    const shown = await readConfig(true);
    expect(shown.ignition.config?.merge).toEqual([{ source: 'https://api-int.day2.example.com:22623/config/infra' }]);
    expect(shown.storage).toEqual(storage);
  });

  it('is refused when its stored override is missing', async () => {
    const ignitionConfigOverrides = { digest: 'a'.repeat(64), bytes: 2 };
    await give({ apiVipDnsName: 'api.day2.example.com' }, { ignitionConfigOverrides });
    expect(await refusalOf(readConfig())).toMatchObject({
      code: 'not-ready',
      reason: expect.stringContaining('Ignition override of host extra is missing') as string,
    });
  });

  it('is refused when its override has a link above its files', async () => {
    const override = { ignition: { version: '3.2.0' }, storage: { links: [{ path: '/etc', target: '/x' }] } };
    const ignitionConfigOverrides = await sealDocument(stage.platform.secrets, INFRA_ENV_ID, JSON.stringify(override));
    await give({ apiVipDnsName: 'api.day2.example.com' }, { ignitionConfigOverrides });
    expect(await refusalOf(readConfig())).toMatchObject({
      code: 'invalid-input',
      reason: expect.stringContaining('/etc/hostname: the path is below the link /etc.') as string,
    });
  });

  it('is refused when its cluster has no address', async () => {
    await give({});
    expect(await refusalOf(readConfig())).toMatchObject({ code: 'not-ready', subject: 'api_vip_dns_name' });
  });
});
