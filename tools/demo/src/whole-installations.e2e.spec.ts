import { readFileSync } from 'node:fs';
import { freePort, type RunningMuster, startEmbedded } from '@muster/service-muster';
import { type TemporaryDirectory, temporaryDirectory } from '@muster/testing';
import { METRIC_EVENTS, type MetricEventName, type MetricEventRow } from '@muster/assisted-api';
import type { JsonObject, RecordedEvent } from '@muster/ports';
import { type EventView, RestClient } from './rest-client';
import { type ClusterSpec, installCluster, type InstalledCluster, type ScenarioOptions } from './scenario';

const TIME_SCALE = 150;

interface MetricView extends EventView {
  readonly host_id?: string;
  readonly props: string;
}

interface MeasuredCluster {
  readonly install_started_at: string;
  readonly install_completed_at: string;
  readonly hosts: readonly {
    readonly id: string;
    readonly role: string;
    readonly bootstrap?: boolean;
    readonly inventory: string;
    readonly installation_disk_id?: string;
  }[];
}

interface MeasuredInventory {
  readonly cpu: { readonly count: number };
  readonly memory: { readonly physical_bytes: number };
  readonly disks: readonly { readonly id: string; readonly drive_type: string; readonly size_bytes: number }[];
  readonly interfaces: readonly { readonly speed_mbps: number }[];
  readonly system_vendor: { readonly manufacturer: string; readonly product_name: string };
}

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

  install(spec: ClusterSpec, more: Pick<ScenarioOptions, 'mayRecover'> = {}): Promise<InstalledCluster> {
    return installCluster(spec, {
      client: this.client,
      timeScale: TIME_SCALE,
      seed: spec.name,
      outputDirectory: this.directory.path,
      tell: () => undefined,
      ...more,
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
  const installed: InstalledCluster[] = [];
  beforeAll(async () => {
    whole = await WholeMuster.start();
    const specs = [
      compact('clean-a', 121),
      compact('clean-b', 122),
      compact('clean-c', 123),
      singleNode('clean-d', 124),
      singleNode('clean-e', 125),
    ];
    installed.push(...(await Promise.all(specs.map((spec) => whole.install(spec)))));
  }, 480_000);
  afterAll(() => whole.stop());

  it('of five clusters raise no event above info', async () => {
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

  it.each(['clean-a', 'clean-d'])('have the metrics events that assisted-service v2 lists (%s)', async (name) => {
    const id = installed.find((cluster) => cluster.name === name)?.id ?? '';
    const cluster = await whole.client.get<MeasuredCluster>(`/clusters/${id}`);
    const read = (query: string) => whole.client.get<readonly MetricView[]>(`/events?cluster_id=${id}${query}`);
    const metrics = await read('&categories=metrics');
    expect(new Set(metrics.map((event) => `${event.name}/${event.severity}`))).toEqual(new Set(['/info']));
    const propsOf = (message: string, hostId?: string) =>
      metrics
        .filter((event) => event.message === message && event.host_id === hostId)
        .map(({ props }) => JSON.parse(props) as JsonObject);

    // A simulated installation reads no release, so the event of the installer cache is absent.
    const rows: readonly (readonly [string, MetricEventRow])[] = Object.entries(METRIC_EVENTS);
    const expected = rows.filter(([message, { source }]) => source && message !== 'installercache.release.metrics');
    expect([...new Set(metrics.map(({ message }) => message))].sort()).toEqual(expected.map(([one]) => one).sort());
    for (const { message, props } of metrics)
      expect(Object.keys(JSON.parse(props) as JsonObject).sort()).toEqual(
        [...METRIC_EVENTS[message as MetricEventName].props].sort(),
      );

    const seconds = (Date.parse(cluster.install_completed_at) - Date.parse(cluster.install_started_at)) / 1_000;
    expect(propsOf('cluster.installation.results')).toEqual([
      { duration: expect.closeTo(seconds, 2) as number, result: 'installed', lastState: 'finalizing' },
    ]);
    const progress = (await read('')).filter((event) => event.name === 'host_install_progress_updated');
    for (const host of cluster.hosts) {
      const { cpu, disks, interfaces, memory, system_vendor: vendor } = JSON.parse(host.inventory) as MeasuredInventory;
      const host_role = host.bootstrap ? 'bootstrap' : host.role;
      const of = { host_result: 'Done', host_role };
      const gib = (bytes: number): number => Math.floor(bytes / 2 ** 30);
      expect(propsOf('host.mem.cpu', host.id)).toEqual([
        { ...of, mem_bytes: gib(memory.physical_bytes), core_count: cpu.count },
      ]);
      expect(propsOf('disk.size.type', host.id)).toEqual(
        disks.map(({ drive_type, size_bytes }) => ({ ...of, disk_type: drive_type, disk_size: gib(size_bytes) })),
      );
      expect(propsOf('nic.speed', host.id)).toEqual(
        interfaces.map(({ speed_mbps }) => ({ ...of, nic_speed: speed_mbps })),
      );
      expect(propsOf('nic.physical_interfaces', host.id)).toEqual([{ count: interfaces.length }]);
      expect(propsOf('nic.virtual_interfaces', host.id)).toEqual([{ count: 0, types: [] }]);
      const reached = progress
        .filter((event) => event.host_id === host.id)
        .map(({ props }) => String((JSON.parse(props) as JsonObject)['event']).replace(/: .*$/, ''));
      expect(reached.at(-1)).toBe('Done');
      const disk = disks.find((one) => one.id === host.installation_disk_id);
      expect(propsOf('host.stage.duration', host.id)).toEqual(
        [...new Set(reached.slice(0, -1))].map((host_stage) => ({
          result: 'Done',
          duration: expect.any(Number) as number,
          host_stage,
          vendor: vendor.manufacturer,
          product: vendor.product_name,
          disk_type: disk?.drive_type,
          host_role,
        })),
      );
    }
  });
});

describe('an installation whose deadline passes', () => {
  jest.setTimeout(240_000);
  let whole: WholeMuster;
  beforeAll(async () => (whole = await WholeMuster.start({ FINALIZING_TIMEOUT: '1ms' })));
  afterAll(() => whole.stop());

  it('accepts the ingress CA in error, and completes once the operators are available', async () => {
    const { id, kubeconfigFile } = await whole.install(compact('late', 126), { mayRecover: true });
    const streams = [`cluster-${id}`, `artifact-${id}`];
    const events = (await whole.storedEvents()).filter(({ streamId }) => streams.includes(streamId));
    const entered = events.filter(({ type }) => type === 'ClusterEnteredStatus');
    expect(entered.slice(-3).map(({ data }) => [data['from'], data['status']])).toEqual([
      ['installing', 'finalizing'],
      ['finalizing', 'error'],
      ['error', 'installed'],
    ]);
    const [failed, installed] = entered.slice(-2).map((event) => events.indexOf(event));
    const accepted = events.findIndex(({ type }) => type === 'IngressCaAccepted');
    expect(accepted).toBeGreaterThan(failed ?? -1);
    expect(accepted).toBeLessThan(installed ?? -1);
    expect(readFileSync(kubeconfigFile, 'utf8')).toContain('clusters:');
  });
});
