import { bootFleet, COMMON_CALLS } from '../load/fleet';
import { startLoadProcess } from '../load/load';
import { type Bench, type BenchBed, kibibytes, type Measurement, p50AndP99 } from '../measurement';
import { startEmbeddedProcess, untilQuiet } from './embedded-process';

const FLEETS = [1, 100, 1_000];
const QUICK_FLEETS = [1, 5];
/** One console and one agent at a time, to measure the time of a response and not the throughput. */
const CALLERS = 2;
const CALLS = 400;
const QUICK_CALLS = 20;
/** Not measured, because the first calls fill caches. */
const WARM_UP_CALLS = 20;

/** The ten most frequent calls to a cluster that grows. */
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
