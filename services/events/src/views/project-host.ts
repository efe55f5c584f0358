import { type ClusterDocument, COLLECTIONS, type HostDocument } from '@muster/assisted-api';
import type { EventData } from '@muster/contracts';
import type { ReadDocument } from '@muster/event-sourcing';
import { putOrRemove, type ReadModelChange, type RecordedEvent } from '@muster/ports';
import type { MachineLimits } from '../config';
import { eventDocuments, hostNameOf, type HostSubject, type LogEntry, type LogRows } from '../event-log/event-document';
import { HOST_LOG } from '../event-log/host-log';
import { REPORT_LOG } from '../event-log/report-log';
import { hostOutcomeLog } from '../event-log/validation-log';
import { type DataByType, rowsOf } from '../event-rows';
import { HOST_METRIC_EVENTS } from '../metrics/metric-events';
import { verifiedVips } from './cluster-view';
import { addCounts, type CountsChange, countsChanges } from './host-counts';
import { evolveHostDocument, type HostDocumentEvent, withEvaluatedDisks } from './host-evolve';
import { type CollisionsChange, collisionsChanges, withCollisions } from './report-view';
import { addUsage, hostUsageChanges, type UsageChange } from './usage-counts';
import { deletionChanges, droppedLogsChange, endsRetention, type Occurrence, patched } from './view-rows';

const { hosts: HOSTS, deletedHosts: DELETED_HOSTS, clusters: CLUSTERS } = COLLECTIONS;

const LOG: LogRows<HostDocumentEvent, HostSubject> = {
  ...HOST_LOG,
  ...REPORT_LOG,
  HostOutcomesChanged: hostOutcomeLog,
};
const logEntries = rowsOf(LOG);
const metricEvents = rowsOf<DataByType<HostDocumentEvent>, HostSubject, readonly LogEntry[]>(HOST_METRIC_EVENTS);

/** Returns all changes for an event of a host: its document, that of its cluster, and the event log. */
export async function projectHost(
  hostKey: string,
  event: RecordedEvent<HostDocumentEvent>,
  occurrence: Occurrence,
  read: ReadDocument,
  limits: MachineLimits,
): Promise<readonly ReadModelChange[]> {
  const before = await read(HOSTS, hostKey);
  if (before && before._position >= event.position) return [];
  if (endsRetention(event)) return [putOrRemove(DELETED_HOSTS, hostKey, undefined)];
  const after = await withEvaluatedDisks(before, evolveHostDocument(before, event, occurrence), event, read, limits);
  const host = after ?? before;
  if (!host || after === before) return [];

  const changes = after
    ? [putOrRemove(HOSTS, hostKey, after)]
    : [...deletionChanges({ collection: HOSTS, deleted: DELETED_HOSTS }, hostKey, host, event)];
  // The host registered again, so its deleted document is removed.
  if (event.type === 'HostRegistered') changes.push(putOrRemove(DELETED_HOSTS, hostKey, undefined));
  const counts = countsChanges(before, after);
  const verified =
    event.type === 'VipsVerified' && after?.cluster_id ? { clusterId: after.cluster_id, data: event.data } : undefined;
  const usage = hostUsageChanges(before, after);
  const collisions = collisionsChanges(before, after);
  if (counts.length > 0 || usage.length > 0 || collisions.length > 0 || verified)
    changes.push(...(await clusterChanges({ counts, usage, collisions, verified }, occurrence, read)));
  const dropped = before && clusterOfDroppedLogs(before, after);
  if (dropped) changes.push(await droppedLogsChange(dropped, event.position, read));
  const subject = { host, before, name: hostNameOf(host), limits, at: occurrence.at };
  const entries = [...(logEntries(event, subject) ?? []), ...(metricEvents(event, subject) ?? [])];
  if (entries.length > 0) changes.push(...eventDocuments(event, entries, subjectOf(host)));
  return changes;
}

/**
 * Returns the cluster in which the host collected logs that it does not refer to after the event. An upload does not always remove the logs
 * that it replaces: the documents may be late, and uploads may overlap.
 */
const clusterOfDroppedLogs = (before: HostDocument, after: HostDocument | undefined): string | undefined =>
  before._logs_digest && before._logs_digest !== after?._logs_digest ? before.cluster_id : undefined;

const subjectOf = (host: HostDocument) => ({
  clusterId: host.cluster_id,
  hostId: host.id,
  infraEnvId: host.infra_env_id,
  owner: host,
});

/** The effects of an event of a host on clusters. */
interface ForClusters {
  readonly counts: readonly CountsChange[];
  readonly usage: readonly UsageChange[];
  readonly collisions: readonly CollisionsChange[];
  readonly verified: { readonly clusterId: string; readonly data: EventData<'VipsVerified'> } | undefined;
}

async function clusterChanges(
  { counts, usage, collisions, verified }: ForClusters,
  occurrence: Occurrence,
  read: ReadDocument,
): Promise<readonly ReadModelChange[]> {
  // A host that moves between clusters changes both. Each cluster is read and written once.
  const touched = new Map<string, ClusterDocument>();
  const change = async (id: string, by: (cluster: ClusterDocument) => ClusterDocument): Promise<void> => {
    const cluster = touched.get(id) ?? (await read(CLUSTERS, id));
    if (cluster) touched.set(id, by(cluster));
  };
  for (const { clusterId, by } of counts) await change(clusterId, (cluster) => addCounts(cluster, by));
  for (const { clusterId, by } of usage) await change(clusterId, (cluster) => addUsage(cluster, by));
  for (const one of collisions) await change(one.clusterId, (cluster) => withCollisions(cluster, one));
  // The position of the document stays: it is that of the last event of the cluster itself, whose streams may be paused.
  if (verified)
    await change(verified.clusterId, (cluster) => {
      const { _position } = cluster;
      return patched({ ...cluster }, verifiedVips(cluster, verified.data), { ...occurrence, position: _position });
    });
  return [...touched].map(([id, cluster]) => putOrRemove(CLUSTERS, id, cluster));
}
