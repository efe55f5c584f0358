import { freePort, type RunningMuster, startEmbedded } from '@muster/service-muster';
import { type TemporaryDirectory, temporaryDirectory } from '@muster/testing';
import type { RecordedEvent } from '@muster/ports';
import { createIngressCa } from '@muster/tool-simulator';
import { type ClusterView, type EventView, RestClient } from './rest-client';
import { type ClusterSpec, installCluster, type InstalledCluster, until } from './scenario';

const TIME_SCALE = 150;

const compact = (name: string, third: number): ClusterSpec => ({
  name,
  controlPlaneCount: 3,
  machines: [{}, {}, {}],
  machineNetwork: `192.168.${third}.0/24`,
  vips: { api: `192.168.${third}.100`, ingress: `192.168.${third}.101` },
});
const singleNode = (name: string, third: number): ClusterSpec => ({
  name,
  controlPlaneCount: 1,
  machines: [{ cpuCount: 16, memoryGib: 64 }],
  machineNetwork: `192.168.${third}.0/24`,
  transport: 'http',
});

/** All services behind the real gateway, on a nats-server and a SQLite file. */
class WholeMuster {
  private constructor(
    private readonly muster: RunningMuster,
    private readonly directory: TemporaryDirectory,
    readonly client: RestClient,
  ) {}

  static async start(environment: Readonly<Record<string, string>> = {}): Promise<WholeMuster> {
    const directory = temporaryDirectory();
    const [restPort, imagePort] = [await freePort('127.0.0.1'), await freePort('127.0.0.1')];
    const restUrl = `http://127.0.0.1:${restPort}`;
    const silent = (): void => undefined;
    const muster = await startEmbedded(
      {
        MUSTER_DATA_DIRECTORY: directory.path,
        REST_HOST: '127.0.0.1',
        REST_PORT: String(restPort),
        IMAGE_HOST: '127.0.0.1',
        IMAGE_PORT: String(imagePort),
        SERVICE_BASE_URL: restUrl,
        IMAGE_SERVICE_BASE_URL: `http://127.0.0.1:${imagePort}`,
        ...environment,
      },
      { log: silent, error: silent, warn: silent },
    );
    return new WholeMuster(muster, directory, new RestClient(restUrl));
  }

  install(spec: ClusterSpec): Promise<InstalledCluster> {
    return installCluster(spec, {
      client: this.client,
      timeScale: TIME_SCALE,
      seed: spec.name,
      outputDirectory: this.directory.path,
      tell: () => undefined,
    });
  }

  async storedEvents(): Promise<readonly RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    for await (const page of this.muster.platform.eventStore.readAll(-1)) events.push(...page);
    return events;
  }

  async stop(): Promise<void> {
    await this.muster.close();
    this.directory.remove();
  }
}

describe('clean installations', () => {
  jest.setTimeout(480_000);
  let whole: WholeMuster;
  beforeAll(async () => (whole = await WholeMuster.start()));
  afterAll(() => whole.stop());

  it('of five clusters raise no event above info', async () => {
    const specs = [
      compact('clean-a', 121),
      compact('clean-b', 122),
      compact('clean-c', 123),
      singleNode('clean-d', 124),
      singleNode('clean-e', 125),
    ];
    const installed: InstalledCluster[] = [];
    for (const spec of specs) installed.push(await whole.install(spec));
    const raised = await Promise.all(
      installed.map(async ({ id, name }) => {
        const events = await whole.client.get<readonly EventView[]>(`/events?cluster_id=${id}&order=ascending`);
        expect(events.length).toBeGreaterThan(20);
        return events
          .filter(({ severity }) => severity !== 'info')
          .map(({ message, severity }) => `${name}: ${severity}: ${message}`);
      }),
    );
    expect(raised.flat()).toEqual([]);
  });
});

describe('an installation whose deadline passes', () => {
  jest.setTimeout(240_000);
  let whole: WholeMuster;
  beforeAll(async () => (whole = await WholeMuster.start({ FINALIZING_TIMEOUT: '1ms' })));
  afterAll(() => whole.stop());

  it('accepts the ingress CA in error, and completes once the operators are available', async () => {
    const spec = compact('late', 126);
    await expect(whole.install(spec)).rejects.toThrow('late is error: Cluster installation timeout while finalizing');
    const { client } = whole;
    const [{ id = '' } = {}] = await client.get<readonly ClusterView[]>('/clusters');
    const before = await whole.storedEvents();
    expect(before.some(({ type }) => type === 'IngressCaAccepted')).toBe(false);

    // A controller that is still at work reports as if there had been no deadline.
    await client.post(`/clusters/${id}/uploads/ingress-cert`, await createIngressCa(Date.now()));
    const operators = await client.get<readonly { readonly name: string }[]>(`/clusters/${id}/monitored-operators`);
    expect(operators.length).toBeGreaterThan(0);
    for (const { name } of operators)
      await client.put(`/clusters/${id}/monitored-operators`, { name, status: 'available', status_info: '' });

    await until(20_000, 'the cluster is installed', async () => {
      const { status } = await client.get<ClusterView>(`/clusters/${id}`);
      return status === 'installed';
    });
    const entered = (await whole.storedEvents()).filter(
      ({ streamId, type }) => streamId === `cluster-${id}` && type === 'ClusterEnteredStatus',
    );
    expect(entered.slice(-3).map(({ data }) => [data['from'], data['status']])).toEqual([
      ['installing', 'finalizing'],
      ['finalizing', 'error'],
      ['error', 'installed'],
    ]);
    expect(await client.download(`/clusters/${id}/downloads/credentials?file_name=kubeconfig`)).toContain('clusters:');
  });
});
