import {
  MaxAppendSizeExceededError,
  NO_STREAM as EXPECT_NO_STREAM,
  WrongExpectedVersionError,
} from '@eventstore/db-client';
import {
  type AppendResult,
  AppendTooLarge,
  createGrowthSignal,
  type EventStore,
  type EventToAppend,
  followEvents,
  jsonTextOf,
  NO_STREAM,
  settleWithin,
  START_OF_STORE,
  type StreamId,
  type Subscription,
} from '@muster/ports';
import { Connection } from './connection';
import { createEventReader, toEventData, toPosition } from './event-reader';
import { type LiveSignal, startLiveSignal } from './live-signal';

export interface EventStoreDbOptions {
  /** A URL such as `esdb://user:password@host:2113?tls=false`, in the format of the server's documentation. */
  readonly url: string;
  /** Timeout of one operation in milliseconds. @default 4,000 */
  readonly operationTimeoutMs?: number;
}

/** The server's default limit for one append. */
const MAX_APPEND_BYTES = 1024 ** 2;
/**
 * The client sends the deadline as a time of its own clock, and the server compares it with its clock. `Connection` limits the time of an
 * append.
 */
const APPEND_DEADLINE_MS = 86_400_000;
/** Id, type and metadata of an event. */
const OTHER_BYTES_OF_EVENT = 1_024;
/** gRPC: the message is larger than the transport accepts. */
const RESOURCE_EXHAUSTED = 8;
/** Time for which a close waits for pending appends and subscriptions. */
const CLOSE_TIMEOUT_MS = 900;

const bytesOf = (events: readonly EventToAppend[]): number =>
  events.reduce((sum, { data }) => sum + Buffer.byteLength(jsonTextOf(data)) + OTHER_BYTES_OF_EVENT, 0);

/**
 * Events in EventStoreDB (22.6 or later). Positions are commit positions. The ids of events must be UUIDs. An append
 * that is repeated with the same ids returns the result of the first one. Every operation throws Unavailable when the
 * server does not answer.
 */
export const eventStoreDbEventStore = ({ url, operationTimeoutMs }: EventStoreDbOptions): EventStore => {
  const connection = new Connection(url, operationTimeoutMs);
  const reader = createEventReader(connection);
  const growth = createGrowthSignal(START_OF_STORE);
  const subscriptions = new Set<Subscription>();
  const appending = new Set<Promise<unknown>>();
  let live: LiveSignal | undefined;
  let isOpen = true;

  const requireOpen = (): void => {
    if (!isOpen) throw new Error('The event store is closed.');
  };

  const append = async (
    streamId: StreamId,
    expected: number,
    events: readonly EventToAppend[],
  ): Promise<AppendResult> => {
    const expectedRevision = expected === NO_STREAM ? EXPECT_NO_STREAM : BigInt(expected);
    try {
      const result = await connection.append(bytesOf(events), (client) =>
        client.appendToStream(streamId, events.map(toEventData), { expectedRevision, deadline: APPEND_DEADLINE_MS }),
      );
      // Some connection strings make the client return an answer instead of throwing. The revision in that answer is
      // not reliable.
      if (!result.success) return { kind: 'conflict', actualRevision: await reader.revisionOf(streamId) };
      const revision = Number(result.nextExpectedRevision);
      const position = result.position ? toPosition(result.position) : await positionOf(streamId, revision);
      growth.grownTo(position);
      return { kind: 'appended', revision, position };
    } catch (error) {
      if (error instanceof MaxAppendSizeExceededError)
        throw new AppendTooLarge(streamId, error.maxAppendSize, { cause: error });
      if (error instanceof Error && 'code' in error && error.code === RESOURCE_EXHAUSTED)
        throw new AppendTooLarge(streamId, MAX_APPEND_BYTES, { cause: error });
      if (!(error instanceof WrongExpectedVersionError)) throw error;
      const actualRevision = typeof error.actualVersion === 'bigint' ? Number(error.actualVersion) : NO_STREAM;
      return { kind: 'conflict', actualRevision };
    }
  };

  const positionOf = async (streamId: StreamId, revision: number): Promise<number> => {
    for await (const page of reader.readStream(streamId, revision - 1)) if (page[0]) return page[0].position;
    throw new Error(`EventStoreDB does not return revision ${revision} of ${streamId}, which it has just stored.`);
  };

  return {
    // Replicas of a service share the server.
    isSoleWriter: false,
    append: async (streamId, expected, events) => {
      requireOpen();
      if (events.length === 0) throw new Error(`An append to ${streamId} requires at least one event.`);
      const result = append(streamId, expected, events);
      const settled = result.catch(() => undefined).finally(() => appending.delete(settled));
      appending.add(settled);
      return result;
    },
    readStream: (streamId, afterRevision = NO_STREAM) => reader.readStream(streamId, afterRevision),
    readAll: reader.readAll,
    subscribe: (afterPosition, onPage, onError) => {
      requireOpen();
      live ??= startLiveSignal(() => connection.client, growth, reader.head);
      const source = { readAll: reader.readAll, waitForMore: growth.waitPast };
      const followed = followEvents(source, afterPosition, onPage, onError);
      subscriptions.add(followed);
      return { close: () => followed.close().finally(() => subscriptions.delete(followed)) };
    },
    head: reader.head,
    close: async () => {
      if (!isOpen) return;
      isOpen = false;
      const ended = Promise.all([
        ...appending,
        ...[...subscriptions].map((subscription) => subscription.close()),
        live?.close(),
      ]);
      // A server that does not answer must not delay the end of the process.
      const late = (): Error => new Error('The event store does not answer.');
      await settleWithin(CLOSE_TIMEOUT_MS, ended, late).catch(() => undefined);
      await connection.close();
    },
  };
};
