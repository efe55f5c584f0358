import { Readable, Transform } from 'node:stream';
import {
  type AllStreamResolvedEvent,
  BACKWARDS,
  END,
  type EventStoreDBClient,
  type EventData,
  FORWARDS,
  jsonEvent,
  type Position,
  type RecordedEvent as DbEvent,
  type ResolvedEvent,
  START,
  type StreamingRead,
  StreamNotFoundError,
} from '@eventstore/db-client';
import type { ReadResp } from '@eventstore/db-client/generated/streams_pb';
import {
  type EventMetadata,
  type EventToAppend,
  type JsonObject,
  NO_STREAM,
  type RecordedEvent,
  START_OF_STORE,
  type StreamId,
} from '@muster/ports';
import type { Connection } from './connection';

/** Prefix of the streams and events of the server and its projections. */
const SYSTEM = '$';

export const toEventData = ({ id, type, data, metadata }: EventToAppend): EventData =>
  jsonEvent({ id, type, data, metadata: { ...metadata } }) as EventData;

/** Returns true for an event of Muster, and false for an internal event of the server. */
export const isMusterEvent = (event: DbEvent): boolean =>
  event.isJson && !event.streamId.startsWith(SYSTEM) && !event.type.startsWith(SYSTEM);

/** Events of other programs may have no metadata, or data of any kind. */
const objectOrEmpty = (value: unknown): object =>
  typeof value === 'object' && value !== null && !(value instanceof Uint8Array) ? value : {};

export const toRecordedEvent = (event: DbEvent): RecordedEvent => ({
  id: event.id,
  type: event.type,
  data: objectOrEmpty(event.data) as JsonObject,
  metadata: objectOrEmpty(event.metadata) as EventMetadata,
  streamId: event.streamId as StreamId,
  revision: Number(event.revision),
  position: toPosition(event.position),
  recordedAt: event.created.toISOString(),
});

/**
 * Returns the commit position as a number.
 * @throws Error when the server returns none, or one that exceeds the safe integers
 */
export const toPosition = (position: Position | undefined): number => {
  const commit = Number(position?.commit ?? -1n);
  if (Number.isSafeInteger(commit) && commit >= 0) return commit;
  throw new Error('EventStoreDB returned no usable position for an event. Use release 22.6 or later.');
};

/**
 * Events of one append are written one after the other. Each has a commit position of its own, which equals its prepare
 * position.
 */
export const fromPosition = (position: number): Position => ({ commit: BigInt(position), prepare: BigInt(position) });

const PAGE_EVENTS = 512;
/** Length of the data after which a page ends. Hosts of a large cluster report 200 KiB each. */
const PAGE_BYTES = 1024 ** 2;

/** The end of the store rarely contains more consecutive events of the server itself than this. */
const HEAD_EVENTS = 32;

/** Reads use the leader: after a change of leader the client stays with its node, whose data may be old. */
export const createEventReader = (connection: Pick<Connection, 'read'>) => {
  /** Returns all events of a bounded read. */
  const read = async <E extends ResolvedEvent | AllStreamResolvedEvent>(
    open: (client: EventStoreDBClient) => StreamingRead<E>,
  ): Promise<E[]> => (await readPage(open, Infinity)).found;

  const readPage = <E extends ResolvedEvent | AllStreamResolvedEvent>(
    open: (client: EventStoreDBClient) => StreamingRead<E>,
    maxBytes = PAGE_BYTES,
  ): Promise<FoundPage<E>> => connection.read((client, onData) => collect(open(client), onData, maxBytes));

  async function* readStream(streamId: StreamId, afterRevision: number): AsyncGenerator<readonly RecordedEvent[]> {
    for (let cursor = afterRevision; ;) {
      const { found, isCut } = await readPage((client) =>
        client.readStream(streamId, {
          fromRevision: BigInt(cursor + 1),
          maxCount: PAGE_EVENTS,
          direction: FORWARDS,
          requiresLeader: true,
        }),
      );
      const page = found.flatMap(({ event }) => (event === undefined ? [] : [toRecordedEvent(event)]));
      if (page.length > 0) yield page;
      if (!isCut && found.length < PAGE_EVENTS) return;
      cursor = page.at(-1)?.revision ?? cursor;
    }
  }

  async function* readAll(afterPosition: number): AsyncGenerator<readonly RecordedEvent[]> {
    for (let cursor = afterPosition; ;) {
      // A read starts with the event at its position, so one more event is requested and the known event is removed.
      const { found } = await readPage((client) =>
        client.readAll({
          fromPosition: cursor < 0 ? START : fromPosition(cursor),
          maxCount: PAGE_EVENTS + 1,
          direction: FORWARDS,
          requiresLeader: true,
        }),
      );
      const fresh = found.flatMap(({ event }) =>
        event !== undefined && toPosition(event.position) > cursor ? [event] : [],
      );
      const last = fresh.at(-1);
      if (last === undefined) return;
      const page = fresh.filter(isMusterEvent).map(toRecordedEvent);
      if (page.length > 0) yield page;
      cursor = toPosition(last.position);
    }
  }

  /** Uses bounded reads and reads them to their end: an unfinished unbounded read prevents the client from closing. */
  const head = async (): Promise<number> => {
    for (let from: Position | undefined, maxCount = HEAD_EVENTS; ; maxCount = PAGE_EVENTS) {
      const found = await read((client) =>
        client.readAll({ fromPosition: from ?? END, maxCount, direction: BACKWARDS, requiresLeader: true }),
      );
      const last = found.find(({ event }) => event !== undefined && isMusterEvent(event))?.event;
      if (last) return toPosition(last.position);
      from = found.at(-1)?.event?.position;
      if (found.length < maxCount || from === undefined) return START_OF_STORE;
    }
  };

  const lastOf = async (streamId: StreamId): Promise<RecordedEvent | undefined> => {
    const [last] = await read((client) =>
      client.readStream(streamId, { fromRevision: END, maxCount: 1, direction: BACKWARDS, requiresLeader: true }),
    );
    return last?.event && toRecordedEvent(last.event);
  };

  const revisionOf = async (streamId: StreamId): Promise<number> => (await lastOf(streamId))?.revision ?? NO_STREAM;

  return { readStream, readAll, head, lastOf, revisionOf };
};

interface FoundPage<E> {
  readonly found: E[];
  /** The read ended before its last event, because the events are long. */
  readonly isCut: boolean;
}

/** Returns the events of a bounded read, at least two of them if there are as many. Empty when the stream does not exist. */
const collect = async <E extends ResolvedEvent | AllStreamResolvedEvent>(
  read: StreamingRead<E>,
  onData: () => void,
  maxBytes: number,
): Promise<FoundPage<E>> => {
  const found: E[] = [];
  let isCut = false;
  endAfter(read, maxBytes, () => (isCut = true));
  try {
    for await (const resolved of read) {
      onData();
      found.push(resolved);
    }
    return { found, isCut };
  } catch (error) {
    if (error instanceof StreamNotFoundError) return { found: [], isCut };
    throw error;
  }
};

/**
 * Ends the read when its answers have this length. The events that arrived before are still read. The stream of the answers is destroyed
 * first: the client opens another channel after the error of a cancelled stream.
 */
const endAfter = (read: StreamingRead<unknown>, maxBytes: number, onEnd: () => void): void => {
  const limit = (answers: unknown): void => {
    if (!(answers instanceof Readable && read instanceof Transform)) return;
    let [events, bytes] = [0, 0];
    answers.on('data', (answer: ReadResp) => {
      events += 1;
      bytes += answer.getEvent()?.getEvent()?.getData_asU8().length ?? 0;
      if (events < 2 || bytes < maxBytes) return;
      onEnd();
      answers.unpipe(read).destroy();
      read.end();
      // The connection may break after the last event was read and before the read is cancelled.
      read.on('error', () => undefined);
      void read.cancel();
    });
  };
  read.once('pipe', limit);
};
