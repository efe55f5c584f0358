import { sealDocument } from '@muster/nest-kit';
import { type NatsServer, startNatsServer } from '@muster/testing';
import {
  CLUSTER_ID,
  givenReadyCluster,
  HOST_IDS,
  INFRA_ENV_ID,
  openStage,
  preparationStarted,
  type Stage,
} from '../ignition.fixture.spec';

describe('artifacts of a host whose override has version 3.4.0 of the specification', () => {
  let nats: NatsServer;
  let stage: Stage;

  beforeAll(async () => {
    nats = await startNatsServer();
  });
  afterAll(() => nats.stop());
  afterEach(() => stage.close());

  const prepareWith = async (openshiftVersion: string) => {
    stage = await openStage(nats.url);
    await givenReadyCluster(stage);
    await stage.given('infraEnv', INFRA_ENV_ID, {
      type: 'InfraEnvSettingsRevised',
      data: { changes: { openshiftVersion }, pullSecretReplaced: false },
    });
    const override = '{"ignition":{"version":"3.4.0"}}';
    const ignitionConfigOverrides = await sealDocument(stage.platform.secrets, INFRA_ENV_ID, override);
    const changes = { ignitionConfigOverrides };
    await stage.given('host', `${INFRA_ENV_ID}.${HOST_IDS[0]}`, { type: 'HostSettingsRevised', data: { changes } });
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
    await stage.start();
  };

  it('are refused when the image of the host cannot read it', async () => {
    await prepareWith('4.11');
    const { data } = await stage.fact('ArtifactsFailed');
    expect(data).toMatchObject({
      reason: expect.stringContaining('host master-0 cannot be used: OpenShift 4.11 reads version 3.3.0') as string,
    });
  });

  it('are created when the image of the host reads it', async () => {
    await prepareWith('4.14');
    expect(await stage.fact('ArtifactsPrepared')).toBeDefined();
  });
});
