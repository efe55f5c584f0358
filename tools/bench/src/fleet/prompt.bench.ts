import { type ClusterView, PULL_SECRET, RestClient } from '@muster/tool-demo';
import { simulatedFleet, type SimulatedFleet } from '@muster/tool-simulator';
import { type Bench, type BenchBed, count, type Measurement, ofACore, percentile, seconds } from '../measurement';
import { API } from '../load/fleet';
import { type EmbeddedProcess, eventsStored, startEmbeddedProcess, treeCpuMs } from '../process/embedded-process';

const HOSTS = 500;
const QUICK_HOSTS = 3;
/** The work of the machines takes almost no time, their polls take as long as the service says. */
const TIME_SCALE = 1_000;
const POLL_MS_MIN = 60_000;
const SAMPLE_MS = 120_000;
const QUICK_SAMPLE_MS = 3_000;
const LOOK_AGAIN_MS = 2_000;
const TIMEOUT_MS = 1_800_000;
const CONTROL_PLANE_COUNT = 3;
const HTTP_ACCEPTED = 202;
/** Each cluster has a network of its own, 10.20.0.0/16 and so on. */
const FIRST_NETWORK = 20;

/** HTTP agents that poll when the service tells them to, as assisted-installer-agent does. */
export const prompt: Bench = {
  name: 'prompt',
  about: 'from the installation to the last install step of --hosts HTTP agents, and the CPU of their held polls',
  run: async (bed) => {
    const hosts = bed.hosts ?? (bed.isQuick ? QUICK_HOSTS : HOSTS);
    const muster = await startEmbeddedProcess(bed.directory('prompt'), bed.program);
    try {
      const first = await installationOf(bed, muster, hosts, 0);
      const second = await installationOf(bed, muster, hosts, 1);
      const what = `${count(hosts)} hosts of one cluster with HTTP agents`;
      return [
        ...measurementsOf(`${what}, first installation after a start`, first),
        ...measurementsOf(`${what}, second installation`, second),
      ];
    } finally {
      await muster.stop();
    }
  },
};

/** Times are relative to the request. */
interface PromptInstallation {
  readonly acceptedMs: number;
  readonly preparingMs: readonly number[];
  readonly installingMs: readonly number[];
  /** CPU of Muster until the last host has its install step. */
  readonly cpuMs: number;
  /** Shares of a core while nothing is due: before the cluster is ready, and while it is. */
  readonly idleShare: number;
  readonly heldShare: number;
}

function measurementsOf(what: string, installation: PromptInstallation): readonly Measurement[] {
  const { acceptedMs, preparingMs, installingMs, cpuMs, idleShare, heldShare } = installation;
  const span = (times: readonly number[]): string =>
    `first host ${seconds(percentile([...times], 0))}, last host ${seconds(percentile([...times], 1))}`;
  return [
    {
      what: `${what}: install → last host prepares`,
      measured: `${span(preparingMs)}; request answered after ${seconds(acceptedMs)}`,
      budget: '< 3 s at 500 hosts',
    },
    {
      what: `${what}: install → last host installs`,
      measured: `${span(installingMs)}; ${seconds(cpuMs)} of CPU`,
      budget: '< 3 s at 500 hosts',
    },
    {
      what: `${what}: CPU while nothing is due, polls each minute → held polls`,
      measured: `${ofACore(idleShare)} → ${ofACore(heldShare)}`,
      budget: '< 5 % of a core more',
    },
  ];
}

/** Boots the hosts of a new cluster, makes it ready, measures its installation, and turns the hosts off. */
async function installationOf(
  bed: BenchBed,
  muster: EmbeddedProcess,
  hosts: number,
  index: number,
): Promise<PromptInstallation> {
  const client = new RestClient(muster.restUrl);
  const preparing = new Map<string, number>();
  const started = new Map<string, number>();
  const network = `10.${FIRST_NETWORK + index}`;
  const fleet: SimulatedFleet = simulatedFleet({
    machines: Array.from({ length: hosts }, () => ({})),
    seed: `prompt-${index}`,
    timeScale: TIME_SCALE,
    pollMsMin: POLL_MS_MIN,
    machineNetwork: `${network}.0.0/16`,
    transport: 'http',
    observer: {
      onAgentNote: ({ hostId }, note) => {
        if (note.type !== 'step-started') return;
        if (note.stepType === 'container-image-availability') preparing.set(hostId, performance.now());
        if (note.stepType !== 'install') return;
        started.set(hostId, performance.now());
        // Its progress is not part of the measurement, and a real host takes minutes until it reports any.
        void fleet.machines.find((machine) => machine.hostId === hostId)?.powerOff();
      },
    },
  });
  try {
    const cluster = await client.post<ClusterView>('/clusters', {
      name: `prompt-${index}`,
      base_dns_domain: 'example.com',
      openshift_version: '4.18',
      control_plane_count: CONTROL_PLANE_COUNT,
      pull_secret: PULL_SECRET,
    });
    const infraEnv = await client.post<{ id: string }>('/infra-envs', {
      name: `prompt-env-${index}`,
      cluster_id: cluster.id,
      pull_secret: PULL_SECRET,
      openshift_version: '4.18',
      cpu_architecture: 'x86_64',
    });
    const { url } = await client.get<{ url: string }>(`/infra-envs/${infraEnv.id}/downloads/image-url`);
    await fleet.bootFromUrl(url);
    bed.tell('waiting until all hosts have reported');
    await untilQuiet(bed, muster);
    const idleShare = await shareOf(bed, muster);
    await client.patch(`/clusters/${cluster.id}`, {
      api_vips: [{ ip: `${network}.255.100` }],
      ingress_vips: [{ ip: `${network}.255.101` }],
    });
    bed.tell('waiting until the cluster is ready');
    await untilReady(client, cluster.id);
    await untilQuiet(bed, muster);
    const heldShare = await shareOf(bed, muster);
    bed.tell('installing');
    const [installMs, cpuBefore] = [performance.now(), treeCpuMs(muster.pid)];
    // The answer contains all hosts with their connectivity. A real client parses it on another machine than the hosts.
    const answered = answerTimeOf(`${muster.restUrl}${API}/clusters/${cluster.id}/actions/install`);
    for (const giveUpAt = Date.now() + TIMEOUT_MS; started.size < hosts;) {
      if (Date.now() > giveUpAt) throw new Error(`Only ${started.size} hosts have their step.`);
      await pause(10);
    }
    const cpuMs = treeCpuMs(muster.pid) - cpuBefore;
    const after = (times: ReadonlyMap<string, number>): readonly number[] =>
      [...times.values()].map((time) => time - installMs);
    return {
      acceptedMs: (await answered) - installMs,
      preparingMs: after(preparing),
      installingMs: after(started),
      cpuMs,
      idleShare,
      heldShare,
    };
  } finally {
    await fleet.powerOff();
  }
}

async function untilReady(client: RestClient, clusterId: string): Promise<void> {
  for (const giveUpAt = Date.now() + TIMEOUT_MS; ;) {
    const { status, status_info } = await client.get<ClusterView>(`/clusters/${clusterId}?exclude-hosts=true`);
    if (status === 'ready') return;
    if (Date.now() > giveUpAt) throw new Error(`The cluster is ${status} instead of ready: ${status_info}`);
    await pause(LOOK_AGAIN_MS);
  }
}

/** Waits until nothing was stored for longer than the interval of the polls. */
async function untilQuiet(bed: BenchBed, muster: EmbeddedProcess): Promise<void> {
  for (let before = -1, now = await eventsStored(muster.dataDirectory); before !== now;) {
    before = now;
    await pause(POLL_MS_MIN + LOOK_AGAIN_MS);
    now = await eventsStored(muster.dataDirectory);
    bed.tell(`${count(now - before)} events in the last period`);
  }
}

/** The CPU of Muster as a share of a core. */
async function shareOf(bed: BenchBed, muster: EmbeddedProcess): Promise<number> {
  const [before, beforeMs] = [treeCpuMs(muster.pid), performance.now()];
  await pause(bed.isQuick ? QUICK_SAMPLE_MS : SAMPLE_MS);
  return (treeCpuMs(muster.pid) - before) / (performance.now() - beforeMs);
}

/** Resolves with the time at which the last byte of the answer arrived. */
async function answerTimeOf(url: string): Promise<number> {
  const { status, body } = await fetch(url, { method: 'POST' });
  if (status !== HTTP_ACCEPTED) throw new Error(`POST ${url}: ${status}`);
  await body?.pipeTo(new WritableStream());
  return performance.now();
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
