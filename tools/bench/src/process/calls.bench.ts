import {
  bootFleet,
  COMMON_CALLS,
  defineFleet,
  httpTarget,
  IN_FLIGHT,
  inventoryReply,
  oncePerHost,
  poll,
  registration,
  showCluster as showClusterCall,
} from '../load/fleet';
import { type LoadResult, startLoadProcess } from '../load/load';
import { type Bench, type BenchBed, count, kibibytes, type Measurement, p50AndP99, perSecond } from '../measurement';
import { startEmbeddedProcess, untilQuiet } from './embedded-process';

/** What agents do, as fast as sixteen of them at a time can. */
export const agentTransports: Bench = {
  name: 'agents',
  about: 'registrations, inventory replies and polls per second over HTTP, 16 in flight',
  run: async (bed) => {
    const shape = bed.isQuick ? { clusters: 2, hostsEach: 5 } : { clusters: 100, hostsEach: 30 };
    const muster = await startEmbeddedProcess(bed.directory('agents'));
    const load = startLoadProcess();
    try {
      const hosts = await defineFleet(muster.restUrl, shape.clusters, shape.hostsEach);
      await load.open(httpTarget(muster));
      const registered = await oncePerHost(load, hosts, registration);
      await untilQuiet(muster.dataDirectory);
      const told = await oncePerHost(load, hosts, (host) => inventoryReply(host));
      // The first poll also tells the host's clock.
      await oncePerHost(load, hosts, poll);
      await untilQuiet(muster.dataDirectory);
      const stop = { ms: bed.isQuick ? 1_000 : 8_000 };
      const asked = await load.run({ calls: hosts.map(poll), pace: { inFlight: IN_FLIGHT }, stop });
      return [
        line(`register host (${count(hosts.length)})`, registered, '> 1 500/s'),
        line(`inventory reply (${count(hosts.length)})`, told, '> 1 500/s'),
        line('instructions', asked, '> 4 000/s'),
      ];
    } finally {
      load.close();
      await muster.stop();
    }
  },
};

const line = (what: string, { calls, ms, latenciesMs }: LoadResult, budget: string): Measurement => ({
  what: `${what}, ${IN_FLIGHT} in flight`,
  measured: `${perSecond(calls, ms)} (${p50AndP99(latenciesMs)})`,
  budget,
});

/** The answer that consoles ask for again and again. */
export const showCluster: Bench = {
  name: 'cluster',
  about: 'GET of a cluster with 100 hosts, 16 in flight',
  run: async (bed) => {
    const hostsEach = bed.isQuick ? 5 : 100;
    const muster = await startEmbeddedProcess(bed.directory('cluster'));
    const load = startLoadProcess();
    try {
      const [host] = await bootFleet(bed, muster, load, { clusters: 1, hostsEach });
      await untilQuiet(muster.dataDirectory);
      const calls = [showClusterCall(host?.clusterId ?? '')];
      const stop = { ms: bed.isQuick ? 1_000 : 8_000 };
      const shown = await load.run({ calls, pace: { inFlight: IN_FLIGHT }, stop });
      return [
        {
          what: `GET cluster with ${hostsEach} hosts (${kibibytes(shown.answerBytes)}), ${IN_FLIGHT} in flight`,
          measured: `${perSecond(shown.calls, shown.ms)} (${p50AndP99(shown.latenciesMs)})`,
          budget: '> 400/s',
        },
      ];
    } finally {
      load.close();
      await muster.stop();
    }
  },
};

const FLEETS = [1, 100, 1_000];
const QUICK_FLEETS = [1, 5];
/** One console and one agent at a time: how long an answer takes, not how many there can be. */
const CALLERS = 2;
const CALLS = 400;
const QUICK_CALLS = 20;
/** Not measured: what is asked for the first time is made, what is asked for again is at hand. */
const WARM_UP_CALLS = 20;

/** The ten calls that are made most, against one cluster that grows. */
export const commonCalls: Bench = {
  name: 'calls',
  about: 'the ten most used calls, a cluster of 1, 100 and 1,000 hosts',
  run: async (bed) => {
    const measurements: Measurement[] = [];
    for (const hosts of bed.isQuick ? QUICK_FLEETS : FLEETS) measurements.push(...(await measure(bed, hosts)));
    return measurements;
  },
};

async function measure(bed: BenchBed, hostsEach: number): Promise<readonly Measurement[]> {
  const muster = await startEmbeddedProcess(bed.directory(`calls-${hostsEach}`));
  const load = startLoadProcess();
  const pace = { inFlight: CALLERS };
  const stop = { calls: bed.isQuick ? QUICK_CALLS : CALLS };
  try {
    const hosts = await bootFleet(bed, muster, load, { clusters: 1, hostsEach });
    await untilQuiet(muster.dataDirectory);
    const measurements: Measurement[] = [];
    for (const { name, callOf } of COMMON_CALLS) {
      const calls = hosts.slice(0, stop.calls).map(callOf);
      await load.run({ calls, pace, stop: { calls: WARM_UP_CALLS } });
      const made = await load.run({ calls, pace, stop });
      measurements.push({
        what: `${name}, ${hostsEach} host(s)`,
        measured: `${p50AndP99(made.latenciesMs)}${made.answerBytes > 0 ? ` (${kibibytes(made.answerBytes)})` : ''}`,
        budget: '',
      });
    }
    return measurements;
  } finally {
    load.close();
    await muster.stop();
  }
}
