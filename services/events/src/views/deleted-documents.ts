import type { RecordedMusterEvent, MusterEvent } from '@muster/contracts';
import { type ReadModelChange, putOrRemove, type Collection } from '@muster/ports';

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
