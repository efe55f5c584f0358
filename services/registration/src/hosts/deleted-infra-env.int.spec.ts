import { randomUUID } from 'node:crypto';
import { type HostKey, hostKeyOf, parseHostKey, RegistrationService, streamIdOf } from '@muster/contracts';
import { TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

const { deregisterInfraEnv } = RegistrationService.method;

describe('a host that registers while its infra-env is deleted', () => {
  let running: RunningRegistration;
  let cluster: TestCluster;
  beforeAll(async () => (running = await RunningRegistration.start()));
  beforeEach(() => (cluster = new TestCluster(running)));
  afterAll(() => running.stop());

  const appendRegistration = async (clusterId: string): Promise<HostKey> => {
    const key = hostKeyOf(cluster.infraEnvId, randomUUID());
    const at = new Date(running.clock.nowMs()).toISOString();
    const place = { ...parseHostKey(key), clusterId, kind: 'Host', role: 'auto-assign' };
    const registered = { ...place, bootstrap: false, discoveryAgentVersion: '', machineConfigPoolName: '', at };
    const status = clusterId === '' ? 'discovering-unbound' : 'discovering';
    await running.append(
      streamIdOf('host', key),
      { type: 'HostRegistered', data: registered },
      { type: 'HostEnteredStatus', data: { status, from: '', transition: 't', at, cause: '' } },
    );
    return key;
  };

  it('is removed when its registration is stored after the deletion', async () => {
    await cluster.register();
    await cluster.registerInfraEnv();
    await running.ask(deregisterInfraEnv, { infraEnvId: cluster.infraEnvId });
    const key = await appendRegistration(cluster.id);
    expect(await running.statuses(key)).toEqual(['unregistered']);
  });

  it('is removed when its registration is stored before the deletion', async () => {
    await cluster.registerInfraEnv('');
    const key = await appendRegistration('');
    expect(await running.statuses(key)).toEqual(['discovering-unbound']);
    await running.append(streamIdOf('infraEnv', cluster.infraEnvId), { type: 'InfraEnvDeregistered', data: {} });
    expect(await running.statuses(key)).toEqual(['unregistered']);
  });
});
