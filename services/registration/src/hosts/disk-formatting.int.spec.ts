import { parseHostKey, RegistrationService } from '@muster/contracts';
import { TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

const { reviseHost } = RegistrationService.method;

describe('disks that stay unchanged in an installation', () => {
  let running: RunningRegistration;
  let key: Awaited<ReturnType<TestCluster['knownHost']>>;
  beforeAll(async () => {
    running = await RunningRegistration.start();
    const cluster = new TestCluster(running);
    await cluster.register();
    await cluster.registerInfraEnv();
    key = await cluster.knownHost();
  });
  afterAll(() => running.stop());

  const choose = (diskId: string, skip = true) =>
    running.ask(reviseHost, { ...parseHostKey(key), disks: { items: [{ diskId, skip }] } });
  const kept = async () => ((await running.host(key)).settings.skipFormattingDisks ?? '').split(',').sort();

  it('are all kept when requests at the same time add one each', async () => {
    const ids = ['/dev/sda', '/dev/sdb', '/dev/sdc'];
    await Promise.all(ids.map((id) => choose(id)));
    expect(await kept()).toEqual(ids);
  });

  it.each(['', '/dev/sdd,/dev/sda', ','])('are not named %j, which the list of ids cannot contain', async (id) => {
    const before = await kept();
    await expect(choose(id)).rejects.toMatchObject({
      refusal: { code: 'invalid-input', subject: 'disks_skip_formatting' },
    });
    expect(await kept()).toEqual(before);
    await choose(id, false);
    expect(await kept()).toEqual(before);
  });
});
