import { randomUUID } from 'node:crypto';
import { RegistrationService, streamIdOf } from '@muster/contracts';
import { PlayedCluster } from './played-cluster.fixture.spec';
import { asPerson, RegistrationBench } from './running-registration.fixture.spec';

describe('The signing key of an infra-env', () => {
  let bench: RegistrationBench;
  beforeAll(async () => (bench = await RegistrationBench.start()));
  afterAll(() => bench.stop());

  const rotate = (infraEnvId: string, context = asPerson()) =>
    bench.ask(RegistrationService.method.rotateSigningKey, { infraEnvId }, context);

  it('is replaced once per request, however often the request arrives', async () => {
    const cluster = new PlayedCluster(bench);
    await cluster.registerInfraEnv('');
    const context = asPerson();
    const first = await rotate(cluster.infraEnvId, context);
    expect(await rotate(cluster.infraEnvId, context)).toEqual(first);
    const types = () => bench.types(streamIdOf('infraEnv', cluster.infraEnvId));
    expect(await types()).toEqual(['InfraEnvRegistered', 'ImageSigningKeyRotated']);
    await rotate(cluster.infraEnvId);
    expect(await types()).toEqual(['InfraEnvRegistered', 'ImageSigningKeyRotated', 'ImageSigningKeyRotated']);
  });

  it('is refused for an unknown infra-env', async () => {
    await expect(rotate(randomUUID())).rejects.toMatchObject({
      refusal: { code: 'not-found', subject: 'infra_env_id' },
    });
  });
});

describe('The image type of an infra-env', () => {
  let bench: RegistrationBench;
  beforeAll(async () => (bench = await RegistrationBench.start()));
  afterAll(() => bench.stop());

  it.each([
    ['Cluster', {}, 'full-iso'],
    ['DisconnectedCluster', {}, 'disconnected-iso'],
    ['DisconnectedCluster', { imageType: 'minimal-iso' }, 'minimal-iso'],
  ])('follows the %s when the request is %j: %s', async (kind, settings, expected) => {
    const cluster = new PlayedCluster(bench);
    await cluster.register({}, { kind });
    await cluster.registerInfraEnv(cluster.id, settings);
    expect((await bench.infraEnv(cluster.infraEnvId)).settings.imageType).toBe(expected);
  });
});
