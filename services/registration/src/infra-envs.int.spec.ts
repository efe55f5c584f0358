import { randomUUID } from 'node:crypto';
import { RegistrationService, streamIdOf } from '@muster/contracts';
import { TestCluster } from './cluster.fixture.spec';
import { asPerson, RunningRegistration } from './running-registration.fixture.spec';

describe('The signing key of an infra-env', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());

  const rotate = (infraEnvId: string, context = asPerson()) =>
    running.ask(RegistrationService.method.rotateSigningKey, { infraEnvId }, context);

  it('is replaced once per request, however often the request arrives', async () => {
    const cluster = new TestCluster(running);
    await cluster.registerInfraEnv('');
    const context = asPerson();
    const first = await rotate(cluster.infraEnvId, context);
    expect(await rotate(cluster.infraEnvId, context)).toEqual(first);
    const types = () => running.types(streamIdOf('infraEnv', cluster.infraEnvId));
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
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());

  it.each([
    ['Cluster', {}, 'full-iso'],
    ['DisconnectedCluster', {}, 'disconnected-iso'],
    ['DisconnectedCluster', { imageType: 'minimal-iso' }, 'minimal-iso'],
  ])('follows the %s when the request is %j: %s', async (kind, settings, expected) => {
    const cluster = new TestCluster(running);
    await cluster.register({}, { kind });
    await cluster.registerInfraEnv(cluster.id, settings);
    expect((await running.infraEnv(cluster.infraEnvId)).settings.imageType).toBe(expected);
  });
});
