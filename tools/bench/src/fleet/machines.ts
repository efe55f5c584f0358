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
  readonly timeoutMs: number;
}

export interface MachinesReport {
  /** Milliseconds from the definition to the installed cluster, one per installed cluster. */
  readonly installedMs: readonly number[];
  /** What went wrong, one text per cluster that was not installed. */
  readonly failures: readonly string[];
}

const CONTROL_PLANE_COUNT = 3;

async function install(order: MachinesOrder): Promise<MachinesReport> {
  const client = new RestClient(order.restUrl);
  const installedMs: number[] = [];
  const failures: string[] = [];
  await Promise.all(
    order.clusters.map(async ({ name, hosts, startAfterMs }) => {
      await new Promise((resolve) => setTimeout(resolve, startAfterMs));
      const spec = {
        name,
        controlPlaneCount: CONTROL_PLANE_COUNT,
        machines: Array.from({ length: hosts }, () => ({})),
        machineNetwork: '10.20.0.0/16',
        vips: { api: '10.20.255.100', ingress: '10.20.255.101' },
      };
      try {
        const { firstSeenMs } = await installCluster(spec, { ...order, client, seed: name, tell: () => undefined });
        installedMs.push(firstSeenMs.get('installed') ?? NaN);
      } catch (error) {
        failures.push(`${name}: ${errorMessage(error)}`);
      }
    }),
  );
  return { installedMs, failures };
}

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
