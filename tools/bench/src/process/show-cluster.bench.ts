import { kibibytes, p50AndP99, perSecond } from '../figures';
import { showCluster as showClusterCall } from '../load/fleet';
import { startLoadProcess } from '../load/load-process';
import { bootFleet, IN_FLIGHT } from '../load/run-fleet';
import type { Bench } from '../measurement';
import { startEmbeddedProcess } from './embedded-process';
import { untilQuiet } from './quiet';

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
