import { randomUUID } from 'node:crypto';
import { agentSubject } from '@muster/contracts';
import { RestClient } from '@muster/tool-demo';
import { generateHardware } from '@muster/tool-simulator';
import type { Call } from './load';

/** Hosts as calls know them: nothing runs for them but what a load makes. */
export interface FleetHost {
  readonly infraEnvId: string;
  readonly clusterId: string;
  readonly hostId: string;
  /** Index of its cluster, and its own within it. */
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

/** Clusters with an infra-env each, over REST; their hosts are only named here. */
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

async function defineCluster(client: RestClient, name: string): Promise<{ clusterId: string; infraEnvId: string }> {
  const version = { openshift_version: OPENSHIFT_VERSION, pull_secret: PULL_SECRET };
  const cluster = await client.post<{ id: string }>('/clusters', { ...version, name, base_dns_domain: 'example.com' });
  const infraEnv = await client.post<{ id: string }>('/infra-envs', {
    ...version,
    name: `${name}-env`,
    cluster_id: cluster.id,
    cpu_architecture: 'x86_64',
  });
  return { clusterId: cluster.id, infraEnvId: infraEnv.id };
}

export const hostsPath = ({ infraEnvId }: FleetHost): string => `${API}/infra-envs/${infraEnvId}/hosts`;

export const registration = (host: FleetHost): Call => ({
  to: `POST ${hostsPath(host)}`,
  body: { host_id: host.hostId, discovery_agent_version: AGENT_VERSION },
});

/** The reply of an agent to its first step: some 5 KB of hardware, different for every host. */
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
