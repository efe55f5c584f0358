import { RegistrationService, streamIdOf } from '@muster/contracts';
import { eventually } from '@muster/testing';
import { PREPARED, TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

const MINUTE_MS = 60_000;

const MIB = 2 ** 20;
const IMAGE = 'quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:1';

describe('the download of a release', () => {
  let running: RunningRegistration;
  let cluster: TestCluster;
  const SLOW_HOSTS = { HOST_MAX_DISCONNECTION_TIME: '9000h', PREPARE_FOR_INSTALLATION_HOST_TIMEOUT: '9000h' };
  beforeAll(async () => (running = await RunningRegistration.start(SLOW_HOSTS)));
  beforeEach(() => (cluster = new TestCluster(running)));
  afterAll(() => running.stop());
  const letTimePass = async (ms: number): Promise<void> => {
    running.clock.advance(ms);
    const bystander = new TestCluster(running);
    await bystander.registerInfraEnv('');
    await bystander.registerHost();
  };
  const downloaded = async (mib: number, attempt = 1): Promise<void> => {
    const sizes = { downloadedBytes: mib * MIB, totalBytes: 300 * MIB };
    const data = { clusterId: cluster.id, attempt, image: IMAGE, ...sizes };
    await running.append(streamIdOf('artifact', cluster.id), { type: 'ReleaseDownloadProgressed', data });
  };
  const status = async () => (await running.cluster(cluster.id)).status;
  const timedOut = async (): Promise<object> => {
    await eventually('the preparation took too long', async () => (await status()) === 'ready');
    const stored = await running.events(streamIdOf('cluster', cluster.id));
    return stored.findLast(({ type }) => type === 'InstallationPreparationFailed')?.data ?? {};
  };

  it('extends the preparation with each progress, and is named when it stopped', async () => {
    const keys = await cluster.ready();
    await cluster.install();
    for (const key of keys) await cluster.evaluateHostOutcomes(key, PREPARED);
    for (const mib of [10, 20, 30]) {
      await letTimePass(9 * MINUTE_MS);
      await downloaded(mib);
    }
    expect(await status()).toBe('preparing-for-installation');
    await running.stopService();
    await running.startService();
    await letTimePass(9 * MINUTE_MS);
    expect(await status()).toBe('preparing-for-installation');
    await letTimePass(1.5 * MINUTE_MS);
    const reason = `Preparing cluster for installation timeout. The download of ${IMAGE} stopped after 30 of 300 MiB. Check the registry and the network of the service, then start the installation again`;
    expect(await timedOut()).toEqual({ attempt: 1, reason });
    const stored = await running.events(streamIdOf('cluster', cluster.id));
    // The cluster may have been evaluated again, with a status reason that names no download.
    expect(stored.findLast(({ type }) => type === 'ClusterEnteredStatus')?.data).toMatchObject({
      statusReason: { code: 'download-stopped', parameters: { image: IMAGE, done: '30', total: '300' } },
    });
  });

  it('leaves the hosts their time when it ends after the time limit of the preparation', async () => {
    const keys = await cluster.ready();
    await cluster.install();
    for (const key of keys.slice(1)) await cluster.evaluateHostOutcomes(key, PREPARED);
    for (const mib of [150, 300]) {
      await letTimePass(9 * MINUTE_MS);
      await downloaded(mib);
    }
    await cluster.artifactsPrepared();
    await letTimePass(9 * MINUTE_MS);
    expect(await status()).toBe('preparing-for-installation');
    await letTimePass(1.5 * MINUTE_MS);
    expect(await timedOut()).toMatchObject({ reason: expect.not.stringContaining('download') as string });
  });

  it('and a wait for other preparations extend the preparation, also across a start', async () => {
    await cluster.ready();
    await cluster.install();
    for (const minute of [9, 18, 27]) {
      await letTimePass(9 * MINUTE_MS);
      const data = { clusterId: cluster.id, attempt: 1, minute, ahead: 2 };
      await running.append(streamIdOf('artifact', cluster.id), { type: 'PreparationQueued', data });
    }
    await running.stopService();
    await running.startService();
    await letTimePass(9 * MINUTE_MS);
    expect(await status()).toBe('preparing-for-installation');
    await letTimePass(1.5 * MINUTE_MS);
    expect(await timedOut()).toMatchObject({ reason: expect.not.stringContaining('download') as string });
  });

  it('extends a second attempt that waits for the download of the first one', async () => {
    await cluster.ready();
    await cluster.install();
    await downloaded(10);
    await running.ask(RegistrationService.method.cancelInstallation, { clusterId: cluster.id });
    await cluster.install();
    await letTimePass(9 * MINUTE_MS);
    await downloaded(20);
    await letTimePass(9 * MINUTE_MS);
    expect(await status()).toBe('preparing-for-installation');
    await letTimePass(1.5 * MINUTE_MS);
    expect(await timedOut()).toMatchObject({
      attempt: 2,
      reason: expect.stringContaining(`The download of ${IMAGE} stopped after 20 of 300 MiB`) as string,
    });
  });
});
