import { fork } from 'node:child_process';
import { connect } from 'node:net';
import { constants, setPriority } from 'node:os';
import { join } from 'node:path';
import { sqliteStoreStats, verifySqliteStore } from '@muster/adapter-sqlite';
import { errorMessage } from '@muster/schema';
import { bootFleet, type FleetHost, httpTarget, poll, showCluster } from '../load/fleet';
import { type Call, startLoadProcess } from '../load/load';
import {
  type Bench,
  type BenchBed,
  count,
  kibibytes,
  type Measurement,
  milliseconds,
  ofACore,
  p50AndP99,
  percentile,
  seconds,
} from '../measurement';
import { type EmbeddedProcess, residentBytes, startEmbeddedProcess, treeCpuMs } from '../process/embedded-process';
import { sample } from '../process/outcome-latency.bench';
import type { MachinesMessage, MachinesOrder, MachinesReport } from './machines';

const FLEET_HOSTS = 10_000;
const LARGE_CLUSTER_HOSTS = 1_000;
const QUICK_HOSTS = 10;
const HOSTS_EACH = 5;
/** A fleet of 10,000 hosts registers over ten minutes. */
const REGISTRATION_MS_PER_CLUSTER = 300;
const INSTALLATIONS_AT_ONCE = 200;
/** Time limit of the whole run. The report counts the clusters that are not installed then. */
const RUN_MS_MAX = 180 * 60_000;
/** Machines of one process. */
const MACHINES_EACH = 1_000;
const TIME_SCALE = 60;
/** Hosts poll once a minute; those of a small fleet more often, so that a try ends soon. */
const POLL_MS_MIN = 60_000;
const SMALL_FLEET_HOSTS = 500;
const SMALL_POLL_MS_MIN = 2_000;
const LOOK_AGAIN_MS = 30_000;
const SMALL_LOOK_AGAIN_MS = 2_000;
const PROGRESS_MS = 30_000;
const PROBE = { clusters: 1, hostsEach: 5 };
const PROBES_PER_SECOND = 5;
const PROBE_MS = 5_000;
const TURN_LENGTHS = join(__dirname, '..', '..', '..', 'demo', 'src', 'turn-lengths.mjs');

/** Simulated machines from their registration to the installed cluster, with the figures of Muster in the meantime. */
export const fleet: Bench = {
  name: 'fleet',
  about: `--hosts simulated hosts (${count(FLEET_HOSTS)}) in clusters of five register and install, ${INSTALLATIONS_AT_ONCE} clusters at once`,
  run: async (bed) => {
    const hosts = bed.hosts ?? (bed.isQuick ? QUICK_HOSTS : FLEET_HOSTS);
    return measure(bed, Math.max(1, Math.round(hosts / HOSTS_EACH)), HOSTS_EACH);
  },
};

export const largeCluster: Bench = {
  name: 'large-cluster',
  about: `the same for one cluster of --hosts hosts (${count(LARGE_CLUSTER_HOSTS)})`,
  run: async (bed) =>
    measure(bed, 1, Math.max(HOSTS_EACH, bed.hosts ?? (bed.isQuick ? QUICK_HOSTS : LARGE_CLUSTER_HOSTS))),
};

async function measure(bed: BenchBed, clusters: number, hostsEach: number): Promise<readonly Measurement[]> {
  const what = `${count(clusters)} cluster(s) of ${count(hostsEach)} hosts`;
  bed.tell(what);
  const directory = bed.directory(`fleet-${clusters}-${hostsEach}`);
  const socketPath = join(directory, 'turns.sock');
  const muster = await startEmbeddedProcess(directory, bed.program, {
    // All hosts have the address of this machine.
    CONNECTIONS_PER_ADDRESS_MAX: '0',
    NODE_OPTIONS: `--import ${TURN_LENGTHS}`,
    TURN_LENGTHS_SOCKET: socketPath,
  });
  const probing = new AbortController();
  try {
    const load = startLoadProcess();
    const hosts = await bootFleet(bed, muster, load, PROBE);
    load.close();
    const cpuBefore = treeCpuMs(muster.pid);
    const startedMs = performance.now();
    const installing = installAll(bed, muster, clusters, hostsEach);
    const probes = probeUntil(muster, hosts, socketPath, probing.signal);
    const { installedMs, failures } = await installing;
    const ms = performance.now() - startedMs;
    const cpuMs = treeCpuMs(muster.pid) - cpuBefore;
    probing.abort();
    const figures = await probes;
    await muster.stop();
    const faults = await faultsOf(join(directory, 'events.sqlite'), clusters, clusters * hostsEach);
    for (const fault of [...failures, ...faults, ...figures.failures].slice(0, 20)) bed.tell(fault);
    return [
      {
        what: `${what}, end of the installations`,
        measured: `${count(installedMs.length)} of ${count(clusters)} installed in ${seconds(ms)}; install → installed ${seconds(percentile(installedMs, 0.5))}, longest ${seconds(percentile(installedMs, 1))}; ${count(failures.length)} not installed, ${count(faults.length)} faults in the store`,
        budget: 'all installed, nothing lost',
      },
      {
        what: `${what}, CPU and memory of Muster`,
        measured: `${ofACore(cpuMs / ms)} on average, ${seconds(cpuMs)} in all; at most ${kibibytes(figures.bytesMax)} resident`,
        budget: '',
      },
      {
        what: `${what}, a poll`,
        measured: `${p50AndP99(figures.pollsMs)}; ${count(figures.failures.length)} probes failed`,
        budget: 'p99 < 50 ms',
      },
      { what: `${what}, inventory → outcome`, measured: p50AndP99(figures.outcomesMs), budget: 'p99 < 500 ms' },
      { what: `${what}, GET cluster`, measured: p50AndP99(figures.readsMs), budget: 'p99 < 50 ms' },
      {
        what: `${what}, turns of the event loop (CPU)`,
        measured: `the longest in ${(2 * PROBE_MS) / 1_000} s: ${p50AndP99(figures.turnsMs)}, at most ${milliseconds(percentile(figures.turnsMs, 1))}`,
        budget: '< 200 ms',
      },
    ];
  } finally {
    probing.abort();
    await muster.stop();
  }
}

async function installAll(
  bed: BenchBed,
  { restUrl }: EmbeddedProcess,
  clusters: number,
  hostsEach: number,
): Promise<MachinesReport> {
  const all = Array.from({ length: clusters }, (_, index) => ({
    name: `fleet-${index}`,
    hosts: hostsEach,
    startAfterMs: index * REGISTRATION_MS_PER_CLUSTER,
  }));
  const processes = Math.max(1, Math.ceil((clusters * hostsEach) / MACHINES_EACH));
  const isSmall = clusters * hostsEach <= SMALL_FLEET_HOSTS;
  const order = {
    restUrl,
    outputDirectory: bed.directory('credentials'),
    timeScale: TIME_SCALE,
    pollMsMin: isSmall ? SMALL_POLL_MS_MIN : POLL_MS_MIN,
    lookAgainMs: isSmall ? SMALL_LOOK_AGAIN_MS : LOOK_AGAIN_MS,
    timeoutMs: RUN_MS_MAX,
    installationsAtOnce: Math.ceil(INSTALLATIONS_AT_ONCE / processes),
  };
  const seen = { ready: 0, installed: 0 };
  const progress = setInterval(
    () => bed.tell(`of ${count(clusters)}, ${count(seen.ready)} were ready, ${count(seen.installed)} are installed`),
    PROGRESS_MS,
  );
  const reports = await Promise.all(
    Array.from({ length: processes }, (_, process) =>
      install({ ...order, clusters: all.filter((_one, index) => index % processes === process) }, (what) => {
        if (typeof what === 'string') seen[what] += 1;
        else bed.tell(what.failed);
      }),
    ),
  ).finally(() => clearInterval(progress));
  return {
    installedMs: reports.flatMap(({ installedMs }) => installedMs),
    failures: reports.flatMap(({ failures }) => failures),
  };
}

type Progress = Exclude<MachinesMessage, MachinesReport>;

function install(order: MachinesOrder, onProgress: (progress: Progress) => void): Promise<MachinesReport> {
  const child = fork(join(__dirname, 'machines.js'), { stdio: ['ignore', 'ignore', 'inherit', 'ipc'] });
  // Real hosts and consoles have processors of their own. Ten such processes would take more than half of the machine from Muster. Where
  // they were only below normal, the main thread of Muster waited for a core in two thirds of the time of its longest turns.
  if (child.pid !== undefined) setPriority(child.pid, constants.priority.PRIORITY_LOW);
  return new Promise((resolve, reject) => {
    child.on('message', (message: MachinesMessage) =>
      typeof message === 'string' || 'failed' in message
        ? onProgress(message)
        : resolve(message satisfies MachinesReport),
    );
    child.once('exit', (code) => reject(new Error(`A process of machines ended with ${code}.`)));
    child.send(order);
  });
}

interface Probed {
  readonly pollsMs: number[];
  readonly readsMs: number[];
  readonly outcomesMs: number[];
  readonly turnsMs: number[];
  /** Probes without the expected answer. They have no time. */
  readonly failures: string[];
  bytesMax: number;
}

/** Requests for a cluster of its own, a few per second, as long as the fleet works. */
async function probeUntil(
  muster: EmbeddedProcess,
  hosts: readonly FleetHost[],
  socketPath: string,
  stop: AbortSignal,
): Promise<Probed> {
  const probed: Probed = { pollsMs: [], readsMs: [], outcomesMs: [], turnsMs: [], failures: [], bytesMax: 0 };
  const turns = connect(socketPath);
  let isStart = true;
  turns.on('data', (line: Buffer) => {
    // The first answer is about the start of the program.
    if (!isStart) probed.turnsMs.push(Number(line.toString()));
    isStart = false;
  });
  turns.write('\n');
  const load = startLoadProcess();
  await load.open(httpTarget(muster));
  const attempt = async (what: string, times: number[], probe: () => Promise<readonly number[]>): Promise<void> => {
    try {
      times.push(...(await probe()));
    } catch (error) {
      probed.failures.push(`${what}: ${errorMessage(error)}`);
    }
  };
  const run = async (calls: readonly Call[]): Promise<readonly number[]> =>
    (await load.run({ calls, pace: { perSecond: PROBES_PER_SECOND }, stop: { ms: PROBE_MS } })).latenciesMs;
  const clusterIds = [...new Set(hosts.map(({ clusterId }) => clusterId))];
  try {
    for (let round = 0; !stop.aborted; round += 1) {
      await attempt('polls', probed.pollsMs, () => run(hosts.map(poll)));
      await attempt('reads', probed.readsMs, () => run(clusterIds.map(showCluster)));
      const host = hosts[round % hosts.length];
      // Too little memory and enough of it in turn, so that each inventory is a change.
      const isFailure = Math.floor(round / hosts.length) % 2 === 0;
      if (host) await attempt('outcome', probed.outcomesMs, async () => [await sample(muster, host, isFailure)]);
      probed.bytesMax = Math.max(probed.bytesMax, residentBytes(muster.pid));
      turns.write('\n');
    }
  } finally {
    load.close();
    turns.destroy();
  }
  return probed;
}

/** What the store should have and has not. */
async function faultsOf(file: string, clusters: number, hosts: number): Promise<readonly string[]> {
  const { types } = sqliteStoreStats(file, () => undefined);
  const stored = (type: string): number => types.find((one) => one.type === type)?.events ?? 0;
  const expected = [
    ['ClusterRegistered', clusters + PROBE.clusters],
    ['HostRegistered', hosts + PROBE.clusters * PROBE.hostsEach],
  ] as const;
  return [
    ...(await verifySqliteStore(file, () => undefined)),
    ...expected.flatMap(([type, wanted]) =>
      stored(type) === wanted ? [] : [`${stored(type)} events ${type} are stored; expected ${wanted}.`],
    ),
  ];
}
