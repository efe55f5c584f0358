import { streamIdOf } from '@muster/contracts';
import { TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

describe('a step that could not read the media of a host', () => {
  let running: RunningRegistration;
  beforeAll(async () => (running = await RunningRegistration.start()));
  afterAll(() => running.stop());

  it('is no report and no failure of a host that no longer needs its media', async () => {
    const cluster = new TestCluster(running);
    const [key] = await cluster.installing();
    if (!key) throw new Error('the cluster has no hosts');
    for (const stage of ['Installing', 'Rebooting', 'Done']) await cluster.progress(key, stage);
    const before = await running.types(streamIdOf('host', key));
    running.reports.length = 0;
    for (const stepType of ['ntp-synchronizer', 'tang-connectivity-check'])
      await cluster.reply(key, stepType, { exitCode: 256, error: 'Input/output error' });
    expect((await running.host(key)).status).toBe('installed');
    expect(await running.types(streamIdOf('host', key))).toEqual(before);
    expect(running.reports).toEqual([]);
  });
});
