import { COLLECTIONS, DROPPED_LOGS, DROPPED_LOGS_MAX } from '@muster/assisted-api';
import type { MusterEvent, RecordedMusterEvent } from '@muster/contracts';
import type { ReadDocument } from '@muster/event-sourcing';
import { type Collection, putOrRemove, type ReadModelChange, START_OF_STORE } from '@muster/ports';
import type { EventWith } from '../event-rows';

/** The metadata of an event that rows use. */
export interface Occurrence {
  readonly position: number;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** A user name, `agent:<hostId>` or `service:<name>`. */
  readonly actor: string;
}

/** Members that change. `undefined` removes a member. */
export type Patch<Document> = { readonly [Member in keyof Document]?: Document[Member] | undefined };

/** One pure row per event type: the changes of the document. A missing row is a compile error. */
export type ViewRows<Data, Document> = {
  readonly [Type in keyof Data]: (document: Document, data: Data[Type], occurrence: Occurrence) => Patch<Document>;
};

/** The changes that the row of an event makes to a document. */
export const patchesOf =
  <Data, Document>(rows: ViewRows<Data, Document>) =>
  <Type extends keyof Data>(
    document: Document,
    event: EventWith<Data, Type>,
    occurrence: Occurrence,
  ): Patch<Document> =>
    rows[event.type](document, event.data, occurrence);

/** The event does not change this document. */
export const unchanged = (): Record<string, never> => ({});

/** Unset optional members are absent from documents and responses. */
export const orAbsent = (text: string): string | undefined => text || undefined;

/**
 * Writes the patch into a copy that the caller has just created, `patched({ ...host }, …)`. Every event of a replay is
 * processed here, and a spread of objects of one shape is several times faster than a general one. For the same reason
 * documents have all their members from the start, with `undefined` for unset ones.
 */
export function patched<Document extends { readonly updated_at: string; readonly _position: number }>(
  copy: Document,
  patch: Patch<Document>,
  occurrence: Occurrence,
): Document {
  return Object.assign(copy, patch, { updated_at: occurrence.at, _position: occurrence.position });
}

/** The collection of documents, and the collection of deleted documents. */
interface Places<Document extends object> {
  readonly collection: Collection<Document>;
  readonly deleted: Collection<Document>;
}

/**
 * Moves the document to the deleted documents with the time of its deletion. Without a time in the event no retention
 * period would end, so the document is removed immediately.
 */
export function deletionChanges<Document extends object>(
  { collection, deleted }: Places<Document>,
  key: string,
  before: Document,
  { data, position }: RecordedMusterEvent,
): readonly ReadModelChange[] {
  const gone = putOrRemove(collection, key, undefined);
  const at = 'at' in data ? data.at : '';
  if (!at) return [gone];
  return [gone, putOrRemove(deleted, key, { ...before, deleted_at: at, updated_at: at, _position: position })];
}

/** Records that a log of the cluster lost its reference at the position. */
export async function droppedLogsChange(
  clusterId: string,
  position: number,
  read: ReadDocument,
): Promise<ReadModelChange> {
  const before = await read(COLLECTIONS.droppedLogs, DROPPED_LOGS);
  const others = (before?.clusters ?? []).filter(({ cluster_id: id }) => id !== clusterId);
  const clusters = [...others, { cluster_id: clusterId, position }];
  const removed = clusters.splice(0, clusters.length - DROPPED_LOGS_MAX).at(-1);
  const complete_after = removed?.position ?? before?.complete_after ?? START_OF_STORE;
  return putOrRemove(COLLECTIONS.droppedLogs, DROPPED_LOGS, { complete_after, clusters });
}

/** Whether the event ends the retention period of a deleted resource. */
export const endsRetention = (event: MusterEvent): boolean =>
  (event.type === 'ClusterDeadlinePassed' || event.type === 'HostDeadlinePassed') &&
  event.data.deadline === 'retention';

const API = '/api/assisted-install/v2';

/** Self links of the v2 API. */
export const clusterHref = (clusterId: string): string => `${API}/clusters/${clusterId}`;
export const infraEnvHref = (infraEnvId: string): string => `${API}/infra-envs/${infraEnvId}`;
export const hostHref = (infraEnvId: string, hostId: string): string => `${infraEnvHref(infraEnvId)}/hosts/${hostId}`;
