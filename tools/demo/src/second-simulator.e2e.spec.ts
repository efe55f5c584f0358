import { type ChildProcess, spawn } from 'node:child_process';
import { join } from 'node:path';
import { temporaryDirectory } from '@muster/testing';
import { MusterProcess } from './muster-process';
import { type ClusterView, type EventView, type HostView, RestClient } from './rest-client';
import { PULL_SECRET, until } from './scenario';

const SIMULATOR = join(__dirname, '..', '..', 'simulator', 'dist', 'main.js');
const TIME_SCALE = '200';
const TIMEOUT_MS = 120_000;

/** The simulator in a process of its own. Two of them share a folder of names and no memory. */
class SimulatorProcess {
  private readonly child: ChildProcess;
  output = '';

  constructor(args: readonly string[]) {
    this.child = spawn(process.execPath, [SIMULATOR, '--time-scale', TIME_SCALE, ...args]);
    for (const stream of [this.child.stdout, this.child.stderr])
      stream?.on('data', (chunk: Buffer) => void (this.output += chunk.toString()));
  }

  get isRunning(): boolean {
    return this.child.exitCode === null && this.child.signalCode === null;
  }

  async stop(): Promise<void> {
    if (!this.isRunning) return;
    const ended = new Promise((resolve) => this.child.once('exit', resolve));
    this.child.kill('SIGTERM');
    await ended;
  }
}

describe.each([
  ['three control plane hosts', 3, { api: '192.168.141.100', ingress: '192.168.141.101' }, 'allow-add-hosts'],
  ['a single node', 1, undefined, 'allow-add-workers'],
])('a cluster of %s in another simulator process', (_, controlPlaneCount, vips, action) => {
  jest.setTimeout(2 * TIMEOUT_MS + 60_000);
  const folder = temporaryDirectory();
  const simulators: SimulatorProcess[] = [];
  let muster: MusterProcess;
  let client: RestClient;
  let version = '';
  let cluster: ClusterView;
  let first: SimulatorProcess;

  const simulate = (imageUrl: string, ...args: readonly string[]): SimulatorProcess => {
    const options = ['--image-url', imageUrl, '--names', join(folder.path, 'names'), '--network', '192.168.141.0/24'];
    const simulator = new SimulatorProcess([...options, ...args]);
    simulators.push(simulator);
    return simulator;
  };
  const outputs = (): string => simulators.map(({ output }) => output.slice(-2_000)).join('\n---\n');
  const imageFor = async (name: string, clusterId: string): Promise<{ id: string; url: string }> => {
    const { id } = await client.post<{ id: string }>('/infra-envs', {
      name,
      cluster_id: clusterId,
      pull_secret: PULL_SECRET,
    });
    return { id, ...(await client.get<{ url: string }>(`/infra-envs/${id}/downloads/image-url`)) };
  };

  beforeAll(async () => {
    muster = await MusterProcess.prepare({ dataDirectory: join(folder.path, 'data') });
    await muster.start();
    client = new RestClient(muster.restUrl);
    const versions = await client.get<{ [name: string]: { default?: boolean } }>('/openshift-versions');
    version = Object.keys(versions).find((name) => versions[name]?.default) ?? '';
    cluster = await client.post<ClusterView>('/clusters', {
      name: 'lab',
      base_dns_domain: 'example.com',
      openshift_version: version,
      control_plane_count: controlPlaneCount,
      pull_secret: PULL_SECRET,
      ...(vips && { api_vips: [{ ip: vips.api }], ingress_vips: [{ ip: vips.ingress }] }),
    });
    const { url } = await imageFor('lab', cluster.id);
    first = simulate(url, '--count', String(controlPlaneCount), '--prefix', 'lab');
    const reaches = (status: string): Promise<void> =>
      until(TIMEOUT_MS, `the cluster is ${status}`, async () => {
        const seen = await client.get<ClusterView>(`/clusters/${cluster.id}`);
        if (seen.status === 'error') throw new Error(`${seen.status_info}\n${outputs()}`);
        return seen.status === status;
      });
    await reaches('ready');
    await client.post(`/clusters/${cluster.id}/actions/install`);
    await reaches('installed');
    await until(TIMEOUT_MS, 'the reboot of each node is in the event log', async () => {
      const events = await client.get<readonly EventView[]>(`/events?cluster_id=${cluster.id}`);
      const reboots = events.filter(({ message }) => /^Node lab-\d has been rebooted 1 times/.test(message));
      return reboots.length === controlPlaneCount;
    });
  });
  afterAll(async () => {
    await Promise.all(simulators.map((one) => one.stop()));
    await muster.stop();
    folder.remove();
  });

  const addHost = async (name: string, clusterId: string, firstAddress: number): Promise<void> => {
    const { id, url } = await imageFor(name, clusterId);
    const second = simulate(url, '--count', '1', '--prefix', name, '--first-address', String(firstAddress));
    const reaches = async (status: string): Promise<HostView> => {
      let host: HostView | undefined;
      await until(TIMEOUT_MS, `${name} is ${status}`, async () => {
        [host] = await client.get<readonly HostView[]>(`/infra-envs/${id}/hosts`);
        return host?.status === status;
      }).catch((error: unknown) => {
        throw new Error(`${String(error)}\n${host?.status}: ${host?.status_info}\n${outputs()}`);
      });
      if (!host) throw new Error(`${name} is not registered.`);
      return host;
    };
    const host = await reaches('known');
    await client.post(`/infra-envs/${id}/hosts/${host.id}/actions/install`);
    expect(await reaches('added-to-existing-cluster')).toMatchObject({
      role: 'worker',
      progress: { current_stage: 'Done' },
    });
    // The machine boots from its disk and fetches the config of its pool from the first process.
    await until(TIMEOUT_MS, `${name} is a node`, async () => second.output.includes('node: ready')).catch(
      (error: unknown) => {
        throw new Error(`${String(error)}\n${outputs()}`);
      },
    );
    expect(second.output).not.toContain('the machine stopped');
    expect([first.isRunning, second.isRunning]).toEqual([true, true]);
  };

  it('is imported, and a host of a second process joins it', async () => {
    const imported = await client.post<ClusterView>('/clusters/import', {
      name: 'lab-day2',
      api_vip_dnsname: vips?.api ?? 'api.lab.example.com',
      openshift_cluster_id: '7d3b6c11-6c1f-4c3b-9d0b-5a4c70b0a001',
    });
    await addHost('imported', imported.id, 60);
  });

  it('allows more hosts, and a host of a second process joins it', async () => {
    await client.post(`/clusters/${cluster.id}/actions/${action}`);
    const { status, status_info } = await client.get<ClusterView>(`/clusters/${cluster.id}`);
    expect([status, status_info]).toEqual(['adding-hosts', 'cluster is adding hosts to existing OCP cluster']);
    await addHost('added', cluster.id, 70);
  });
});
