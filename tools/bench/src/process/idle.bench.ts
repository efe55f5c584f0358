import { join } from 'node:path';
import { loadOrCreateNatsTrust, mintServiceCredentials } from '@muster/adapter-nats';
import { bootFleet, defineFleet, type FleetHost, httpTarget, IN_FLIGHT, poll, pollOverNats } from '../load/fleet';
import { type Load, type LoadProcess, startLoadProcess, type Transport } from '../load/load';
import { type Bench, type BenchBed, count, type Measurement, ofACore, p50AndP99 } from '../measurement';
import {
  coreShares,
  type EmbeddedProcess,
  eventsStored,
  SAVES_SOON,
  startEmbeddedProcess,
  untilIdle,
  untilSaved,
} from './embedded-process';

/** Clusters without any change. */
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

const POLL_INTERVAL_SECONDS = 60;
/** A small number of hosts would not poll within a quick run. */
const QUICK_POLL_INTERVAL_SECONDS = 1;
/** Milliseconds of polling after the measured period. */
const MARGIN_MS = 1_500;
/** Intervals before the measured period. Hosts that poll alone at first are answered in groups, which poll together from then on. */
const SETTLING_INTERVALS = 2;

/** Long enough for work that a process does rarely, such as collections of the young generation with 10,000 hosts. */
const SAMPLE_MS = 120_000;

/** A fleet of 1,000 hosts sends them within five minutes. */
const WARM_UP_POLLS = 5_000;

interface Shape {
  readonly clusters: number;
  readonly hostsEach: number;
  /** CPU that the design allows for the polls. */
  readonly budget: string;
}

const SHAPES: readonly Shape[] = [
  { clusters: 10, hostsEach: 100, budget: '< 1.5 %' },
  { clusters: 2_000, hostsEach: 5, budget: '< 8 %' },
  { clusters: 100, hostsEach: 100, budget: '< 15 %' },
];
const QUICK_SHAPES: readonly Shape[] = [{ clusters: 2, hostsEach: 5, budget: 'any share' }];

/** Hosts that poll once a minute without receiving steps, over HTTP and over NATS. */
export const idleHosts: Bench = {
  name: 'idle-hosts',
  about: 'CPU, appends and latency with 1,000 and 10,000 hosts that poll once a minute',
  run: async (bed) => {
    const measurements: Measurement[] = [];
    for (const shape of bed.isQuick ? QUICK_SHAPES : SHAPES) measurements.push(...(await pollIdly(bed, shape)));
    return measurements;
  },
};

async function pollIdly(bed: BenchBed, shape: Shape): Promise<readonly Measurement[]> {
  const muster = await startEmbeddedProcess(bed.directory(`idle-hosts-${shape.clusters}`), bed.program, SAVES_SOON);
  const load = startLoadProcess();
  try {
    const hosts = await bootFleet(bed, muster, load, shape);
    const on = {
      muster,
      load,
      hosts,
      isQuick: bed.isQuick,
      sampleMs: bed.isQuick ? 2_000 : SAMPLE_MS,
      intervalSeconds: bed.isQuick ? QUICK_POLL_INTERVAL_SECONDS : POLL_INTERVAL_SECONDS,
      shape,
    };
    bed.tell(`polling for ${count(hosts.length)} hosts`);
    return [
      ...(await measure('HTTP', overHttp(muster, hosts), on)),
      ...(await measure('NATS', await overNats(muster, hosts), on)),
    ];
  } finally {
    load.close();
    await muster.stop();
  }
}

interface Polls {
  readonly endpoint: Transport;
  readonly calls: Load['calls'];
}

const overHttp = (muster: EmbeddedProcess, hosts: readonly FleetHost[]): Polls => ({
  endpoint: httpTarget(muster),
  calls: hosts.map(poll),
});

/** One connection per infra-env with the permissions of a service, because credentials of hosts allow one host each. */
async function overNats(muster: EmbeddedProcess, hosts: readonly FleetHost[]): Promise<Polls> {
  const trust = await loadOrCreateNatsTrust(join(muster.dataDirectory, 'nats', 'trust.json'));
  const infraEnvIds = [...new Set(hosts.map(({ infraEnvId }) => infraEnvId))];
  const credentials = infraEnvIds.map((name) => ({
    credentials: mintServiceCredentials(trust, { name, nowMs: Date.now() }),
  }));
  const connectionOf = new Map(infraEnvIds.map((id, index) => [id, index]));
  return {
    endpoint: { kind: 'nats', url: muster.natsUrl, credentials },
    calls: hosts.map((host) => pollOverNats(host, connectionOf.get(host.infraEnvId) ?? 0)),
  };
}

async function measure(
  endpoint: string,
  polls: Polls,
  on: {
    readonly muster: EmbeddedProcess;
    readonly load: LoadProcess;
    readonly hosts: readonly FleetHost[];
    readonly isQuick: boolean;
    readonly sampleMs: number;
    readonly intervalSeconds: number;
    readonly shape: Shape;
  },
): Promise<readonly Measurement[]> {
  const { muster, load, hosts, isQuick, sampleMs, intervalSeconds, shape } = on;
  const intervalMs = intervalSeconds * 1_000;
  const settleMs = SETTLING_INTERVALS * intervalMs;
  await load.open(polls.endpoint);
  // The first poll also reports the clock of the host. Until their code is compiled, polls need twice the CPU.
  const warmUp = Math.max(hosts.length, isQuick ? 0 : WARM_UP_POLLS);
  await load.run({ calls: polls.calls, pace: { inFlight: IN_FLIGHT }, stop: { calls: warmUp } });
  await untilIdle(muster);
  if (!isQuick) await untilSaved(muster.pid);
  const pace = { intervalMs, settleMs };
  const loading = load.run({ calls: polls.calls, pace, stop: { ms: settleMs + sampleMs + MARGIN_MS } });
  const sampling = (async () => {
    await new Promise((resolve) => setTimeout(resolve, settleMs));
    const before = await eventsStored(muster.dataDirectory);
    const shares = await coreShares([muster.pid, muster.natsPid], sampleMs);
    return { shares, appended: (await eventsStored(muster.dataDirectory)) - before };
  })();
  const [{ latenciesMs }, { shares, appended }] = await Promise.all([loading, sampling]);
  const [own = NaN, bus = NaN] = shares;
  const what = `${count(hosts.length)} hosts in ${shape.hostsEach}-host clusters polling every ${intervalSeconds} s over ${endpoint}`;
  return [
    {
      what: `${what}, CPU`,
      measured: `${ofACore(own + bus)} (nats-server ${ofACore(bus)}), ${count(appended)} appends`,
      budget: `${shape.budget} of a core, 0 appends`,
    },
    { what: `${what}, latency`, measured: p50AndP99(latenciesMs), budget: 'p99 < 1 s + 10 ms' },
  ];
}
