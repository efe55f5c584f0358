import {
  API,
  defineFleet,
  type FleetHost,
  httpTarget,
  IN_FLIGHT,
  inventoryReply,
  oncePerHost,
  poll,
  registerCluster,
  registration,
  showCluster,
} from '../load/fleet';
import { type Call, type LoadProcess, type LoadResult, startLoadProcess } from '../load/load';
import { type Bench, count, kibibytes, type Measurement, milliseconds, p50AndP99, perSecond } from '../measurement';
import {
  type EmbeddedProcess,
  SAVES_SOON,
  startEmbeddedProcess,
  treeCpuMs,
  untilSaved,
  untilSettled,
} from './embedded-process';

const SIZES = { created: 600, clusters: 9, hostsEach: 100, reads: 4_000, largeReads: 400 };
const QUICK_SIZES = { created: 5, clusters: 1, hostsEach: 5, reads: 20, largeReads: 5 };
const MORE_MEMORY_GIB = 96;
const TOO_LITTLE_MEMORY_GIB = 4;
/**
 * Until its code is compiled, a process needs two to three times the CPU for the same request: about 3,000 registrations. The clusters
 * are created in two rounds, because V8 compiles code again after other requests have used it.
 */
const WARM_UP = { created: 1_000, hostsEach: 100, clusters: 30, reads: 4_000, largeReads: 200 };
const QUICK_WARM_UP = { created: 2, hostsEach: 20, clusters: 1, reads: 20, largeReads: 5 };

/**
 * CPU time per request of all processes of Muster, including reactions and the saves that follow. The load of the machine affects it less than a
 * rate.
 */
export const cost: Bench = {
  name: 'cost',
  about: 'CPU per request of all processes after a warm-up, follow-up work included, 16 in flight',
  takesProgram: true,
  run: async (bed) => {
    const sizes = bed.isQuick ? QUICK_SIZES : SIZES;
    const before = bed.isQuick ? QUICK_WARM_UP : WARM_UP;
    const muster = await startEmbeddedProcess(bed.directory('cost'), bed.program, SAVES_SOON);
    const load = startLoadProcess();
    const measurements: Measurement[] = [];
    /** They poll between the measurements. Otherwise, they would count as silent after three minutes, in the middle of one. */
    let warm: readonly FleetHost[] = [];
    const saved = (): Promise<void> => (bed.isQuick ? untilSettled(muster.pid) : untilSaved(muster.pid));
    const measure = async (
      what: string,
      budget: string,
      run: () => Promise<LoadResult>,
      untilFollowed = () => untilSettled(muster.pid),
    ): Promise<void> => {
      await oncePerHost(load, warm, poll);
      await untilSettled(muster.pid);
      const before = treeCpuMs(muster.pid);
      const result = await run();
      await untilFollowed();
      const cpuMs = treeCpuMs(muster.pid) - before;
      const bytes = result.answerBytes > 0 ? `, ${kibibytes(result.answerBytes)}` : '';
      const figures = `${perSecond(result.calls, result.ms)}, ${p50AndP99(result.latenciesMs)}${bytes}`;
      measurements.push({ what, measured: `${milliseconds(cpuMs / result.calls)} CPU (${figures})`, budget });
    };
    try {
      warm = await warmUp(muster, load, before);
      await saved();
      const created = Array.from({ length: sizes.created }, (_, index) => registerCluster(`cost-${index}`));
      await measure(
        'create cluster',
        '≤ 2 ms, > 600/s (v2: 3.4 ms, 480/s)',
        () => inTurn(load, created, created.length),
        saved,
      );
      const hosts = await defineFleet(muster.restUrl, sizes.clusters, sizes.hostsEach);
      await saved();
      const each = (toCall: (host: FleetHost) => Call) => (): Promise<LoadResult> => oncePerHost(load, hosts, toCall);
      await measure('register host', '≤ 1.2 ms, > 1 500/s (v2: 4.0 ms, 410/s)', each(registration), saved);
      await measure(
        'inventory reply, first',
        '',
        each((host) => inventoryReply(host)),
        saved,
      );
      const changed = (host: FleetHost): Call => inventoryReply(host, MORE_MEMORY_GIB);
      await measure('inventory reply, changed', '≤ 1.2 ms, > 1 500/s (v2: 2.4 ms, 725/s)', each(changed), saved);
      const unchanged = hosts.map(changed);
      await measure('inventory reply, unchanged', '≤ 0.25 ms, > 5 000/s (v2: 2.5 ms, 731/s)', () =>
        inTurn(load, unchanged, sizes.reads),
      );
      // The first poll also reports the clock of the host.
      await each(poll)();
      await saved();
      await measure(
        `instructions, cluster of ${sizes.hostsEach} hosts`,
        '≤ 0.25 ms, > 5 000/s (v2: 5.1 ms, 355/s)',
        () => inTurn(load, hosts.map(poll), sizes.reads),
      );
      const [host] = hosts;
      await measure(`GET cluster with ${sizes.hostsEach} hosts`, '≤ 1.5 ms, > 700/s (v2: 21.8 ms, 78/s)', () =>
        inTurn(load, [showCluster(host?.clusterId ?? '')], sizes.largeReads),
      );
      const shown = 2 * before.created + before.clusters + sizes.created + sizes.clusters;
      await measure(`GET clusters (${count(shown)})`, `≤ 0.3 ms per cluster (v2 with 11 clusters: 34 ms, 55/s)`, () =>
        inTurn(load, [{ to: `GET ${API}/clusters` }], sizes.largeReads),
      );
      await measure(
        'inventory reply, changed to insufficient',
        '',
        each((host) => inventoryReply(host, TOO_LITTLE_MEMORY_GIB)),
        saved,
      );
      return measurements;
    } finally {
      load.close();
      await muster.stop();
    }
  },
};

const inTurn = (load: LoadProcess, calls: readonly Call[], times: number): Promise<LoadResult> =>
  load.run({ calls, pace: { inFlight: IN_FLIGHT }, stop: { calls: times } });

/** Makes every kind of call, because the first requests of a process compile code for all others. Returns the hosts of these calls. */
async function warmUp(
  muster: EmbeddedProcess,
  load: LoadProcess,
  sizes: typeof WARM_UP,
): Promise<readonly FleetHost[]> {
  await load.open(httpTarget(muster));
  const created = (round: number): readonly Call[] =>
    Array.from({ length: sizes.created }, (_, index) => registerCluster(`warm-${round}-${index}`));
  await inTurn(load, created(1), sizes.created);
  const hosts = await defineFleet(muster.restUrl, sizes.clusters, sizes.hostsEach);
  const changed = (host: FleetHost): Call => inventoryReply(host, MORE_MEMORY_GIB);
  for (const toCall of [registration, inventoryReply, changed, poll])
    await oncePerHost(load, hosts, (host) => toCall(host));
  await inTurn(load, hosts.map(changed), sizes.reads);
  await inTurn(load, hosts.map(poll), sizes.reads);
  await inTurn(load, [showCluster(hosts[0]?.clusterId ?? '')], sizes.largeReads);
  await inTurn(load, created(2), sizes.created);
  return hosts;
}
