import type { EventMetadata, EventToAppend, JsonObject, RecordedEvent, StreamId } from '@muster/ports';
import { jsonEvent, type EventData, type Position, type RecordedEvent as DbEvent } from '@eventstore/db-client';

/** What the server and its projections keep for themselves is named with this in front. */
const SYSTEM = '$';

export const toEventData = ({ id, type, data, metadata }: EventToAppend): EventData =>
  jsonEvent({ id, type, data, metadata: { ...metadata } }) as EventData;

/** Whether the event is one of ours, not the server's own bookkeeping. */
export const isOurs = (event: DbEvent): boolean =>
  event.isJson && !event.streamId.startsWith(SYSTEM) && !event.type.startsWith(SYSTEM);

export const toRecordedEvent = (event: DbEvent): RecordedEvent => ({
  id: event.id,
  type: event.type,
  data: event.data as JsonObject,
  metadata: event.metadata as unknown as EventMetadata,
  streamId: event.streamId as StreamId,
  revision: Number(event.revision),
  position: toPosition(event.position),
  recordedAt: event.created.toISOString(),
});

/** The commit position as a number. Throws where the server gives none, or one that a number cannot hold. */
export const toPosition = (position: Position | undefined): number => {
  const commit = Number(position?.commit ?? -1n);
  if (Number.isSafeInteger(commit) && commit >= 0) return commit;
  throw new Error('EventStoreDB gave no usable position for an event; it must be of release 22.6 or later.');
};

/** Events of one append are written one after the other, each with a commit position of its own, equal to its prepare position. */
export const fromPosition = (position: number): Position => ({ commit: BigInt(position), prepare: BigInt(position) });
