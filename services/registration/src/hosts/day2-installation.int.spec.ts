import { randomUUID } from 'node:crypto';
import { type HostKey, parseHostKey, RegistrationService, streamIdOf } from '@muster/contracts';
import { SUFFICIENT, TestCluster } from '../cluster.fixture.spec';
import { ClusterProcess } from '../clusters/cluster-process';
import { RunningRegistration } from '../running-registration.fixture.spec';

const { installHost, reviseHost } = RegistrationService.method;

describe('the installation of a host that is added to an installed cluster', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());

  async function knownHost(cluster: TestCluster): Promise<HostKey> {
    await cluster.register(
      { apiVipDnsName: 'api.old.example.com', apiVips: undefined, ingressVips: undefined },
      { kind: 'AddHostsCluster', imported: true, pullSecret: '' },
    );
    await cluster.registerInfraEnv();
    const key = await cluster.knownHost();
    expect(await running.statuses(key)).toEqual(['known']);
    return key;
  }

  it('does not start on a status from before a change that is not evaluated yet', async () => {
    const cluster = new TestCluster(running);
    const key = await knownHost(cluster);
    running.evaluation = async () => {
      await running.store.append(`validation-${key}`, 0, [
        {
          id: randomUUID(),
          type: 'HostOutcomesChanged',
          data: {
            ...{ hostKey: key, generation: 1, clusterId: cluster.id, reset: false, changed: [], at: '' },
            conditions: { ...SUFFICIENT, sufficientForInstall: false },
          },
          metadata: { commandId: randomUUID(), correlationId: 'c', actor: 'played', occurredAt: '' },
        },
      ]);
      return running.store.head();
    };

    await expect(running.ask(installHost, parseHostKey(key))).rejects.toMatchObject({
      refusal: { code: 'not-allowed-in-state' },
    });
    await running.settled();
    expect(await running.statuses(key)).toEqual(['insufficient']);
    expect(await running.types(streamIdOf('host', key))).not.toContain('HostInstallerChosen');
  });

  it('does not start on a status from before a change that is being stored', async () => {
    const cluster = new TestCluster(running);
    const key = await knownHost(cluster);
    const { held, release } = running.holdAppend(streamIdOf('host', key));
    const revised = running.ask(reviseHost, { ...parseHostKey(key), hostRole: 'master' });
    await held;
    const process = running.part(ClusterProcess);
    const settled = process.settled.bind(process);
    jest.spyOn(process, 'settled').mockImplementationOnce(async (...given) => {
      await settled(...given);
      running.evaluation = async () => {
        await cluster.evaluateHostOutcomes(key, { ...SUFFICIENT, sufficientForInstall: false });
        return running.store.head();
      };
      setImmediate(release);
    });
    await expect(running.ask(installHost, parseHostKey(key))).rejects.toMatchObject({
      refusal: { code: 'not-allowed-in-state' },
    });
    await revised;
    expect(await running.host(key)).toMatchObject({ status: 'insufficient', role: 'master' });
  });
});
