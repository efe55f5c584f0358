import { freePort, type RunningMuster, startEmbedded } from '@muster/service-muster';
import { simulatedFleet, type SimulatedFleet } from '@muster/tool-simulator';
import { type TemporaryDirectory, temporaryDirectory } from '@muster/testing';
import { type ClusterView, type EventView, type HostView, RestClient } from './rest-client';
import { PULL_SECRET, until } from './scenario';

describe('an installed host that is reclaimed', () => {
  jest.setTimeout(240_000);
  let directory: TemporaryDirectory;
  let muster: RunningMuster;
  let fleet: SimulatedFleet | undefined;
  let client: RestClient;

  beforeAll(async () => {
    directory = temporaryDirectory();
    const [restPort, imagePort] = [await freePort('127.0.0.1'), await freePort('127.0.0.1')];
    const silent = (): void => undefined;
    muster = await startEmbedded(
      {
        MUSTER_DATA_DIRECTORY: directory.path,
        REST_HOST: '127.0.0.1',
        REST_PORT: String(restPort),
        IMAGE_HOST: '127.0.0.1',
        IMAGE_PORT: String(imagePort),
      },
      { log: silent, error: silent, warn: silent },
    );
    client = new RestClient(`http://127.0.0.1:${restPort}`);
  });
  afterAll(async () => {
    await fleet?.powerOff();
    await muster.close();
    directory.remove();
  });

  it('returns to the pool of its infra-env without a user action on the machine', async () => {
    const common = { pull_secret: PULL_SECRET, openshift_version: '4.18', cpu_architecture: 'x86_64' };
    const cluster = await client.post<ClusterView>('/clusters', {
      ...common,
      name: 'reclaim',
      base_dns_domain: 'example.com',
      control_plane_count: 1,
    });
    const infraEnv = await client.post<{ id: string }>('/infra-envs', { ...common, name: 'pool' });
    const { url } = await client.get<{ url: string }>(`/infra-envs/${infraEnv.id}/downloads/image-url`);
    fleet = simulatedFleet({
      machines: [{ cpuCount: 16, memoryGib: 64 }],
      seed: 'reclaim',
      timeScale: 150,
      machineNetwork: '192.168.141.0/24',
      namePrefix: 'reclaim',
    });
    const [machine] = fleet.machines;
    if (!machine) throw new Error('The fleet has one machine.');
    await fleet.bootFromUrl(url);
    const place = `/infra-envs/${infraEnv.id}/hosts/${machine.hostId}`;
    const hostIs = (status: string): Promise<void> =>
      until(60_000, `the host is ${status}`, async () => {
        const hosts = await client.get<readonly HostView[]>(`/infra-envs/${infraEnv.id}/hosts`);
        return hosts[0]?.status === status;
      });
    const clusterIs = (status: string): Promise<void> =>
      until(
        120_000,
        `the cluster is ${status}`,
        async () => (await client.get<ClusterView>(`/clusters/${cluster.id}`)).status === status,
      );
    await hostIs('known-unbound');
    await client.post(`${place}/actions/bind`, { cluster_id: cluster.id });
    await clusterIs('ready');
    await client.post(`/clusters/${cluster.id}/actions/install`);
    await clusterIs('installed');

    await client.post(`${place}/actions/unbind?reclaim=true`);
    await hostIs('reclaiming');
    expect(machine.power).toBe('installed');
    machine.startNodeAgent();
    await hostIs('known-unbound');
    expect(machine.power).toBe('discovery');
    const events = await client.get<readonly EventView[]>(`/events?infra_env_id=${infraEnv.id}`);
    const statuses = events.flatMap(
      ({ message }) => /updated status from (\S+) to (\S+)/.exec(message)?.slice(1, 3) ?? [],
    );
    expect(statuses.join(' ').replaceAll('"', '')).toContain('reclaiming-rebooting');
  });
});
