import { type ClusterDocument, COLLECTIONS } from '@muster/assisted-api';
import type { ReadDocument } from '@muster/event-sourcing';
import { putOrRemove, type ReadModelChange, type RecordedEvent } from '@muster/ports';
import { CLUSTER_LOG, queueLog, releaseLog, retentionLog } from '../event-log/cluster-log';
import { type ClusterSubject, eventDocuments, type LogEntry, type LogRows } from '../event-log/event-document';
import { clusterOutcomeLog } from '../event-log/validation-log';
import { type DataByType, rowsOf } from '../event-rows';
import { CLUSTER_METRIC_EVENTS } from '../metrics/metric-events';
import { type ClusterDocumentEvent, evolveClusterDocument } from './cluster-view';
import { deletionChanges, droppedLogsChange, endsRetention, type Occurrence } from './view-rows';

const { clusters: CLUSTERS, deletedClusters: DELETED_CLUSTERS } = COLLECTIONS;

const LOG: LogRows<ClusterDocumentEvent, ClusterSubject> = {
  ...CLUSTER_LOG,
  ClusterOutcomesChanged: clusterOutcomeLog,
  ReleaseRead: releaseLog,
  PreparationQueued: queueLog,
};
const logEntries = rowsOf(LOG);
const metricEvents = rowsOf<DataByType<ClusterDocumentEvent>, ClusterSubject, readonly LogEntry[]>(
  CLUSTER_METRIC_EVENTS,
);

/** Returns all changes for an event of a cluster: its document and the event log. */
export async function projectCluster(
  clusterId: string,
  event: RecordedEvent<ClusterDocumentEvent>,
  occurrence: Occurrence,
  read: ReadDocument,
): Promise<readonly ReadModelChange[]> {
  const before = await read(CLUSTERS, clusterId);
  if (before && before._position >= event.position) return [];
  if (endsRetention(event)) {
    const kept = await read(DELETED_CLUSTERS, clusterId);
    const gone = [putOrRemove(DELETED_CLUSTERS, clusterId, undefined)];
    return kept ? [...gone, ...eventDocuments(event, retentionLog(kept), { clusterId, owner: kept })] : gone;
  }
  const after = evolveClusterDocument(before, event, occurrence);
  const cluster = after ?? before;
  if (!cluster) return [];

  const changes = after
    ? [putOrRemove(CLUSTERS, clusterId, after)]
    : [...deletionChanges({ collection: CLUSTERS, deleted: DELETED_CLUSTERS }, clusterId, cluster, event)];
  if (before && dropsLogs(before, after)) changes.push(await droppedLogsChange(clusterId, event.position, read));
  const subject = { cluster, before, at: occurrence.at };
  const entries = [...(logEntries(event, subject) ?? []), ...(metricEvents(event, subject) ?? [])];
  if (entries.length > 0) changes.push(...eventDocuments(event, entries, { clusterId, owner: cluster }));
  return changes;
}

/** Whether logs of the cluster were collected that it does not refer to afterwards. Its hosts keep theirs until they leave it or are removed. */
const dropsLogs = (before: ClusterDocument, after: ClusterDocument | undefined): boolean => {
  const kept = Object.values(after?._log_digests ?? {});
  return Object.values(before._log_digests).some((digest) => digest !== '' && !kept.includes(digest));
};
