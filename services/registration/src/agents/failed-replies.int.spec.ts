import { type HostKey, parseHostKey, RegistrationService, streamIdOf } from '@muster/contracts';
import { TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

const { method } = RegistrationService;

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

  // The limits of a reason are even numbers of UTF-16 units, and a compass has two of them.
  const longError = `x${'🧭'.repeat(1_000)}`;

  it('is recorded when the limit is within a character of its error', async () => {
    await cluster.reply(key, 'ntp-synchronizer', { exitCode: 1, error: longError });
    expect(running.reports).toMatchObject([{ type: 'StepFailed', data: { stepType: 'ntp-synchronizer' } }]);
  });

  it('ends a reclaim when the limit is within a character of its error', async () => {
    key = await cluster.knownHost();
    const target = new TestCluster(running);
    await target.register();
    await running.ask(method.bindHost, { ...parseHostKey(key), clusterId: target.id });
    await cluster.registerHost(parseHostKey(key).hostId);
    const installed = { type: 'HostEnteredStatus', data: { status: 'installed', from: 'discovering' } } as const;
    await running.append(streamIdOf('host', key), installed);
    await running.ask(method.unbindHost, { ...parseHostKey(key), reclaim: true });
    await cluster.reply(key, 'download-boot-artifacts', { exitCode: 1, error: longError });
    expect((await running.host(key)).status).toBe('unbinding-pending-user-action');
  });
});
