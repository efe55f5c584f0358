import { freePort, type RunningMuster, startEmbedded } from '@muster/service-muster';
import { simulatedFleet, type SimulatedFleet } from '@muster/tool-simulator';
import { type TemporaryDirectory, temporaryDirectory } from '@muster/testing';
import { type ClusterView, RestClient } from './rest-client';
import { PULL_SECRET, until } from './scenario';

const HOSTS = 3;
const NETWORK = '192.168.131.0/24';
const REPORTS = [
  'FreeAddressesReported',
  'NtpSourcesReported',
  'DomainsResolved',
  'InstallationDiskChosen',
  'HostRoleSuggested',
];

describe('a cluster whose settings change', () => {
  jest.setTimeout(240_000);
  let directory: TemporaryDirectory;
  let muster: RunningMuster;
  let fleet: SimulatedFleet;
  let client: RestClient;
  let id: string;

  const statusIs = (status: string): Promise<void> =>
    until(60_000, `the cluster is ${status}`, async () => {
      const cluster = await client.get<ClusterView>(`/clusters/${id}`);
      return cluster.status === status;
    });
  const entered = async (): Promise<string[]> => {
    const statuses: string[] = [];
    for await (const page of muster.platform.eventStore.readStream(`cluster-${id}`))
      for (const { type, data } of page) if (type === 'ClusterEnteredStatus') statuses.push(String(data['status']));
    return statuses;
  };

  beforeAll(async () => {
    directory = temporaryDirectory();
    const [restPort, imagePort] = [await freePort('127.0.0.1'), await freePort('127.0.0.1')];
    const restUrl = `http://127.0.0.1:${restPort}`;
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
    client = new RestClient(restUrl);
    const cluster = await client.post<ClusterView>('/clusters', {
      name: 'changes',
      base_dns_domain: 'example.com',
      openshift_version: '4.18',
      control_plane_count: 3,
      pull_secret: PULL_SECRET,
    });
    id = cluster.id;
    const infraEnv = await client.post<{ id: string }>('/infra-envs', {
      name: 'changes_infra-env',
      cluster_id: id,
      pull_secret: PULL_SECRET,
      openshift_version: '4.18',
      cpu_architecture: 'x86_64',
    });
    const { url } = await client.get<{ url: string }>(`/infra-envs/${infraEnv.id}/downloads/image-url`);
    fleet = simulatedFleet({
      machines: Array.from({ length: HOSTS }, () => ({})),
      seed: 'changes',
      timeScale: 150,
      machineNetwork: NETWORK,
      namePrefix: 'changes',
    });
    await fleet.bootFromUrl(url);
    await until(60_000, 'all hosts have reported their hardware', async () => {
      const { hosts } = await client.get<ClusterView>(`/clusters/${id}`);
      return hosts.length === HOSTS && hosts.every(({ inventory }) => inventory);
    });
    await until(60_000, 'all hosts have sent every report that a ready cluster needs', async () => {
      const found = new Set<string>();
      for await (const page of muster.platform.eventStore.readAll(-1))
        for (const { type, streamId, data } of page) {
          const peers =
            type === 'ConnectivityReported' ? (data['peers'] as unknown as readonly { hostId: string }[]) : [];
          for (const { hostId } of peers) found.add(`${hostId} reached by ${streamId.slice(-36)}`);
          if (REPORTS.includes(type)) found.add(`${type} of ${streamId.slice(-36)}`);
        }
      return found.size === HOSTS * (REPORTS.length + HOSTS - 1);
    });
  });
  afterAll(async () => {
    await fleet.powerOff();
    await muster.close();
    directory.remove();
  });

  it('enters no status on outcomes or host statuses from before the change', async () => {
    expect(await entered()).toEqual(['pending-for-input']);
    await client.patch(`/clusters/${id}`, {
      api_vips: [{ ip: '192.168.131.100' }],
      ingress_vips: [{ ip: '192.168.131.101' }],
    });
    await statusIs('ready');
    expect(await entered()).toEqual(['pending-for-input', 'ready']);
  });
});
