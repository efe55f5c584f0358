import { IgnitionService } from '@muster/contracts';
import { callService } from '@muster/nest-kit';
import { type NatsServer, startNatsServer } from '@muster/testing';
import { parse } from 'yaml';
import {
  CLUSTER_ID,
  enteredStatus,
  givenReadyCluster,
  openStage,
  preparationStarted,
  type Stage,
  readArtifact,
  refusalOf,
} from '../ignition.fixture.spec';
import { createAuthority } from '../toolchain/pki/issue-certificate';

let nats: NatsServer;
let stage: Stage;
const read = (name: string, on: Stage = stage): Promise<string> => readArtifact(on, name);
const acceptCa = async (pem: string, commandId: string) => {
  const context = { commandId, correlationId: commandId, actor: 'agent:controller' };
  const input = { clusterId: CLUSTER_ID, caBundlePem: Buffer.from(pem).toString('base64') };
  return callService(stage.platform.requests, IgnitionService.method.acceptIngressCa, input, context);
};

beforeAll(async () => {
  nats = await startNatsServer();
});

afterAll(() => nats.stop());

beforeEach(async () => {
  stage = await openStage(nats.url);
});

afterEach(() => stage.close());

describe('the ingress certificate', () => {
  const ca = async () =>
    (await createAuthority({ name: 'ingress', subject: 'CN=ingress', years: 2 }, '2026-01-01T00:00:00Z')).pem
      .certificatePem;
  const trusted = (kubeconfig: string): string => {
    const { clusters } = parse(kubeconfig) as { clusters: { cluster: { 'certificate-authority-data': string } }[] };
    return Buffer.from(clusters[0]?.cluster['certificate-authority-data'] ?? '', 'base64').toString();
  };
  beforeEach(async () => {
    await stage.start();
    await givenReadyCluster(stage);
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
    await stage.fact('ArtifactsPrepared');
  });

  it('is placed before the certificate authority of the cluster, and only the first one is accepted', async () => {
    const pem = await ca();
    const own = trusted(await read('kubeconfig-noingress'));
    await stage.given('cluster', CLUSTER_ID, enteredStatus('finalizing', 'installing'));
    const { stored } = await acceptCa(pem, 'first');
    expect(trusted(await read('kubeconfig'))).toBe(pem + own);
    expect((await acceptCa(await ca(), 'second')).stored).toEqual(stored);
    expect(trusted(await read('kubeconfig'))).toBe(pem + own);
    const accepted = (await stage.factsOf('artifact', CLUSTER_ID)).filter(({ type }) => type === 'IngressCaAccepted');
    expect(accepted).toHaveLength(1);
  });

  it('is accepted in error after a passed deadline, because a late success may complete the cluster', async () => {
    await stage.given('cluster', CLUSTER_ID, enteredStatus('finalizing', 'installing'));
    await stage.given('cluster', CLUSTER_ID, enteredStatus('error', 'finalizing', 'finalizing'));
    const pem = await ca();
    await acceptCa(pem, 'late');
    expect(trusted(await read('kubeconfig'))).toContain(pem);
  });

  it('is refused in error after failed hosts', async () => {
    await stage.given('cluster', CLUSTER_ID, enteredStatus('error', 'installing'));
    expect(await refusalOf(acceptCa(await ca(), 'failed'))).toMatchObject({ code: 'invalid-input' });
  });

  it('is refused while the cluster is still being installed', async () => {
    await stage.given('cluster', CLUSTER_ID, enteredStatus('installing', 'preparing-for-installation'));
    expect(await refusalOf(acceptCa(await ca(), 'early'))).toMatchObject({ code: 'invalid-input' });
    expect(await refusalOf(read('kubeconfig'))).toMatchObject({ code: 'not-ready' });
  });

  it.each(['', 'hello', '-----BEGIN CERTIFICATE-----\nAAAA\n-----END CERTIFICATE-----'])(
    'is refused when it is not a certificate (%j)',
    async (pem) => {
      await stage.given('cluster', CLUSTER_ID, enteredStatus('installed', 'finalizing'));
      expect(await refusalOf(acceptCa(pem, 'bad'))).toMatchObject({
        code: 'invalid-input',
        subject: 'ingress_cert_params',
      });
    },
  );
});
