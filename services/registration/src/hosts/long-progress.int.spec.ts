import { parseHostKey, RegistrationService } from '@muster/contracts';
import { renderHostStatus } from '@muster/domain';
import { TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

const { reportHostProgress } = RegistrationService.method;

describe('a long text about a stage', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());

  const [begin, end] = ['failed executing nsenter', 'LastOutput "No space left on device"'];

  it('is stored and shown with its beginning and its end', async () => {
    const [key] = await new TestCluster(running).installing();
    if (!key) throw new Error('there are three hosts');
    const report = (stage: string, filler: string) =>
      running.ask(reportHostProgress, {
        ...parseHostKey(key),
        stage,
        progressInfo: `${begin} ${filler.repeat(3_000)} ${end}`,
      });
    await report('Installing', '\u{1f600}');
    const { info } = (await running.host(key)).progress;
    expect([info.startsWith(begin), info.endsWith(end), info.isWellFormed()]).toEqual([true, true, true]);
    expect(info.length).toBeLessThanOrEqual(2_000);
    await report('Failed', 'x');
    const { status, statusReason } = await running.host(key);
    expect(status).toBe('error');
    const statusInfo = renderHostStatus(statusReason, () => undefined);
    expect(statusInfo).toMatch(/^Failed - failed executing nsenter x+ … x+ LastOutput "No space left on device"$/);
  });
});
