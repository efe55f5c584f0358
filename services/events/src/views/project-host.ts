import { type ClusterDocument, COLLECTIONS, type HostDocument } from '@muster/assisted-api';
import type { EventData } from '@muster/contracts';
import type { ReadDocument } from '@muster/event-sourcing';
import type { ReadModelChange, RecordedEvent } from '@muster/ports';
import { eventDocuments } from '../event-log/event-document';
import { HOST_LOG } from '../event-log/host-log';
import { hostNameOf, type HostSubject, type LogEntry } from '../event-log/log-entry';
import { hostOutcomeLog } from '../event-log/outcome-log';
import { REPORT_LOG } from '../event-log/report-log';
import { verifiedVips } from './cluster-view';
import { putOrRemove } from './document-changes';
import { addToCounts, countedHosts } from './host-counts';
import { evolveHostDocument, type HostDocumentEvent } from './host-evolve';
import { applyPatch, type Occurrence } from './view-rows';

type Row = (data: unknown, subject: HostSubject) => readonly LogEntry[];
const LOG: { readonly [type: string]: unknown } = {
  ...HOST_LOG,
  ...REPORT_LOG,
  HostOutcomesChanged: hostOutcomeLog,
};

/** Everything that one fact about a host changes: its document, its cluster's, and the log. */
export async function projectHost(
  hostKey: string,
  event: RecordedEvent,
  occurrence: Occurrence,
  read: ReadDocument,
): Promise<readonly ReadModelChange[]> {
  const before = (await read(COLLECTIONS.hosts, hostKey)) as unknown as HostDocument | undefined;
  if (before && before._position >= event.position) return [];
  const after = evolveHostDocument(before, event as unknown as HostDocumentEvent, occurrence);
  const host = after ?? before;
  if (!host || after === before) return [];

  const changes = [putOrRemove(COLLECTIONS.hosts, hostKey, after)];
  for (const cluster of await changedClusters(before, after, event, occurrence, read))
    changes.push(putOrRemove(COLLECTIONS.clusters, cluster.id, cluster));
  const row = LOG[event.type] as Row | undefined;
  const entries = row?.(event.data, { host, before, name: hostNameOf(host) });
  if (entries && entries.length > 0) changes.push(...eventDocuments(event, entries, subjectOf(host)));
  return changes;
}

const subjectOf = (host: HostDocument) => ({
  clusterId: host.cluster_id,
  hostId: host.id,
  infraEnvId: host.infra_env_id,
  owner: host,
});

async function changedClusters(
  before: HostDocument | undefined,
  after: HostDocument | undefined,
  event: RecordedEvent,
  occurrence: Occurrence,
  read: ReadDocument,
): Promise<Iterable<ClusterDocument>> {
  const changed = new Map<string, ClusterDocument>();
  const current = async (id: string): Promise<ClusterDocument | undefined> =>
    changed.get(id) ?? ((await read(COLLECTIONS.clusters, id)) as unknown as ClusterDocument | undefined);

  for (const { clusterId, host, sign } of countedHosts(before, after)) {
    const cluster = await current(clusterId);
    if (cluster) changed.set(clusterId, addToCounts(cluster, host, sign));
  }
  if (event.type === 'VipsVerified' && after?.cluster_id) {
    const cluster = await current(after.cluster_id);
    const data = event.data as unknown as EventData<'VipsVerified'>;
    if (cluster) changed.set(cluster.id, applyPatch(cluster, verifiedVips(cluster, data), occurrence));
  }
  return changed.values();
}
