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

/** HTTP agents that poll when the service tells them to, as assisted-installer-agent does. */
export const prompt: Bench = {
  name: 'prompt',
  about: 'from the installation to the last install step of --hosts HTTP agents, and the CPU of their held polls',
  run: async (bed) => {
    const hosts = bed.hosts ?? (bed.isQuick ? QUICK_HOSTS : HOSTS);
    const muster = await startEmbeddedProcess(bed.directory('prompt'), bed.program);
    const machines = Array.from({ length: hosts }, () => ({}));
    const fleet = { stop: async (): Promise<void> => undefined };
    try {
      return await measure(bed, muster, machines, (booted) => (fleet.stop = () => booted.powerOff()));
    } finally {
      await fleet.stop();
      await muster.stop();
    }
  },
};

async function measure(
  bed: BenchBed,
  muster: EmbeddedProcess,
  machines: readonly object[],
  onBooted: (fleet: SimulatedFleet) => void,
): Promise<readonly Measurement[]> {
  const client = new RestClient(muster.restUrl);
  const preparing = new Map<string, number>();
  const started = new Map<string, number>();
  const fleet: SimulatedFleet = simulatedFleet({
    machines,
    seed: 'prompt',
    timeScale: TIME_SCALE,
    pollMsMin: POLL_MS_MIN,
    machineNetwork: '10.20.0.0/16',
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
  onBooted(fleet);
  const what = `${count(machines.length)} hosts of one cluster with HTTP agents`;
  const cluster = await client.post<ClusterView>('/clusters', {
    name: 'prompt',
    base_dns_domain: 'example.com',
    openshift_version: '4.18',
    control_plane_count: CONTROL_PLANE_COUNT,
    pull_secret: PULL_SECRET,
  });
  const infraEnv = await client.post<{ id: string }>('/infra-envs', {
    name: 'prompt-env',
    cluster_id: cluster.id,
    pull_secret: PULL_SECRET,
    openshift_version: '4.18',
    cpu_architecture: 'x86_64',
  });
  const { url } = await client.get<{ url: string }>(`/infra-envs/${infraEnv.id}/downloads/image-url`);
  await fleet.bootFromUrl(url);
  const look = () => client.get<ClusterView>(`/clusters/${cluster.id}?exclude-hosts=true`);
  const untilStatus = async (wanted: string): Promise<void> => {
    for (const giveUpAt = Date.now() + TIMEOUT_MS; ;) {
      const { status, status_info } = await look();
      if (status === wanted) return;
      if (Date.now() > giveUpAt) throw new Error(`The cluster is ${status} instead of ${wanted}: ${status_info}`);
      await pause(LOOK_AGAIN_MS);
    }
  };
  const untilQuiet = async (): Promise<void> => {
    for (let before = -1, now = await eventsStored(muster.dataDirectory); before !== now;) {
      before = now;
      await pause(POLL_MS_MIN + LOOK_AGAIN_MS);
      now = await eventsStored(muster.dataDirectory);
      bed.tell(`${count(now - before)} events in the last period`);
    }
  };
  const share = async (): Promise<number> => {
    const [before, beforeMs] = [treeCpuMs(muster.pid), performance.now()];
    await pause(bed.isQuick ? QUICK_SAMPLE_MS : SAMPLE_MS);
    return (treeCpuMs(muster.pid) - before) / (performance.now() - beforeMs);
  };

  bed.tell('waiting until all hosts have reported');
  await untilQuiet();
  const idle = await share();
  await client.patch(`/clusters/${cluster.id}`, {
    api_vips: [{ ip: '10.20.255.100' }],
    ingress_vips: [{ ip: '10.20.255.101' }],
  });
  bed.tell('waiting until the cluster is ready');
  await untilStatus('ready');
  await untilQuiet();
  const held = await share();
  bed.tell('installing');
  const [installMs, cpuBefore] = [performance.now(), treeCpuMs(muster.pid)];
  // The answer contains all hosts with their connectivity. A real client parses it on another machine than the hosts.
  const answered = answerTimeOf(`${muster.restUrl}${API}/clusters/${cluster.id}/actions/install`);
  for (const giveUpAt = Date.now() + TIMEOUT_MS; started.size < machines.length;) {
    if (Date.now() > giveUpAt) throw new Error(`Only ${started.size} hosts have their step.`);
    await pause(10);
  }
  const cpuMs = treeCpuMs(muster.pid) - cpuBefore;
  const acceptedMs = await answered;
  const after = (times: ReadonlyMap<string, number>, share: number): string =>
    seconds(percentile([...times.values()], share) - installMs);
  return [
    {
      what: `${what}, install → last host prepares`,
      measured: `first host ${after(preparing, 0)}, last host ${after(preparing, 1)}; request answered after ${seconds(acceptedMs - installMs)}`,
      budget: '< 3 s at 500 hosts',
    },
    {
      what: `${what}, install → last host installs`,
      measured: `first host ${after(started, 0)}, last host ${after(started, 1)}; ${seconds(cpuMs)} of CPU`,
      budget: '< 3 s at 500 hosts',
    },
    {
      what: `${what}, CPU while nothing is due: polls each minute → held polls`,
      measured: `${ofACore(idle)} → ${ofACore(held)}`,
      budget: '< 5 % of a core more',
    },
  ];
}

/** Resolves with the time at which the last byte of the answer arrived. */
async function answerTimeOf(url: string): Promise<number> {
  const { status, body } = await fetch(url, { method: 'POST' });
  if (status !== HTTP_ACCEPTED) throw new Error(`POST ${url}: ${status}`);
  await body?.pipeTo(new WritableStream());
  return performance.now();
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));
