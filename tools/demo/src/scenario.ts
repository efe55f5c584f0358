import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { createJsonReader } from '@muster/schema';
import { type FleetMember, simulatedFleet, type SimulatedFleet } from '@muster/tool-simulator';
import { Type } from '@sinclair/typebox';
import { type ClusterView, type EventView, type HostView, newEventsFrom, type RestClient } from './rest-client';

/** The two clusters of the demo: five machines with agents on NATS, one of which needs repair; and a single node that boots a minimal image and polls over HTTP. */
export const DEMO_CLUSTERS: readonly ClusterSpec[] = [
  {
    name: 'prod',
    controlPlaneCount: 3,
    machines: [{}, {}, {}, { fault: 'too-little-memory' }, {}],
    machineNetwork: '192.168.111.0/24',
    vips: { api: '192.168.111.100', ingress: '192.168.111.101' },
  },
  {
    name: 'edge',
    controlPlaneCount: 1,
    machines: [{ cpuCount: 16, memoryGib: 64 }],
    machineNetwork: '192.168.112.0/24',
    transport: 'http',
    imageType: 'minimal-iso',
  },
];

/** A cluster and the machines on which it is installed. */
export interface ClusterSpec {
  readonly name: string;
  readonly controlPlaneCount: number;
  readonly machines: readonly FleetMember[];
  readonly machineNetwork: string;
  /** Transport of the agents. @default 'nats', as in the image */
  readonly transport?: 'nats' | 'http';
  /** @default 'full-iso' */
  readonly imageType?: 'full-iso' | 'minimal-iso';
  readonly vips?: { readonly api: string; readonly ingress: string };
  /** The network of the pods, of which each host has a part. @default of Muster, with room for 512 hosts */
  readonly clusterNetwork?: { readonly cidr: string; readonly hostPrefix: number };
}

export interface ScenarioOptions {
  readonly client: RestClient;
  readonly timeScale: number;
  readonly seed: string;
  /** Directory for kubeconfigs. */
  readonly outputDirectory: string;
  readonly tell: (text: string) => void;
  /** Receives what a machine could not do at once. @default nothing */
  readonly onTrouble?: (text: string) => void;
  /** Least time between two polls of a machine, in milliseconds of real time. @default as the simulator */
  readonly pollMsMin?: number;
  /** Time between two requests for the cluster, in milliseconds. @default 150 */
  readonly lookAgainMs?: number;
  /** Longest time for each of the boot and the installation, in milliseconds. @default 180,000 and 300,000 */
  readonly timeoutMs?: number;
  /** The installation of the cluster, which is ready, starts when this resolves. @default at once */
  readonly untilMayInstall?: () => Promise<void>;
  /** Whether the installation may complete after `error`, as after a passed deadline. @default false */
  readonly mayRecover?: boolean;
  /** Called with each response for the cluster. */
  readonly onLook?: (cluster: ClusterView) => void;
}

export interface InstalledCluster {
  readonly id: string;
  readonly name: string;
  readonly kubeconfigFile: string;
  readonly imageBytes: number;
  readonly imageMs: number;
  /** Milliseconds since the start of the run at which each status was first seen, in order. */
  readonly firstSeenMs: ReadonlyMap<string, number>;
}

/** A pull secret of the required form without a real credential. */
export const PULL_SECRET = JSON.stringify({
  auths: { 'cloud.openshift.com': { auth: Buffer.from('demo:demo').toString('base64'), email: 'demo@example.com' } },
});
/** Names of events that the demo prints, in addition to warnings and errors. */
const EVENTS_THAT_MATTER: ReadonlySet<string> = new Set([
  'cluster_status_updated',
  'host_bootstrap_set',
  'cluster_installation_completed',
  'cluster_finalizing_stage_updated',
]);
/** Factor by which the hosts of the demo are faster than real ones, which take most of an hour. */
const TIME_SCALE = 150;
const LOOK_AGAIN_MS = 150;
const BOOT_TIMEOUT_MS = 180_000;
const INSTALL_TIMEOUT_MS = 300_000;

export const USAGE = `npm run demo: installs two clusters on simulated hosts. It has no options, but these environment variables:

  MUSTER_DEMO_TIME_SCALE  how many times faster than real ones the hosts are (default: ${TIME_SCALE})
  MUSTER_DEMO_DIRECTORY   the directory for kubeconfigs and data, in which it deletes data (default: .muster/demo)`;

/**
 * Returns whether the command line asks for help.
 * @throws Error for any other argument
 */
export function wantsHelp(args: readonly string[]): boolean {
  const unknown = args.find((arg) => arg !== '--help' && arg !== '-h');
  if (unknown !== undefined) throw new Error(`Argument '${unknown}' is unknown.\n${USAGE}`);
  return args.length > 0;
}

/** Returns the value of MUSTER_DEMO_TIME_SCALE, or the default of the demo when it is not set. */
export function readTimeScale(text: string | undefined): number {
  if (!text) return TIME_SCALE;
  const timeScale = Number(text);
  if (Number.isFinite(timeScale) && timeScale > 0) return timeScale;
  throw new Error(`MUSTER_DEMO_TIME_SCALE=${JSON.stringify(text)} is not valid. Expected: a number above 0.`);
}

/** The main job of a user: define a cluster, boot hosts, repair findings, set the missing inputs, install, follow, download credentials. */
export async function installCluster(spec: ClusterSpec, options: ScenarioOptions): Promise<InstalledCluster> {
  const { client, tell, timeoutMs, lookAgainMs } = options;
  const untilSeen = (defaultMs: number, what: string, isTrue: () => Promise<boolean>): Promise<void> =>
    until(timeoutMs ?? defaultMs, what, isTrue, lookAgainMs);
  const startedMs = performance.now();
  const firstSeenMs = new Map<string, number>();
  const newEvents = newEventsFrom(client);
  const look = async (clusterId: string): Promise<ClusterView> => {
    // Without what each host reported about all others, which is most of a large cluster.
    const cluster = {
      ...(await client.get<ClusterView>(`/clusters/${clusterId}?exclude-hosts=true`)),
      hosts: await client.get<ClusterView['hosts']>(`/clusters/${clusterId}/hosts?with-inventory=true`),
    };
    if (!firstSeenMs.has(cluster.status)) firstSeenMs.set(cluster.status, performance.now() - startedMs);
    options.onLook?.(cluster);
    for (const { message } of (await newEvents(clusterId)).filter(matters)) tell(`${spec.name}  • ${message}`);
    return cluster;
  };

  // 1. Define the cluster and its discovery image.
  const cluster = await client.post<ClusterView>('/clusters', {
    name: spec.name,
    base_dns_domain: 'example.com',
    openshift_version: '4.18',
    control_plane_count: spec.controlPlaneCount,
    pull_secret: PULL_SECRET,
    ...(spec.clusterNetwork && {
      cluster_networks: [{ cidr: spec.clusterNetwork.cidr, host_prefix: spec.clusterNetwork.hostPrefix }],
    }),
  });
  const infraEnv = await client.post<{ id: string }>('/infra-envs', {
    name: `${spec.name}_infra-env`,
    cluster_id: cluster.id,
    pull_secret: PULL_SECRET,
    openshift_version: '4.18',
    cpu_architecture: 'x86_64',
    image_type: spec.imageType ?? 'full-iso',
  });
  const { url } = await client.get<{ url: string }>(`/infra-envs/${infraEnv.id}/downloads/image-url`);
  tell(`${spec.name}: defined, discovery image at ${url}`);

  // 2. Boot the machines from that image.
  const fleet = simulatedFleet({
    machines: spec.machines,
    seed: options.seed,
    timeScale: options.timeScale,
    machineNetwork: spec.machineNetwork,
    namePrefix: spec.name,
    transport: spec.transport,
    pollMsMin: options.pollMsMin,
    observer: {
      onImageRetry: (reason) =>
        tell(`${spec.name}: the image cannot be downloaded yet and is requested again: ${reason}`),
      onTrouble: ({ hostname }, what) => options.onTrouble?.(`${spec.name}: ${hostname}: ${what}`),
    },
  });
  try {
    const image = await fleet.bootFromUrl(url);
    tell(
      `${spec.name}: image downloaded (${mib(image.bytes)} in ${Math.round(image.downloadMs)} ms${image.rootfsBytes > 0 ? `, then its root file system of ${mib(image.rootfsBytes)}` : ''}), ${spec.machines.length} machine(s) boot from it`,
    );
    await untilSeen(BOOT_TIMEOUT_MS, 'all hosts have reported their hardware', async () => {
      const { hosts } = await look(cluster.id);
      return (
        hosts.length === spec.machines.length &&
        hosts.every(({ inventory, validations_info }) => inventory && validations_info)
      );
    });

    // 3. Repair the findings of the validations.
    for (const machine of fleet.machines.filter(({ fault }) => fault))
      await mend(spec, cluster.id, machine.hostId, fleet, options, look);

    // 4. Set the missing inputs and install.
    if (spec.vips) {
      await client.patch(`/clusters/${cluster.id}`, {
        api_vips: [{ ip: spec.vips.api }],
        ingress_vips: [{ ip: spec.vips.ingress }],
      });
    }
    await untilSeen(
      BOOT_TIMEOUT_MS,
      'the cluster is ready to be installed',
      async () => (await look(cluster.id)).status === 'ready',
    );
    await options.untilMayInstall?.();
    await client.post(`/clusters/${cluster.id}/actions/install`);
    tell(`${spec.name}: installation started`);

    // 5. Follow it to the end.
    await untilSeen(INSTALL_TIMEOUT_MS, 'the cluster is installed', async () => {
      const { status, status_info } = await look(cluster.id);
      if ((status === 'error' && !options.mayRecover) || status === 'cancelled')
        throw new Error(`${spec.name} is ${status}: ${status_info}`);
      return status === 'installed';
    });

    // 6. Credentials.
    const kubeconfigFile = join(options.outputDirectory, `kubeconfig-${spec.name}`);
    const kubeconfig = await client.download(`/clusters/${cluster.id}/downloads/credentials?file_name=kubeconfig`);
    await mkdir(options.outputDirectory, { recursive: true });
    await writeFile(kubeconfigFile, kubeconfig, { mode: 0o600 });
    tell(`${spec.name}: installed, kubeconfig in ${kubeconfigFile}`);
    return {
      id: cluster.id,
      name: spec.name,
      kubeconfigFile,
      imageBytes: image.bytes,
      imageMs: image.downloadMs,
      firstSeenMs,
    };
  } finally {
    await fleet.powerOff();
  }
}

async function mend(
  spec: ClusterSpec,
  clusterId: string,
  hostId: string,
  fleet: SimulatedFleet,
  { tell }: ScenarioOptions,
  look: (clusterId: string) => Promise<ClusterView>,
): Promise<void> {
  const find = async (): Promise<HostView | undefined> => (await look(clusterId)).hosts.find(({ id }) => id === hostId);
  await until(BOOT_TIMEOUT_MS, `host ${hostId} is evaluated`, async () => (await find())?.status === 'insufficient');
  const machine = fleet.machines.find((one) => one.hostId === hostId);
  for (const { id, message } of failures(await find()).filter(({ category }) => category === 'hardware'))
    tell(`${spec.name}: ${machine?.hostname} fails ${id}: ${message}`);
  tell(`${spec.name}: ${machine?.hostname} is repaired (${machine?.fault}) and booted again`);
  await machine?.repair();
  await until(BOOT_TIMEOUT_MS, `host ${hostId} passes after the repair`, async () => {
    const host = await find();
    return (
      host !== undefined &&
      failures(host).every(({ category }) => category !== 'hardware') &&
      ['known', 'pending-for-input', 'insufficient'].includes(host.status) &&
      Boolean(host.inventory)
    );
  });
}

const readOutcomes = createJsonReader(
  Type.Record(
    Type.String(),
    Type.Array(Type.Object({ id: Type.String(), status: Type.String(), message: Type.String() })),
  ),
  { name: 'validations_info' },
);

function failures(host: HostView | undefined): { id: string; message: string; category: string }[] {
  const groups = readOutcomes(host?.validations_info || '{}');
  return Object.entries(groups).flatMap(([category, outcomes]) =>
    outcomes.filter(({ status }) => status === 'failure').map((one) => ({ ...one, category })),
  );
}

/** @throws after `timeoutMs` milliseconds, naming `what` was waited for. */
export async function until(
  timeoutMs: number,
  what: string,
  isTrue: () => Promise<boolean>,
  lookAgainMs = LOOK_AGAIN_MS,
): Promise<void> {
  for (const startedMs = performance.now(); performance.now() - startedMs < timeoutMs;) {
    if (await isTrue()) return;
    await new Promise((resolve) => setTimeout(resolve, lookAgainMs));
  }
  throw new Error(`Timeout after ${timeoutMs / 1_000} s while waiting until ${what}.`);
}

const matters = ({ name, severity }: EventView): boolean => severity !== 'info' || EVENTS_THAT_MATTER.has(name);

const mib = (bytes: number): string => `${(bytes / 1024 / 1024).toFixed(1)} MiB`;
