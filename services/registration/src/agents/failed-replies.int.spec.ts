import type { HostKey } from '@muster/contracts';
import { TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

describe('the reply of a failed step', () => {
  let running: RunningRegistration;
  let cluster: TestCluster;
  let key: HostKey;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());
  beforeEach(async () => {
    cluster = new TestCluster(running);
    await cluster.registerInfraEnv('');
    key = await cluster.registerHost();
    running.reports.length = 0;
  });
  afterEach(() => running.inventoryRefuses(undefined));

  const measurement = { exitCode: 1, output: '{"path":"/dev/sda","io_sync_duration":0}', error: 'The disk hangs.' };
  const reply = () => cluster.reply(key, 'installation-disk-speed-check', measurement);

  it.each(['unavailable', 'busy'] as const)(
    'is refused while its report cannot be recorded, so that the agent sends it again: %s',
    async (code) => {
      running.inventoryRefuses({ code, reason: 'The event store is not available' });
      await expect(reply()).rejects.toMatchObject({ refusal: { code } });
    },
  );

  it('is accepted when its report is not valid, because the agent cannot correct it', async () => {
    running.inventoryRefuses({ code: 'invalid-input', reason: 'The report is not valid' });
    await expect(reply()).resolves.toMatchObject({ stored: {} });
  });

  it('is no failed step of the host when its agent could not be replaced', async () => {
    await cluster.reply(key, 'upgrade-agent', { exitCode: 1, error: 'no space left on device' });
    expect(running.reports).toEqual([]);
    await cluster.reply(key, 'ntp-synchronizer', { exitCode: 1, error: 'no space left on device' });
    expect(running.reports).toMatchObject([{ type: 'StepFailed', data: { stepType: 'ntp-synchronizer' } }]);
  });
});
