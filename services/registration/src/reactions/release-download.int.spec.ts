import { streamIdOf } from '@muster/contracts';
import { eventually } from '@muster/testing';
import { PREPARED, TestCluster } from '../cluster.fixture.spec';
import { RunningRegistration } from '../running-registration.fixture.spec';

const MINUTE_MS = 60_000;

describe('the download of a release', () => {
  let running: RunningRegistration;
  let cluster: TestCluster;
  beforeAll(async () => {
    running = await RunningRegistration.start({ HOST_MAX_DISCONNECTION_TIME: '9000h' });
    cluster = new TestCluster(running);
  });
  afterAll(() => running.stop());
  const letTimePass = async (ms: number): Promise<void> => {
    running.clock.advance(ms);
    const bystander = new TestCluster(running);
    await bystander.registerInfraEnv('');
    await bystander.registerHost();
  };

  it('extends the preparation with each progress, and is named when it stopped', async () => {
    const image = 'quay.io/openshift-release-dev/ocp-v4.0-art-dev@sha256:1';
    const keys = await cluster.ready();
    await cluster.install();
    for (const key of keys) await cluster.evaluateHostOutcomes(key, PREPARED);
    for (const mib of [10, 20, 30]) {
      await letTimePass(9 * MINUTE_MS);
      const data = {
        clusterId: cluster.id,
        attempt: 1,
        image,
        downloadedBytes: mib * 2 ** 20,
        totalBytes: 300 * 2 ** 20,
      };
      await running.append(streamIdOf('artifact', cluster.id), { type: 'ReleaseDownloadProgressed', data });
    }
    expect((await running.cluster(cluster.id)).status).toBe('preparing-for-installation');
    await running.stopService();
    await running.startService();
    await letTimePass(9 * MINUTE_MS);
    expect((await running.cluster(cluster.id)).status).toBe('preparing-for-installation');
    await letTimePass(1.5 * MINUTE_MS);
    await eventually('the download took too long', async () => (await running.cluster(cluster.id)).status === 'ready');
    const text = `Preparing cluster for installation timeout. The download of ${image} stopped after 30 of 300 MiB. Check the registry and the network of the service, then start the installation again`;
    const stored = (await running.events(streamIdOf('cluster', cluster.id))).map(({ type, data }) => ({ type, data }));
    // The cluster may have been evaluated again, with a status reason that names no download.
    expect(stored.findLast(({ type }) => type === 'ClusterEnteredStatus')?.data).toMatchObject({
      statusReason: { code: 'download-stopped', parameters: { image, done: '30', total: '300' } },
    });
    expect(stored).toContainEqual({ type: 'InstallationPreparationFailed', data: { attempt: 1, reason: text } });
  });
});
