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
  /** Clusters that are being installed. The hosts of further ones, which are ready, poll until it is their turn. */
  readonly installationsAtOnce: number;
}

export interface MachinesReport {
  /** Milliseconds from the start of the installation to the installed cluster, one per installed cluster. */
  readonly installedMs: readonly number[];
  /** What went wrong, one text per cluster that was not installed. */
  readonly failures: readonly string[];
}

/** Sent for each cluster that is ready, installed or failed, and at the end the report. */
export type MachinesMessage = 'ready' | 'installed' | { readonly failed: string } | MachinesReport;

const LATE = 'not installed within the time limit';
const CONTROL_PLANE_COUNT = 3;
/** With room for 1,024 hosts. The default network has room for 512. */
const CLUSTER_NETWORK = { cidr: '10.128.0.0/14', hostPrefix: 24 };

async function install(order: MachinesOrder): Promise<MachinesReport> {
  const client = new RestClient(order.restUrl);
  const installedMs: number[] = [];
  const failures = new Map(order.clusters.map(({ name }) => [name, LATE]));
  const slots = createSlots(order.installationsAtOnce);
  const send = (message: MachinesMessage): unknown => process.send?.(message);
  const installOne = async ({ name, hosts, startAfterMs }: MachinesOrder['clusters'][number]): Promise<void> => {
    await pause(startAfterMs);
    const spec = {
      name,
      controlPlaneCount: CONTROL_PLANE_COUNT,
      machines: Array.from({ length: hosts }, () => ({})),
      machineNetwork: '10.20.0.0/16',
      vips: { api: '10.20.255.100', ingress: '10.20.255.101' },
      clusterNetwork: CLUSTER_NETWORK,
    };
    const tell = (text: string): unknown => failures.set(name, `${LATE}. Last: ${text}`);
    let release = (): void => undefined;
    let startedMs = 0;
    const untilMayInstall = async (): Promise<void> => {
      send('ready');
      release = await slots.take();
      startedMs = performance.now();
    };
    try {
      await installCluster(spec, { ...order, client, seed: name, tell, onTrouble: tell, untilMayInstall });
      installedMs.push(performance.now() - startedMs);
      failures.delete(name);
      send('installed');
    } catch (error) {
      failures.set(name, errorMessage(error));
      send({ failed: `${name}: ${errorMessage(error)}` });
    } finally {
      release();
    }
  };
  await Promise.race([Promise.all(order.clusters.map(installOne)), pause(order.timeoutMs)]);
  return { installedMs, failures: [...failures].map(([name, why]) => `${name}: ${why}`) };
}

/** A number of slots, given in the order in which they were asked for. */
function createSlots(count: number): { readonly take: () => Promise<() => void> } {
  const waiting: (() => void)[] = [];
  let free = count;
  const giveNext = (): void => {
    if (free === 0) return;
    const next = waiting.shift();
    if (!next) return;
    free -= 1;
    next();
  };
  const release = (): void => {
    free += 1;
    giveNext();
  };
  return {
    take: () =>
      new Promise((resolve) => {
        waiting.push(() => resolve(release));
        giveNext();
      }),
  };
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
