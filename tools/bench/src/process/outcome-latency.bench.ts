import { setTimeout } from 'node:timers/promises';
import { openCaller } from '../load/caller';
import { bootFleet, type FleetHost, httpTarget, IN_FLIGHT, inventoryReply } from '../load/fleet';
import { startLoadProcess } from '../load/load';
import { type Bench, type BenchBed, count, type Measurement, p50AndP99, perSecond } from '../measurement';
import { type EmbeddedProcess, startEmbeddedProcess, untilQuiet } from './embedded-process';

const TOO_LITTLE_MEMORY_GIB = 4;
const TIMEOUT_MS = 30_000;
/** Pause between two reads, as a share of the time since the report, so that reads add little load to a slow answer. */
const PAUSE_SHARE = 0.1;
const PAUSE_MAX_MS = 50;

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
/** Memory of two inventories that follow each other, so that each one is a change. */
const MEMORY_GIB_IN_TURN = [96, 64];
const SATURATED_MS = 30_000;
const QUICK_SATURATED_MS = 2_000;
const SAMPLES = 300;
const QUICK_SAMPLES = 5;

/** Measures the time from a changed inventory to the readable outcome. */
export const outcomeLatency: Bench = {
  name: 'outcome',
  about:
    'inventory posted until its outcome is readable over REST, 1,000 hosts in many clusters, 3 to 1,000 in one; idle and saturated',
  run: async (bed) => {
    const measurements: Measurement[] = [];
    for (const fleet of bed.isQuick ? QUICK_FLEETS : FLEETS) measurements.push(await measure(bed, fleet));
    return [...measurements, await measureSaturated(bed, bed.isQuick ? { clusters: 2, hostsEach: 5 } : MANY_CLUSTERS)];
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

/** One cluster is sampled while the hosts of all others send changed inventories as fast as they are answered. */
async function measureSaturated(bed: BenchBed, fleet: Fleet): Promise<Measurement> {
  const muster = await startEmbeddedProcess(bed.directory('outcome-saturated'));
  const load = startLoadProcess();
  try {
    const hosts = await bootFleet(bed, muster, load, fleet);
    await untilQuiet(muster.dataDirectory);
    const sampled = hosts.filter(({ cluster }) => cluster === 0);
    const others = hosts.filter(({ cluster }) => cluster !== 0);
    const calls = MEMORY_GIB_IN_TURN.flatMap((gib) => others.map((host) => inventoryReply(host, gib)));
    const latenciesMs: number[] = [];
    let isSaturated = true;
    const stop = { ms: bed.isQuick ? QUICK_SATURATED_MS : SATURATED_MS };
    const loading = load.run({ calls, pace: { inFlight: IN_FLIGHT }, stop }).finally(() => (isSaturated = false));
    for (let number = 0; isSaturated; number += 1) {
      const host = sampled[number % sampled.length];
      const isFailure = Math.floor(number / sampled.length) % 2 === 0;
      if (host) latenciesMs.push(await sample(muster, host, isFailure));
    }
    const done = await loading;
    return {
      what: `inventory posted → outcome readable, ${count(hosts.length)} hosts, saturated`,
      measured: `${p50AndP99(latenciesMs)} (${count(latenciesMs.length)} samples, ${perSecond(done.calls, done.ms)} changed inventories)`,
      budget: 'p99 < 500 ms',
    };
  } finally {
    load.close();
    await muster.stop();
  }
}

/**
 * Returns the milliseconds from a changed inventory of the host to its readable outcome. `isFailure`: whether it has too little memory
 * now; it is the opposite of before.
 */
export async function sample(muster: EmbeddedProcess, host: FleetHost, isFailure = true): Promise<number> {
  const caller = await openCaller(httpTarget(muster));
  try {
    const startedMs = performance.now();
    await caller.call(inventoryReply(host, isFailure ? TOO_LITTLE_MEMORY_GIB : undefined));
    while ((await failsMemory(muster, host)) !== isFailure) {
      const waitedMs = performance.now() - startedMs;
      if (waitedMs > TIMEOUT_MS) throw new Error(`Host ${host.hostId} is not evaluated again.`);
      await setTimeout(Math.min(waitedMs * PAUSE_SHARE, PAUSE_MAX_MS));
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
