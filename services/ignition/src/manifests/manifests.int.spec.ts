import { IgnitionService, type MusterEvent } from '@muster/contracts';
import { type IgnitionConfig, readTextFile, toIgnitionConfig } from '@muster/ignition-config';
import { callService, type InputOf } from '@muster/nest-kit';
import { type NatsServer, startNatsServer } from '@muster/testing';
import { parse } from 'yaml';
import {
  CLUSTER_ID,
  enteredStatus,
  givenReadyCluster,
  HOST_IDS,
  INFRA_ENV_ID,
  openStage,
  preparationStarted,
  PULL_SECRET,
  type Stage,
  refusalOf,
} from '../ignition.fixture.spec';

const { listManifests, readManifest, removeManifest, reviseManifest, storeManifest } = IgnitionService.method;
let nats: NatsServer;
let stage: Stage;
let commands = 0;
beforeAll(async () => {
  // The limit of the real server. A manifest may have 1 MiB before it is encoded for the bus.
  nats = await startNatsServer({ config: 'max_payload: 8388608' });
});
afterAll(() => nats.stop());
beforeEach(async () => {
  stage = await openStage(nats.url);
  await stage.start();
  await givenReadyCluster(stage);
});
afterEach(() => stage.close());

const context = () => ({ commandId: `c${++commands}`, correlationId: 'c', actor: 'alice' });
const base64 = (text: string): string => Buffer.from(text).toString('base64');
const ask = <M extends Parameters<typeof callService>[1]>(method: M, input: InputOf<M>) =>
  callService(stage.platform.requests, method, input, context());
const store = (fileName: string, text: string, folder = 'manifests') =>
  ask(storeManifest, { clusterId: CLUSTER_ID, folder, fileName, content: base64(text) });
const list = async (includeSystemGenerated = false): Promise<readonly string[]> =>
  (await ask(listManifests, { clusterId: CLUSTER_ID, includeSystemGenerated })).manifests.map(
    ({ folder, fileName, source }) => `${folder}/${fileName} ${source}`,
  );
const read = async (fileName: string, folder = 'manifests'): Promise<string> =>
  Buffer.from((await ask(readManifest, { clusterId: CLUSTER_ID, folder, fileName })).content, 'base64').toString();

describe('manifests of a user', () => {
  it('are stored with their actor and a sealed text', async () => {
    await store('secret.yaml', 'password: canary-4711\n');
    expect(await list()).toEqual(['manifests/secret.yaml user']);
    expect(await read('secret.yaml')).toBe('password: canary-4711\n');
    const facts = await stage.factsOf('manifest', CLUSTER_ID);
    expect(facts.map(({ type, metadata }) => [type, metadata.actor])).toEqual([['ManifestStored', 'alice']]);
    expect(JSON.stringify(facts)).not.toContain('canary-4711');
  });

  it('fail the preparation when their sealed text is missing', async () => {
    await store('lost.yaml', 'a: 1\n');
    await stage.platform.secrets.shred(CLUSTER_ID);
    await stage.platform.secrets.seal(CLUSTER_ID, 'pull-secret', Buffer.from(PULL_SECRET));
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
    const { data } = await stage.fact('ArtifactsFailed');
    expect(data).toMatchObject({ reason: expect.stringContaining('manifests/lost.yaml is missing') as string });
  });

  it('can be replaced, moved and removed', async () => {
    await store('a.yaml', 'a: 1\n');
    await store('a.yaml', 'a: 2\n');
    const place = { clusterId: CLUSTER_ID, folder: 'manifests', fileName: 'a.yaml' };
    await ask(reviseManifest, { ...place, newFolder: 'openshift', newFileName: 'b.yaml' });
    expect(await list()).toEqual(['openshift/b.yaml user']);
    expect(await read('b.yaml', 'openshift')).toBe('a: 2\n');
    await ask(removeManifest, { clusterId: CLUSTER_ID, folder: 'openshift', fileName: 'b.yaml' });
    await ask(removeManifest, { clusterId: CLUSTER_ID, folder: 'openshift', fileName: 'b.yaml' });
    expect(await list()).toEqual([]);
    expect(await refusalOf(read('b.yaml', 'openshift'))).toMatchObject({ code: 'not-found' });
  });

  it.each([
    ['a.txt', 'x', 'invalid-input', 'file_name'],
    ['../a.yaml', 'x', 'unusable-name', 'file_name'],
    ['a.yaml', 'a: [', 'invalid-input', 'content'],
    ['a.json', '{', 'invalid-input', 'content'],
    ['a.yaml', `a: ${'x'.repeat(1_048_576)}`, 'invalid-input', 'content'],
  ])('named %s are refused with the name of the field', async (fileName, text, code, subject) => {
    expect(await refusalOf(store(fileName, text))).toMatchObject({ code, subject });
    expect(await list()).toEqual([]);
  });

  it('are refused when they are not UTF-8 text', async () => {
    const content = Buffer.from('\ufeffkind: A\n', 'utf16le').toString('base64');
    const stored = ask(storeManifest, { clusterId: CLUSTER_ID, folder: 'manifests', fileName: 'a.yaml', content });
    const refusal = { code: 'invalid-input', subject: 'content', reason: expect.stringContaining('UTF-8') };
    expect(await refusalOf(stored)).toMatchObject(refusal);
    expect(await list()).toEqual([]);
  });

  it('can be added while the cluster is being installed, but not changed', async () => {
    await store('a.yaml', 'a: 1\n');
    await stage.given('cluster', CLUSTER_ID, enteredStatus('installing', 'preparing-for-installation'));
    await store('b.yaml', 'b: 1\n');
    const place = { clusterId: CLUSTER_ID, folder: 'manifests', fileName: 'a.yaml' };
    expect(await refusalOf(ask(removeManifest, place))).toMatchObject({ code: 'invalid-input', subject: 'status' });
    expect(await refusalOf(ask(reviseManifest, { ...place, newFileName: 'c.yaml' }))).toMatchObject({
      code: 'invalid-input',
    });
  });

  it('end a preparation without being read when they are too large together', async () => {
    const data = { clusterId: CLUSTER_ID, folder: 'manifests', source: 'user', digest: '0'.repeat(64) };
    const large = { ...data, sizeBytes: 1_048_576, formerFolder: '', formerFileName: '' };
    for (const fileName of ['a.yaml', 'b.yaml', 'c.yaml', 'd.yaml', 'e.yaml'])
      await stage.given('manifest', CLUSTER_ID, { type: 'ManifestStored', data: { ...large, fileName } });
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
    expect(await stage.fact('ArtifactsFailed')).toMatchObject({
      data: { reason: expect.stringContaining('have 5242880 bytes together') as string },
    });
  });

  it('are refused for a cluster that does not exist', async () => {
    const clusterId = 'c1c1c1c1-0000-4000-8000-00000000dead';
    const input = { clusterId, folder: 'manifests', fileName: 'a.yaml', content: base64('a: 1') };
    expect(await refusalOf(ask(storeManifest, input))).toMatchObject({ code: 'not-found', subject: 'cluster_id' });
  });
});

describe('the manifests of the service', () => {
  /** Texts of the files of the bootstrap config by the end of their paths. */
  const bootstrapFiles = async (): Promise<(end: string) => string> => {
    const input = { clusterId: CLUSTER_ID, name: 'bootstrap.ign' };
    const { content } = await ask(IgnitionService.method.readArtifact, input);
    const bootstrap = toIgnitionConfig(JSON.parse(Buffer.from(content, 'base64').toString()));
    return (end) => {
      const path = bootstrap.storage?.files?.find((file) => file.path.endsWith(end))?.path ?? '';
      return readTextFile(bootstrap, path) ?? '';
    };
  };

  it.each(['openshift', 'manifests'])(
    'are listed beside those of users, which take precedence in %s',
    async (folder) => {
      await store('50-masters-chrony-configuration.yaml', 'kind: Mine\n', folder);
      await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
      await stage.fact('ArtifactsPrepared');
      expect(await list()).toEqual([`${folder}/50-masters-chrony-configuration.yaml user`]);
      expect(await list(true)).toEqual([
        `${folder}/50-masters-chrony-configuration.yaml user`,
        'openshift/50-masters-iscsi-nic-reapply.yaml system',
        'openshift/50-workers-chrony-configuration.yaml system',
        'openshift/50-workers-iscsi-nic-reapply.yaml system',
        'openshift/cluster-scheduler-02-config.yml.patch_ai_set_masters_schedulable system',
      ]);
      const textOf = await bootstrapFiles();
      expect(textOf('50-masters-chrony-configuration.yaml')).toBe('kind: Mine\n');
      expect(textOf('cluster-scheduler-02-config.yml')).toContain('"mastersSchedulable": true');
    },
  );

  it.each([
    ['with those that hosts report', {}, ['time.corp.example', '192.0.2.123']],
    ['with additional ones', { additionalNtpSource: 'ntp.a' }, ['ntp.a', 'time.corp.example', '192.0.2.123']],
    ['only with those of the cluster', { ntpSources: 'ntp.a' }, ['ntp.a']],
  ])('configure the NTP sources of nodes %s', async (_, changes, expected) => {
    const report = (...names: readonly string[]): MusterEvent => ({
      type: 'NtpSourcesReported',
      data: { sources: names.map((sourceName) => ({ sourceName, sourceState: 'synced' })), generation: 0 },
    });
    await stage.given('inventory', `${INFRA_ENV_ID}.${HOST_IDS[0]}`, report('old.example'));
    await stage.given('inventory', `${INFRA_ENV_ID}.${HOST_IDS[0]}`, report('time.corp.example', '192.0.2.123', 'a b'));
    await stage.given('inventory', `${INFRA_ENV_ID}.${HOST_IDS[3]}`, report('time.corp.example', ''));
    await stage.given('cluster', CLUSTER_ID, {
      type: 'ClusterSettingsRevised',
      data: { changes, pullSecretReplaced: false },
    });
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
    await stage.fact('ArtifactsPrepared');
    const manifest = (await bootstrapFiles())('50-workers-chrony-configuration.yaml');
    const { spec } = parse(manifest) as { spec: { config: IgnitionConfig } };
    const lines = readTextFile(spec.config, '/etc/chrony.conf')?.match(/^server .*$/gm);
    expect(lines).toEqual(expected.map((name) => `server ${name} iburst`));
  });
});
