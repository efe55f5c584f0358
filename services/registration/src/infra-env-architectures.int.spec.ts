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
