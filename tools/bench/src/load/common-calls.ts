import type { FleetHost } from './fleet';
import { API, hostsPath, inventoryReply, poll, showCluster } from './fleet';
import type { Call } from './load';

export interface CommonCall {
  /** Display name. */
  readonly name: string;
  readonly callOf: (host: FleetHost) => Call;
}

const get = (path: string): Call => ({ to: `GET ${API}${path}` });

/** What agents, the web console, command lines and the controller ask most often, by how often that is. */
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
