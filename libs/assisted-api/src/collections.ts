/** Read model collections. Only the events service's projection `views` writes them; the gateway reads them. */
export const VIEWS_PROJECTION = 'views';

export const COLLECTIONS = {
  /** Key: cluster id. The v2 `cluster` without its hosts. */
  clusters: 'clusters',
  /** Key: cluster id. As it was when it was deleted, for as long as it may still be looked at. */
  deletedClusters: 'deleted_clusters',
  /** Key: host key `<infraEnvId>.<hostId>`. The v2 `host`; big reported bodies are named by digest and filled in by the reader. */
  hosts: 'hosts',
  /** Key: host key. As `deletedClusters`; a host that registers again is not among them. */
  deletedHosts: 'deleted_hosts',
  /** Key: infra-env id. The v2 `infra-env`. */
  infraEnvs: 'infra_envs',
  /** Key: a metric's name. What facts add up to. */
  metrics: 'metrics',
  /** Key: 16-digit position of the stored event, a dot, an ordinal. The v2 `event` and what it is filtered by. */
  events: 'events',
} as const;
