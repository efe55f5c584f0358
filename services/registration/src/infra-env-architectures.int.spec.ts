import { RegistrationService, streamIdOf } from '@muster/contracts';
import { TestCluster } from './cluster.fixture.spec';
import { RunningRegistration } from './running-registration.fixture.spec';

describe('the architecture of an infra-env', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());

  it.each([
    [{ cpuArchitecture: 'arm64' }, {}, 'x86_64', ['arm64']],
    [{ cpuArchitecture: 'arm64' }, {}, 'aarch64', undefined],
    [{ cpuArchitecture: 'multi' }, {}, 'arm64', undefined],
    [{}, { kind: 'DisconnectedCluster' }, 'arm64', undefined],
    [{ cpuArchitecture: '' }, { kind: 'AddHostsCluster', imported: true }, 'arm64', undefined],
  ])('must be that of its cluster (%j, %j): %s', async (settings, more, cpuArchitecture, allowed) => {
    const cluster = new TestCluster(running);
    await cluster.register(settings, more);
    const refusal = { code: 'invalid-input', subject: 'cpu_architecture', allowed };
    const registered = cluster.registerInfraEnv(cluster.id, { cpuArchitecture });
    await (allowed ? expect(registered).rejects.toMatchObject({ refusal }) : registered);
  });
});

describe('the Ignition override of an infra-env', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());

  const { reviseInfraEnv } = RegistrationService.method;
  const override = '{"ignition":{"version":"3.4.0"}}';
  const refused = { refusal: { code: 'invalid-input', subject: 'ignition_config_override' } };

  it.each([
    ['the override', {}, { ignitionConfigOverride: override }],
    ['the version', { ignitionConfigOverride: override }, { changes: { openshiftVersion: '4.11' } }],
  ])('is refused when its images cannot read it and %s changes', async (_, given, revision) => {
    const cluster = new TestCluster(running);
    const isGiven = 'ignitionConfigOverride' in given;
    await cluster.registerInfraEnv('', { openshiftVersion: isGiven ? '4.14' : '4.11' });
    const { infraEnvId } = cluster;
    await running.ask(reviseInfraEnv, { infraEnvId, changes: { name: 'images' }, ...given });
    const before = await running.types(streamIdOf('infraEnv', infraEnvId));
    await expect(running.ask(reviseInfraEnv, { infraEnvId, changes: {}, ...revision })).rejects.toMatchObject(refused);
    expect(await running.types(streamIdOf('infraEnv', infraEnvId))).toEqual(before);
    await running.ask(reviseInfraEnv, { infraEnvId, changes: { openshiftVersion: '4.15' }, ...given });
  });
});
