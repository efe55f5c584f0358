import { count, ofACore } from '../figures';
import { defineFleet } from '../load/fleet';
import type { Bench } from '../measurement';
import { coreShares } from './cpu-time';
import { startEmbeddedProcess } from './embedded-process';
import { untilIdle } from './quiet';

/** Clusters that nothing happens to. */
export const idleClusters: Bench = {
  name: 'idle-clusters',
  about: 'CPU of 500 clusters that nothing happens to',
  run: async (bed) => {
    const clusters = bed.isQuick ? 10 : 500;
    const muster = await startEmbeddedProcess(bed.directory('idle-clusters'));
    try {
      await defineFleet(muster.restUrl, clusters, 0);
      await untilIdle(muster);
      const [own = NaN, bus = NaN] = await coreShares([muster.pid, muster.natsPid], bed.isQuick ? 2_000 : 20_000);
      return [
        {
          what: `${count(clusters)} idle clusters, CPU`,
          measured: `${ofACore(own)} (nats-server ${ofACore(bus)})`,
          budget: '≈ 0',
        },
      ];
    } finally {
      await muster.stop();
    }
  },
};
