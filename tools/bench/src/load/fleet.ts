import { randomUUID } from 'node:crypto';
import { agentSubject } from '@muster/contracts';
import { RestClient } from '@muster/tool-demo';
import { generateHardware } from '@muster/tool-simulator';
import type { BenchBed } from '../measurement';
import type { EmbeddedProcess } from '../process/embedded-process';
import type { Call, HttpTarget, LoadProcess, LoadResult } from './load';

/** A host without a process. A load sends its calls. */
export interface FleetHost {
  readonly infraEnvId: string;
  readonly clusterId: string;
  readonly hostId: string;
  /** Index of its cluster, and its index within the cluster. */
  readonly cluster: number;
  readonly number: number;
}

export const API = '/api/assisted-install/v2';
const OPENSHIFT_VERSION = '4.18';
const AGENT_VERSION = 'quay.io/muster/agent:latest';
const DEFINITIONS_IN_FLIGHT = 8;
const MEMORY_GIB = 64;
/** Addresses of a /24 after those commonly used by routers and VIPs. */
const ADDRESSES_EACH = 240;
const PULL_SECRET = JSON.stringify({
  auths: { 'cloud.openshift.com': { auth: Buffer.from('bench:bench').toString('base64'), email: 'bench@example.com' } },
});

/** Creates clusters with one infra-env each over REST. Their hosts are only named. */
export async function defineFleet(restUrl: string, clusters: number, hostsEach: number): Promise<readonly FleetHost[]> {
  const client = new RestClient(restUrl);
  const hosts: FleetHost[] = [];
  let next = 0;
  const worker = async (): Promise<void> => {
    while (next < clusters) {
      const cluster = next++;
      const ids = await defineCluster(client, `bench-${cluster}`);
      for (let number = 0; number < hostsEach; number += 1)
        hosts.push({ ...ids, hostId: randomUUID(), cluster, number });
    }
  };
  await Promise.all(Array.from({ length: DEFINITIONS_IN_FLIGHT }, worker));
  return hosts;
}

const VERSION = { openshift_version: OPENSHIFT_VERSION, pull_secret: PULL_SECRET };
const clusterOf = (name: string) => ({ ...VERSION, name, base_dns_domain: 'example.com' });

const infraEnvOf = (name: string, clusterId: string) => ({
  ...VERSION,
  name: `${name}-env`,
  cluster_id: clusterId,
  cpu_architecture: 'x86_64',
});

export const registerCluster = (name: string): Call => ({ to: `POST ${API}/clusters`, body: clusterOf(name) });

export const registerInfraEnv = (name: string, clusterId: string): Call => ({
  to: `POST ${API}/infra-envs`,
  body: infraEnvOf(name, clusterId),
});

async function defineCluster(client: RestClient, name: string): Promise<{ clusterId: string; infraEnvId: string }> {
  const cluster = await client.post<{ id: string }>('/clusters', clusterOf(name));
  const infraEnv = await client.post<{ id: string }>('/infra-envs', infraEnvOf(name, cluster.id));
  return { clusterId: cluster.id, infraEnvId: infraEnv.id };
}

export const hostsPath = ({ infraEnvId }: FleetHost): string => `${API}/infra-envs/${infraEnvId}/hosts`;

export const registration = (host: FleetHost): Call => ({
  to: `POST ${hostsPath(host)}`,
  body: { host_id: host.hostId, discovery_agent_version: AGENT_VERSION },
});

/** The first reply of an agent: about 5 KB of hardware, different for every host. */
export const inventoryReply = (host: FleetHost, memoryGib = MEMORY_GIB): Call => {
  // A cluster with more hosts than addresses in its network continues in the following networks.
  const third = (host.cluster & 255) + Math.floor(host.number / ADDRESSES_EACH);
  const network = `10.${host.cluster >> 8}.${third & 255}`;
  const { inventory } = generateHardware({
    seed: host.hostId,
    hostname: `host-${host.number}`,
    address: `${network}.${10 + (host.number % ADDRESSES_EACH)}/24`,
    gateway: `${network}.1`,
    cpuCount: 16,
    memoryGib,
  });
  return {
    to: `POST ${hostsPath(host)}/${host.hostId}/instructions`,
    body: {
      step_type: 'inventory',
      step_id: 'inventory-1',
      exit_code: 0,
      output: JSON.stringify(inventory),
      error: '',
    },
  };
};

export const poll = (host: FleetHost): Call => ({
  to: `GET ${hostsPath(host)}/${host.hostId}/instructions`,
  isStamped: true,
});

export const pollOverNats = (host: FleetHost, connection: number): Call => ({
  to: agentSubject(host.infraEnvId, host.hostId, 'next_steps'),
  body: { discoveryAgentVersion: AGENT_VERSION },
  connection,
  isStamped: true,
});

export const showCluster = (clusterId: string): Call => ({ to: `GET ${API}/clusters/${clusterId}` });

export interface CommonCall {
  /** Display name. */
  readonly name: string;
  readonly callOf: (host: FleetHost) => Call;
}

const get = (path: string): Call => ({ to: `GET ${API}${path}` });

/** The most frequent calls of agents, the web console, command lines and the controller, by frequency. */
export const COMMON_CALLS: readonly CommonCall[] = [
  { name: 'GET instructions', callOf: poll },
  { name: 'POST reply, unchanged inventory', callOf: (host) => inventoryReply(host) },
  { name: 'GET cluster', callOf: ({ clusterId }) => showCluster(clusterId) },
  { name: 'GET cluster, exclude-hosts', callOf: ({ clusterId }) => get(`/clusters/${clusterId}?exclude-hosts=true`) },
  { name: 'GET hosts of the cluster', callOf: ({ clusterId }) => get(`/clusters/${clusterId}/hosts`) },
  { name: 'GET host', callOf: (host) => ({ to: `GET ${hostsPath(host)}/${host.hostId}` }) },
  { name: 'GET hosts of the infra-env', callOf: (host) => ({ to: `GET ${hostsPath(host)}` }) },
  { name: 'GET infra-env', callOf: ({ infraEnvId }) => get(`/infra-envs/${infraEnvId}`) },
  { name: 'GET clusters', callOf: () => get('/clusters') },
  {
    name: 'GET events, page of 10',
    callOf: ({ clusterId }) => get(`/events?cluster_id=${clusterId}&order=descending&limit=10`),
  },
];

export const IN_FLIGHT = 16;
/**
 * Number of calls whose bodies are created together, so that ten thousand inventories need not fit into one message.
 */
const CHUNK_CALLS = 1_000;

export const httpTarget = ({ restUrl }: EmbeddedProcess): HttpTarget => ({
  kind: 'http',
  baseUrl: restUrl,
  sockets: 64,
});

/** Sends one call per host. Returns the sum of the results. */
export async function oncePerHost(
  load: LoadProcess,
  hosts: readonly FleetHost[],
  toCall: (host: FleetHost) => Call,
): Promise<LoadResult> {
  const results: LoadResult[] = [];
  for (let start = 0; start < hosts.length; start += CHUNK_CALLS) {
    const calls = hosts.slice(start, start + CHUNK_CALLS).map(toCall);
    results.push(await load.run({ calls, pace: { inFlight: IN_FLIGHT }, stop: { calls: calls.length } }));
  }
  return {
    calls: results.reduce((sum, { calls }) => sum + calls, 0),
    ms: results.reduce((sum, { ms }) => sum + ms, 0),
    latenciesMs: results.flatMap(({ latenciesMs }) => latenciesMs),
    failures: {},
    answerBytes: results[results.length - 1]?.answerBytes ?? 0,
  };
}

/** Registers the hosts of a fleet with their hardware. */
export async function bootFleet(
  bed: BenchBed,
  muster: EmbeddedProcess,
  load: LoadProcess,
  shape: { readonly clusters: number; readonly hostsEach: number },
): Promise<readonly FleetHost[]> {
  bed.tell(`defining ${shape.clusters} clusters with ${shape.hostsEach} hosts each`);
  const hosts = await defineFleet(muster.restUrl, shape.clusters, shape.hostsEach);
  await load.open(httpTarget(muster));
  await oncePerHost(load, hosts, registration);
  await oncePerHost(load, hosts, (host) => inventoryReply(host));
  return hosts;
}
