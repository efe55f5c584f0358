import { collectionOf } from '@muster/ports';
import type { MetricDocument } from './metrics/service-metrics.table';
import type { ClusterDocument, EventDocument, HostDocument, InfraEnvDocument } from './responses/documents';

/** The projection that writes the collections below. Only the events service runs it; the gateway reads them. */
export const VIEWS_PROJECTION = 'views';

export const COLLECTIONS = {
  /** Key: cluster id. The v2 `cluster` without its hosts. */
  clusters: collectionOf<ClusterDocument>('clusters'),
  /** Key: cluster id. The cluster at its deletion, until its retention period ends. */
  deletedClusters: collectionOf<ClusterDocument>('deleted_clusters'),
  /** Key: host key `<infraEnvId>.<hostId>`. The v2 `host`. Large reported bodies are stored as digests, which the reader resolves. */
  hosts: collectionOf<HostDocument>('hosts'),
  /** Key: host key. As `deletedClusters`. A host that registers again is removed. */
  deletedHosts: collectionOf<HostDocument>('deleted_hosts'),
  /** Key: infra-env id. The v2 `infra-env`. */
  infraEnvs: collectionOf<InfraEnvDocument>('infra_envs'),
  /** Key: name of a metric. Sums over events. */
  metrics: collectionOf<MetricDocument>('metrics'),
  /** Key: 16-digit position of the stored event, a dot, an ordinal. The v2 `event` and what it is filtered by. */
  events: collectionOf<EventDocument>('events'),
};
