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

describe('The ignition override of an infra-env', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());

  const filled = (characters: string): string =>
    JSON.stringify({
      ignition: { version: '3.1.0' },
      storage: { files: [{ path: '/etc/x', contents: { source: `data:,${characters}` } }] },
    });
  const noise = Array.from({ length: 60_000 }, (_, n) => ((n * 2_654_435_761) % 2 ** 32).toString(36)).join('');

  it('is accepted when it fits into an image, however often it repeats itself', async () => {
    const cluster = new TestCluster(running);
    const ignitionConfigOverride = filled('a'.repeat(400_000));
    await cluster.registerInfraEnv('', { ignitionConfigOverride });
    expect((await running.infraEnv(cluster.infraEnvId)).settings.ignitionConfigOverride).toBe(ignitionConfigOverride);
  });

  it('is refused with its size when no image can carry it', async () => {
    const cluster = new TestCluster(running);
    const refusal = {
      subject: 'ignition_config_override',
      reason: expect.stringMatching(/takes \d+ bytes of the image when it is compressed. Allowed: at most 245760/),
    };
    await expect(cluster.registerInfraEnv('', { ignitionConfigOverride: filled(noise) })).rejects.toMatchObject({
      refusal,
    });
    await cluster.registerInfraEnv('');
    const change = {
      infraEnvId: cluster.infraEnvId,
      changes: { ignitionConfigOverride: filled(noise) },
      pullSecret: '',
    };
    await expect(running.ask(RegistrationService.method.reviseInfraEnv, change)).rejects.toMatchObject({ refusal });
  });
});
