import { IgnitionService } from '@muster/contracts';
import { callService, sealDocument } from '@muster/nest-kit';
import { type NatsServer, startNatsServer } from '@muster/testing';
import {
  CLUSTER_ID,
  enteredStatus,
  givenReadyCluster,
  HOST_IDS,
  hostRegistered,
  INFRA_ENV_ID,
  infraEnvRegistered,
  inventoryReported,
  openStage,
  preparationStarted,
  type Stage,
} from '../ignition.fixture.spec';
import { builtinToolchain } from '../toolchain/builtin-toolchain';

const KEPT = builtinToolchain().keptSecrets.map((name) => `artifacts/1/${name}/kept`);
const LARGE_BYTES = 1_000_000;

describe('the secrets of an attempt that is refused', () => {
  let nats: NatsServer;
  let stage: Stage;
  beforeAll(async () => {
    nats = await startNatsServer();
  });
  afterAll(() => nats.stop());
  beforeEach(async () => {
    stage = await openStage(nats.url);
    await givenReadyCluster(stage);
  });
  afterEach(() => stage.close());

  const givenManifest = async (fileName: string, text: string): Promise<void> => {
    const { digest, bytes: sizeBytes } = await sealDocument(stage.platform.secrets, CLUSTER_ID, text);
    const place = { clusterId: CLUSTER_ID, folder: 'manifests', fileName, formerFolder: '', formerFileName: '' };
    await stage.given('manifest', CLUSTER_ID, {
      type: 'ManifestStored',
      data: { ...place, source: 'user', digest, sizeBytes },
    });
  };
  const bytesOf = (names: readonly string[]): Promise<readonly number[]> =>
    Promise.all(
      names.map(async (name) => (await stage.platform.secrets.open(CLUSTER_ID, name))?.toString().length ?? 0),
    );
  const refused = async (reason: string): Promise<void> => {
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
    await stage.start();
    expect(await stage.fact('ArtifactsFailed')).toMatchObject({
      data: { reason: expect.stringContaining(reason) as string },
    });
  };

  it('are destroyed when a manifest cannot be used', async () => {
    await givenManifest('none.yaml.patch', '- {op: add, path: /a, value: 1}\n');
    await refused('which does not exist');
    expect(await bytesOf(KEPT)).toEqual(KEPT.map(() => 0));
  });

  it('are not created when two hosts of the cluster have one id, because their Ignition configs would have one name', async () => {
    const [hostId = ''] = HOST_IDS;
    const infraEnvId = 'e2e2e2e2-0000-4000-8000-000000000002';
    await stage.given('infraEnv', infraEnvId, infraEnvRegistered({}, infraEnvId));
    const registered = hostRegistered(hostId, 'worker');
    Object.assign(registered.data, { infraEnvId });
    await stage.given('host', `${infraEnvId}.${hostId}`, registered, {
      type: 'HostRenamed',
      data: { requestedHostname: 'worker-9' },
    });
    await stage.given('inventory', `${infraEnvId}.${hostId}`, inventoryReported(9));
    await refused(
      `Two hosts of the cluster have the id ${hostId}: master-0 in infra-env ${INFRA_ENV_ID} and worker-9 in infra-env ${infraEnvId}.`,
    );
    expect(await bytesOf(KEPT)).toEqual(KEPT.map(() => 0));
  });

  it('are destroyed with the artifacts before the one that is too large', async () => {
    for (const name of ['a', 'b', 'c', 'd'])
      await givenManifest(`${name}.yaml`, `${name}: ${'x'.repeat(LARGE_BYTES)}\n`);
    await refused('bootstrap.ign has');
    const names = [...KEPT, 'artifacts/1/kubeconfig-noingress', 'artifacts/1/kubeadmin-password'];
    expect(await bytesOf(names)).toEqual(names.map(() => 0));
  });

  it('are not needed by the next attempt, which can succeed', async () => {
    await givenManifest('none.yaml.patch', '- {op: add, path: /a, value: 1}\n');
    await refused('which does not exist');
    const content = Buffer.from('b: 1\n').toString('base64');
    const input = { clusterId: CLUSTER_ID, folder: 'manifests', fileName: 'none.yaml', content };
    const context = { commandId: 'm', correlationId: 'm', actor: 'user' };
    await callService(stage.platform.requests, IgnitionService.method.storeManifest, input, context);
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted(2));
    await stage.fact('ArtifactsPrepared');
    expect(await bytesOf(KEPT)).toEqual(KEPT.map(() => 0));
  });

  it('are destroyed by the next attempt when the service did not run at the end of the attempt', async () => {
    const names = [...KEPT, 'artifacts/1/kubeadmin-password', 'artifacts/1/bootstrap.ign'];
    for (const name of names) await stage.platform.secrets.seal(CLUSTER_ID, name, Buffer.from('key'));
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
    await stage.given('cluster', CLUSTER_ID, enteredStatus('ready', 'preparing-for-installation'));
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted(2));
    await stage.start();
    expect(await stage.fact('ArtifactsPrepared')).toMatchObject({ data: { attempt: 2 } });
    expect(await bytesOf(names)).toEqual(names.map(() => 0));
  });
});
