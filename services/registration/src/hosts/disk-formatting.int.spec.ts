import { parseHostKey, RegistrationService } from '@muster/contracts';
import { TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

const { reviseHost } = RegistrationService.method;

describe('disks that stay unchanged in an installation', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());

  it('are all kept when requests at the same time add one each', async () => {
    const cluster = new TestCluster(running);
    await cluster.register();
    await cluster.registerInfraEnv();
    const key = await cluster.knownHost();
    const ids = ['/dev/sda', '/dev/sdb', '/dev/sdc'];
    const protect = (diskId: string) =>
      running.ask(reviseHost, { ...parseHostKey(key), disks: { items: [{ diskId, skip: true }] } });
    await Promise.all(ids.map(protect));
    const { skipFormattingDisks = '' } = (await running.host(key)).settings;
    expect(skipFormattingDisks.split(',').sort()).toEqual(ids);
  });
});
