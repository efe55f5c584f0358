import type { MusterEvent } from '@muster/contracts';
import { sealDocument } from '@muster/nest-kit';
import { type NatsServer, startNatsServer } from '@muster/testing';
import {
  CLUSTER_ID,
  clusterRegistered,
  givenReadyCluster,
  HOST_IDS,
  hostRegistered,
  INFRA_ENV_ID,
  infraEnvRegistered,
  openStage,
  preparationStarted,
  readArtifact,
  refusalOf,
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

  const giveOverride = async (hostId: string, openshiftVersion: string) => {
    await stage.given('infraEnv', INFRA_ENV_ID, {
      type: 'InfraEnvSettingsRevised',
      data: { changes: { openshiftVersion }, pullSecretReplaced: false },
    });
    const override = '{"ignition":{"version":"3.4.0"}}';
    const ignitionConfigOverrides = await sealDocument(stage.platform.secrets, INFRA_ENV_ID, override);
    const changes = { ignitionConfigOverrides };
    await stage.given('host', `${INFRA_ENV_ID}.${hostId}`, { type: 'HostSettingsRevised', data: { changes } });
  };

  const prepareWith = async (openshiftVersion: string) => {
    stage = await openStage(nats.url);
    await givenReadyCluster(stage);
    await giveOverride(HOST_IDS[0] ?? '', openshiftVersion);
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

  it('are created with one read of the infra-env for all hosts with overrides', async () => {
    stage = await openStage(nats.url);
    await givenReadyCluster(stage);
    for (const hostId of HOST_IDS) await giveOverride(hostId, '4.14');
    await stage.given('cluster', CLUSTER_ID, ...preparationStarted());
    const read = jest.spyOn(stage.platform.eventStore, 'readStream');
    await stage.start();
    await stage.fact('ArtifactsPrepared');
    expect(HOST_IDS.length).toBeGreaterThan(1);
    expect(read.mock.calls.filter(([stream]) => stream === `infraEnv-${INFRA_ENV_ID}`)).toHaveLength(1);
  });

  it.each([
    ['4.11', expect.stringContaining('cannot be used: OpenShift 4.11 reads version 3.3.0')],
    ['4.14', undefined],
  ])('of a host that joins a running cluster, with an image of %s', async (openshiftVersion, reason) => {
    const joined = 'dddddddd-0000-4000-8000-00000000000d';
    stage = await openStage(nats.url);
    await stage.given('infraEnv', INFRA_ENV_ID, infraEnvRegistered());
    await stage.given('cluster', CLUSTER_ID, clusterRegistered(), {
      type: 'ClusterSettingsRevised',
      data: { changes: { apiVipDnsName: 'api.day2.example.com' }, pullSecretReplaced: false },
    });
    const registered = hostRegistered(joined, 'worker');
    const data = { ...registered.data, kind: 'AddToExistingClusterHost' };
    await stage.given('host', `${INFRA_ENV_ID}.${joined}`, { ...registered, data } as MusterEvent);
    await giveOverride(joined, openshiftVersion);
    await stage.start();
    const answer = await refusalOf(readArtifact(stage, `worker-${joined}.ign`));
    expect(answer).toEqual(reason ? expect.objectContaining({ code: 'invalid-input', reason }) : 'not refused');
  });
});
