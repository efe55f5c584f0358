import { RegistrationService, streamIdOf } from '@muster/contracts';
import { READY, TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';
import { ClusterProcess } from './cluster-process';

const { method } = RegistrationService;

describe('the installation of a cluster whose settings change at the same time', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterEach(() => jest.restoreAllMocks());
  afterAll(() => running.stop());

  it('is refused when the settings that are being stored do not pass the validations', async () => {
    const cluster = new TestCluster(running);
    await cluster.ready();
    const { held, release } = running.holdAppend(streamIdOf('cluster', cluster.id));
    const changes = { apiVips: { items: ['203.0.113.100'] } };
    const revised = running.ask(method.reviseCluster, { clusterId: cluster.id, changes });
    await held;
    // The installation has seen that the cluster is ready when the revision is stored.
    const process = running.part(ClusterProcess);
    const settled = process.settled.bind(process);
    jest.spyOn(process, 'settled').mockImplementationOnce(async (...given) => {
      await settled(...given);
      running.evaluation = async () => {
        await cluster.evaluate({ ...READY, requiredPassed: false });
        return running.store.head();
      };
      setImmediate(release);
    });
    await expect(cluster.install()).rejects.toMatchObject({ refusal: { code: 'not-allowed-in-state' } });
    await revised;
    expect(await running.cluster(cluster.id)).toMatchObject({ status: 'insufficient', attempt: 0 });
  });
});
