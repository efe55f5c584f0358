import { errorMessage } from '@muster/schema';
import { installCluster, RestClient } from '@muster/tool-demo';

/** Clusters that one process of machines installs, each from its definition to its credentials. */
export interface MachinesOrder {
  readonly restUrl: string;
  readonly outputDirectory: string;
  readonly clusters: readonly { readonly name: string; readonly hosts: number; readonly startAfterMs: number }[];
  readonly timeScale: number;
  readonly pollMsMin: number;
  readonly lookAgainMs: number;
  /** Time limit for all clusters together. Clusters that are not installed then are failures. */
  readonly timeoutMs: number;
  /** Clusters that are defined and not yet installed. */
  readonly clustersAtOnce: number;
}

export interface MachinesReport {
  /** Milliseconds from the definition to the installed cluster, one per installed cluster. */
  readonly installedMs: readonly number[];
  /** What went wrong, one text per cluster that was not installed. */
  readonly failures: readonly string[];
}

/** Sent for each installed cluster, and at the end the report. */
export type MachinesMessage = 'installed' | MachinesReport;

const CONTROL_PLANE_COUNT = 3;
/** With room for 1,024 hosts. The default network has room for 512. */
const CLUSTER_NETWORK = { cidr: '10.128.0.0/14', hostPrefix: 24 };

async function install(order: MachinesOrder): Promise<MachinesReport> {
  const client = new RestClient(order.restUrl);
  const installedMs: number[] = [];
  const failures = new Map(order.clusters.map(({ name }) => [name, 'not installed when the time was over']));
  const waiting = [...order.clusters];
  const startedMs = performance.now();
  const installOne = async ({ name, hosts, startAfterMs }: MachinesOrder['clusters'][number]): Promise<void> => {
    await pause(startAfterMs - (performance.now() - startedMs));
    const spec = {
      name,
      controlPlaneCount: CONTROL_PLANE_COUNT,
      machines: Array.from({ length: hosts }, () => ({})),
      machineNetwork: '10.20.0.0/16',
      vips: { api: '10.20.255.100', ingress: '10.20.255.101' },
      clusterNetwork: CLUSTER_NETWORK,
    };
    try {
      const { firstSeenMs } = await installCluster(spec, { ...order, client, seed: name, tell: () => undefined });
      installedMs.push(firstSeenMs.get('installed') ?? NaN);
      failures.delete(name);
      process.send?.('installed' satisfies MachinesMessage);
    } catch (error) {
      failures.set(name, errorMessage(error));
    }
  };
  const installNext = async (): Promise<void> => {
    for (let next = waiting.shift(); next; next = waiting.shift()) await installOne(next);
  };
  const all = Promise.all(Array.from({ length: order.clustersAtOnce }, installNext));
  await Promise.race([all, pause(order.timeoutMs)]);
  return { installedMs, failures: [...failures].map(([name, why]) => `${name}: ${why}`) };
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, Math.max(ms, 0)));

/** A process of its own, so that the machines are not counted as Muster. One order, one report. */
process.once('message', (order: MachinesOrder) => {
  install(order).then(
    (report) => process.send?.(report, () => process.exit(0)),
    (error: unknown) => {
      console.error(error);
      process.exit(1);
    },
  );
});
process.once('disconnect', () => process.exit(0));
