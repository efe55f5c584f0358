import { count, p50AndP99, perSecond } from '../figures';
import { defineFleet, inventoryReply, poll, registration } from '../load/fleet';
import type { LoadResult } from '../load/load';
import { startLoadProcess } from '../load/load-process';
import { httpTarget, IN_FLIGHT, oncePerHost } from '../load/run-fleet';
import type { Bench, Measurement } from '../measurement';
import { startEmbeddedProcess } from './embedded-process';
import { untilQuiet } from './quiet';

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
