import type { MusterEvent, RecordedMusterEvent } from '@muster/contracts';
import { type Collection, putOrRemove, type ReadModelChange } from '@muster/ports';

/** What a row knows of an event besides its data. */
export interface Occurrence {
  readonly position: number;
  /** ISO 8601 UTC. */
  readonly at: string;
  /** A user name, `agent:<hostId>` or `service:<name>`. */
  readonly actor: string;
}

/** Members that change; `undefined` removes one. */
export type Patch<Document> = { readonly [Member in keyof Document]?: Document[Member] | undefined };

/** One pure row per event type: what the fact changes in the document. A missing row does not compile. */
export type ViewRows<Event extends { readonly type: string; readonly data: unknown }, Document> = {
  readonly [Type in Event['type']]: (
    document: Document,
    data: Extract<Event, { readonly type: Type }>['data'],
    occurrence: Occurrence,
  ) => Patch<Document>;
};

/** The fact changes nothing that this document shows. */
export const unchanged = (): Record<string, never> => ({});

/** Unset optional members are left out of documents, and so of answers. */
export const orAbsent = (text: string): string | undefined => text || undefined;

/**
 * Writes the patch into a copy that the caller has just made, `patched({ ...host }, …)`: a spread that meets one shape only
 * is several times faster than a general one, and every event of a replay comes through here. For the same reason documents
 * have all their members from the start, unset ones as `undefined`, and lose none.
 */
export function patched<Document extends { readonly updated_at: string; readonly _position: number }>(
  copy: Document,
  patch: Patch<Document>,
  occurrence: Occurrence,
): Document {
  const next = copy as { -readonly [Member in keyof Document]: Document[Member] };
  for (const member in patch) next[member] = patch[member] as Document[typeof member];
  next.updated_at = occurrence.at;
  next._position = occurrence.position;
  return next;
}

/** Where documents are, and where they are kept once they were deleted. */
interface Places<Document extends object> {
  readonly collection: Collection<Document>;
  readonly deleted: Collection<Document>;
}

/**
 * The document after a fact that took it away: kept as it was with the time of its deletion. Facts of older releases do not tell the
 * time, so nothing would ever end the keeping: what they delete is gone at once.
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

/** The time is up for which something deleted is kept. */
export const endsRetention = (event: MusterEvent): boolean =>
  (event.type === 'ClusterDeadlinePassed' || event.type === 'HostDeadlinePassed') &&
  event.data.deadline === 'retention';

const API = '/api/assisted-install/v2';

/** Self links of the contract. */
export const clusterHref = (clusterId: string): string => `${API}/clusters/${clusterId}`;
export const infraEnvHref = (infraEnvId: string): string => `${API}/infra-envs/${infraEnvId}`;
export const hostHref = (infraEnvId: string, hostId: string): string => `${infraEnvHref(infraEnvId)}/hosts/${hostId}`;
