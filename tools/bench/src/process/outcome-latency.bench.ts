import { openCaller } from '../load/caller';
import { bootFleet, type FleetHost, httpTarget, inventoryReply } from '../load/fleet';
import { startLoadProcess } from '../load/load';
import { type Bench, type BenchBed, count, type Measurement, p50AndP99 } from '../measurement';
import { type EmbeddedProcess, startEmbeddedProcess, untilQuiet } from './embedded-process';

const TOO_LITTLE_MEMORY_GIB = 4;
const TIMEOUT_MS = 30_000;

interface Fleet {
  readonly clusters: number;
  readonly hostsEach: number;
}
const MANY_CLUSTERS: Fleet = { clusters: 50, hostsEach: 20 };
const FLEETS: readonly Fleet[] = [
  MANY_CLUSTERS,
  ...[3, 100, 500, 1_000].map((hostsEach) => ({ clusters: 1, hostsEach })),
];
const QUICK_FLEETS: readonly Fleet[] = [
  { clusters: 2, hostsEach: 5 },
  { clusters: 1, hostsEach: 3 },
];
const SAMPLES = 300;
const QUICK_SAMPLES = 5;

/** Measures the time from a changed inventory to the readable outcome. */
export const outcomeLatency: Bench = {
  name: 'outcome',
  about: 'inventory posted until its outcome is readable over REST, 1,000 hosts in many clusters, 3 to 1,000 in one',
  run: async (bed) => {
    const measurements: Measurement[] = [];
    for (const fleet of bed.isQuick ? QUICK_FLEETS : FLEETS) measurements.push(await measure(bed, fleet));
    return measurements;
  },
};

async function measure(bed: BenchBed, { clusters, hostsEach }: Fleet): Promise<Measurement> {
  const muster = await startEmbeddedProcess(bed.directory(`outcome-${clusters}-${hostsEach}`));
  const load = startLoadProcess();
  try {
    const hosts = await bootFleet(bed, muster, load, { clusters, hostsEach });
    await untilQuiet(muster.dataDirectory);
    const latenciesMs: number[] = [];
    for (const host of hosts.slice(0, bed.isQuick ? QUICK_SAMPLES : SAMPLES))
      latenciesMs.push(await sample(muster, host));
    return {
      what: `inventory posted → outcome readable, ${count(hosts.length)} hosts${clusters === 1 ? ' in one cluster' : ''}`,
      measured: p50AndP99(latenciesMs),
      budget: 'p99 < 50 ms',
    };
  } finally {
    load.close();
    await muster.stop();
  }
}

/** Milliseconds from a changed inventory of the host, which passes now, to its readable outcome. */
export async function sample(muster: EmbeddedProcess, host: FleetHost): Promise<number> {
  const caller = await openCaller(httpTarget(muster));
  try {
    const startedMs = performance.now();
    await caller.call(inventoryReply(host, TOO_LITTLE_MEMORY_GIB));
    while (!(await failsMemory(muster, host))) {
      if (performance.now() - startedMs > TIMEOUT_MS) throw new Error(`Host ${host.hostId} is not evaluated again.`);
    }
    return performance.now() - startedMs;
  } finally {
    await caller.close();
  }
}

async function failsMemory({ restUrl }: EmbeddedProcess, { infraEnvId, hostId }: FleetHost): Promise<boolean> {
  const answer = await fetch(`${restUrl}/api/assisted-install/v2/infra-envs/${infraEnvId}/hosts/${hostId}`);
  const { validations_info } = (await answer.json()) as { validations_info?: string };
  const groups = JSON.parse(validations_info || '{}') as { [group: string]: { id: string; status: string }[] };
  return Object.values(groups)
    .flat()
    .some(({ id, status }) => id === 'has-min-memory' && status === 'failure');
}
